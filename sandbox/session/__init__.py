"""The sandbox that outlives the command that started it: one on a machine's checkout, with one stack in it."""
