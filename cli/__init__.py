"""The console script ``gpuplatform``."""
