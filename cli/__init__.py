"""The console script ``gpuplatform``; it may import everything, and imports what is heavy only when it is used."""
