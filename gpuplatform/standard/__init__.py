"""The labels, taints, resources, names, priorities and versions that the platform uses, and their meaning.

Every higher floor imports them from here. No file outside this package contains a label key as a string.
"""
