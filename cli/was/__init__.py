"""Earlier settings, by a file or a git revision, and what has become of them since."""
