"""Earlier settings, from a file or a git revision, compared with the current ones."""
