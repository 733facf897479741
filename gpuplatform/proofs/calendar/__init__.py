"""When Karpenter may disrupt nodes of its own accord, worked out from NodePools as they are rendered (B6)."""
