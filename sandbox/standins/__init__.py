"""Strict stand-ins for the AWS, Kubernetes and EKS providers: what the real ones refuse, these refuse too."""
