"""The platform on one machine: the real engine and policy pack, with stand-ins for AWS, EKS and Kubernetes."""
