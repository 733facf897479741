"""Documents and chart values as plain data: settings in, Kubernetes objects out. Pure; nothing here knows Pulumi."""
