"""Plain manifests judged by the pack's rules: files in, findings with file and line out."""
