"""The real Pulumi engine on this machine: its own state, the stand-ins on PATH, the real policy pack."""
