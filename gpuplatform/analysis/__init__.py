"""Analyses of settings and documents before anything is made.

``placement`` finds where a pod lands, ``label_accuracy`` the labels that are false, ``mig`` the layouts that a card can
hold, ``sharing`` the cheapest way to share one, ``cost`` the bill, ``capacity`` the quotas that pools cannot cover,
``disruption`` the times at which Karpenter may act, ``system_group`` the room of the system nodes, and ``workloads``
the nodes of the platform's own pods. A problem in settings is a fault, never an exception.
"""
