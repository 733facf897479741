"""The console script ``gpuplatform``. It may import every package, and imports heavy modules only when needed."""
