"""Mutants: what the stacks render, with one field broken at a time, and who is expected to notice each."""
