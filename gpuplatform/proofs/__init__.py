"""Judgements on settings and on documents: what is true before money is spent. They return faults and never raise."""
