"""What a GPU node runs before its kubelet: the setting of NVIDIA's container runtime, and partitions of MIG cards."""
