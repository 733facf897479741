"""``gpuplatform cost``: the cost of a stack before it is created."""
