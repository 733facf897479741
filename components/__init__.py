"""Pulumi component resources: identity, order and outputs; they register documents that lower packages render."""
