"""The rules, one concern a file."""
