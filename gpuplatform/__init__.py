"""The platform described without Pulumi: facts, standards, choices, documents and proofs.

Floors, lowest first; a module imports only from its own floor and the ones before it:
``faults`` and ``catalog`` (facts), ``standard`` (labels, taints, names, priorities, versions), ``settings`` (what one
environment chose), then side by side ``render`` (documents), ``proofs`` (judgements) and ``outputs`` (the contract).
"""
