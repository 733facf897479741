"""The reference day's cost: on the stack's own pools, on other designs' pools, and the lower bound."""
