"""What the peer is given, and the same of ours."""
