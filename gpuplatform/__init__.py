"""The platform described without Pulumi: facts, standards, settings, plans, checks, documents and analyses.

The packages are floors. A module imports only from its own floor and from lower ones:

- ``catalog``: facts about cards, instance types and prices, each with its source
- ``standard``: labels, taints, names, priorities, versions
- ``settings``: the choices of one environment
- ``plan``: NodePools, queues and subnets that follow from settings
- ``checks``: whether the parts of settings fit together
- ``analysis`` and ``render``, side by side: costs, capacity and placement; Kubernetes objects and chart values
- ``outputs`` and ``platform_pods``: the document that other teams read; the nodes of the platform's own pods
- ``accept``: the one gate that settings pass
- ``changes``: the effects of a change on a running stack

``faults`` (how a fault is reported) and ``nesting`` (how deep a YAML file may be) stand below them all.
"""
