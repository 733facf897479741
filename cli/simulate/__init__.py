"""``gpuplatform simulate``: where workloads land, what they cost, and what disruption does to them."""
