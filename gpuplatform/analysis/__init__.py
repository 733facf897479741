"""Analyses of settings and documents before money is spent. They return faults and never raise."""
