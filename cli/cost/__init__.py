"""``gpuplatform cost``: the bill before it comes."""
