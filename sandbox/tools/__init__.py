"""Tools that the sandbox runs, had without an account: from PATH, from the user's cache, or built there once."""
