"""Partitioning cards by MIG before the kubelet starts (B13): a script, a unit and the user data that installs them."""
