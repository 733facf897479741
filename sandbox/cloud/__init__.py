"""Stand-ins for the providers of services that cannot run on one machine: AWS, EKS and the Kubernetes API.

They are strict. A type that is not on the printed list is an error, and so is an input that the provider's own SDK
does not know, or a missing input that it requires. References must resolve, and a resource in use is not deleted.
"""
