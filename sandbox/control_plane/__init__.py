"""A real Kubernetes control plane on this machine, on loopback alone."""
