"""Where workloads land on a stack's own pools, decided by the real scheduler and the real Karpenter."""
