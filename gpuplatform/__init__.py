"""The platform described without Pulumi: facts, standards, settings, documents and analysis.

The packages are floors, lowest first. A module imports only from its own floor and from lower ones: ``faults`` and
``catalog`` (facts), ``standard`` (labels, taints, names, priorities, versions), ``settings`` (what one environment
chose), ``plan`` (what follows from settings), ``checks`` (cross-checks of settings), then side by side ``render``
(documents) and ``analysis`` (cost, capacity, placement). Above them are ``accept``, ``outputs`` and ``changes``.
"""
