"""The times at which Karpenter may disrupt nodes of its own accord, computed from rendered NodePools."""
