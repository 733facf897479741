"""Checks manifests against the policy rules: files in, findings with file and line out."""
