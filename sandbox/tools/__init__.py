"""The tools that the sandbox runs. None needs an account: they come from PATH or the cache, or are built once."""
