"""Where a pod lands: the NodePools that it tolerates and selects, the one that wins, and the obstacles to the others.

``view`` is a stack as plain data, ``pod`` holds the demands of one pod, and ``landing`` compares the two; its function
``unselective`` checks a whole stack. ``stack`` makes the view from settings; the other modules do not know settings.
"""
