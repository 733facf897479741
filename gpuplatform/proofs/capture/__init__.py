"""Where a pod lands: which NodePools it tolerates and selects, which wins, and what keeps it from the others (B7).

``view`` is a stack as plain data and ``pod`` what one pod asks; ``landing`` brings the two together, ``unselective`` is
the proof over a stack. ``stack`` makes the view from settings and is the only one that knows them.
"""
