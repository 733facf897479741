"""The platform on one machine: the real engine, stand-in providers, a real control plane."""
