"""What a change does to a stack that runs: what is replaced, why and when, and whose work loses its place (G8)."""
