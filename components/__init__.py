"""Pulumi component resources: identity, order and outputs; every document they register comes from the floors below."""
