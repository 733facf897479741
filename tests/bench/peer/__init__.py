"""The peer's rule for the comparison with ``lint``, and our command with the same rule."""
