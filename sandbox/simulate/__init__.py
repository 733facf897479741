"""What becomes of workloads on a stack's own pools: asked of the real scheduler and the real Karpenter."""
