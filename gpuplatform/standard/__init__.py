"""THE standard: which labels, taints, resource names, names and priorities the platform uses, and what they mean.

Every other package asks this one. No file outside it contains a label key as a string.
"""
