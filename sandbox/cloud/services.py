"""The operations of each stand-in on a resource: AWS, and a cluster's API where there is no real cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from sandbox.cloud import aws, kubernetes
from sandbox.cloud.store import Entry, Properties, Store


class Service(Protocol):
    """The operations that the AWS and the Kubernetes stand-in have in common."""

    def replaces(self, token: str, old: Properties, new: Properties, changed_inputs: set[str]) -> set[str]:
        """Which of the changed inputs make a new resource."""
        ...

    def deletes_first(self, token: str, old: Properties, new: Properties) -> bool:
        """Whether a replacement deletes the old resource before it makes the new one."""
        ...

    def create(self, urn: str, token: str, inputs: Properties) -> Entry:
        """Make a resource."""
        ...

    def update(self, old: Entry, inputs: Properties) -> Entry:
        """Change a resource in place."""
        ...

    def dry_run(self, old: Entry, inputs: Properties) -> None:
        """Refuse a change that cannot be previewed."""
        ...

    def delete(self, entry: Entry) -> None:
        """Remove a resource."""
        ...


@dataclass(frozen=True, slots=True)
class AwsService:
    """AWS in one region of one account."""

    world: Store
    at: aws.Account
    inside: aws.Inside | None
    """The changes of EKS in a real cluster; None where the cluster is not real. A real cluster is a sandbox's."""

    def replaces(self, token: str, old: Properties, new: Properties, changed_inputs: set[str]) -> set[str]:
        """By the type's row in ``AWS_TYPES``."""
        return aws.replaces(token, old, new, changed_inputs)

    def deletes_first(self, token: str, old: Properties, new: Properties) -> bool:
        """True where the program chose the name, which is taken until its owner is deleted."""
        del old
        return aws.has_chosen_name(token, new)

    def create(self, urn: str, token: str, inputs: Properties) -> Entry:
        """As AWS would."""
        return aws.create(self.world, urn, token, inputs, self.at, self.inside)

    def update(self, old: Entry, inputs: Properties) -> Entry:
        """As AWS would."""
        return aws.update(self.world, old, inputs, self.at, self.inside)

    def dry_run(self, old: Entry, inputs: Properties) -> None:
        """Nothing: a preview sends no request to AWS."""

    def delete(self, entry: Entry) -> None:
        """As AWS would."""
        aws.delete(self.world, entry, self.inside)


@dataclass(frozen=True, slots=True)
class KubernetesService:
    """One cluster's API."""

    world: Store
    server: str
    """The address in the kubeconfig."""
    options: kubernetes.ProviderOptions

    def replaces(self, token: str, old: Properties, new: Properties, changed_inputs: set[str]) -> set[str]:
        """As the provider does."""
        return kubernetes.replaces(self.options, token, old, new, changed_inputs)

    def create(self, urn: str, token: str, inputs: Properties) -> Entry:
        """As the API server would, where there is one."""
        kubernetes.reach(self.world, self.server)
        return kubernetes.create(self.world, urn, token, inputs)

    def update(self, old: Entry, inputs: Properties) -> Entry:
        """As the API server would, where there is one."""
        kubernetes.reach(self.world, self.server)
        return kubernetes.update(self.world, old, inputs)

    def dry_run(self, old: Entry, inputs: Properties) -> None:
        """As the API server would, where there is one."""
        kubernetes.dry_run(self.world, old, inputs)

    def deletes_first(self, token: str, old: Properties, new: Properties) -> bool:
        """True unless the object moves to another name or namespace."""
        del token
        return not kubernetes.has_moved(old, new)

    def delete(self, entry: Entry) -> None:
        """As the API server would, where there is one."""
        kubernetes.reach(self.world, self.server)
        kubernetes.delete(self.world, entry)
