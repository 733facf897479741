"""The reference day: what it costs on the stack's own pools, on others' pools, and at the least."""
