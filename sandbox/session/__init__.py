"""The sandbox, which keeps running after the command that started it: one per checkout, with one stack in it."""
