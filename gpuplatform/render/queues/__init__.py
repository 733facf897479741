"""Kueue: its configuration, and the queues of a stack (Q6-Q8)."""
