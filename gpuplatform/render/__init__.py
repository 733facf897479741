"""Documents and chart values as plain data: settings in, Kubernetes objects out. Pure functions without Pulumi."""
