"""Kueue: its configuration, and the queues of a stack."""
