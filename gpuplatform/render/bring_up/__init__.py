"""Partitioning cards by MIG before the kubelet starts: a script, a unit and the user data that installs them."""
