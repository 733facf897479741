"""The label standard: which labels, taints, resource names, names and priorities the platform uses, and their meaning.

Every other package imports them from here. No file outside this package contains a label key as a string.
"""
