"""The real Pulumi engine on this machine, with a state of its own, the stand-ins on PATH and the real policy pack."""
