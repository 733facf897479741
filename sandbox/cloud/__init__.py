"""Stand-ins for what cannot run on one machine: AWS, EKS, and for now the Kubernetes API.

They are strict: a type that is not on the printed list is an error, and so is an input that the provider's own SDK
does not know, or requires and is missing. References must resolve, and what others still need is not deleted.
"""
