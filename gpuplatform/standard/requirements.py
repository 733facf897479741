"""Requirements on a node's labels, as a NodePool and a pod's node affinity write them."""

from __future__ import annotations

from dataclasses import dataclass

from gpuplatform.standard.quantities import whole

POD_OPERATORS = frozenset({"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"})
"""The operators of node affinity; the requirements of a NodePool have Gte and Lte too."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """One requirement on one label of a node."""

    key: str
    operator: str
    """In, NotIn, Exists, DoesNotExist, Gt, Lt, Gte or Lte; no value meets another operator."""
    values: tuple[str, ...] = ()

    def accepts(self, value: str | None) -> bool:
        """Whether a node may have this value of the label; None where it lacks the label."""
        match self.operator:
            case "In":
                return value in self.values
            case "NotIn":
                return value not in self.values
            case "Exists":
                return value is not None
            case "DoesNotExist":
                return value is None
            case _:
                return self._compares(value)

    def _compares(self, value: str | None) -> bool:
        bound = whole(self.values[0]) if len(self.values) == 1 else None
        number = whole(value) if value is not None else None
        if number is None or bound is None:
            return False
        match self.operator:
            case "Gt":
                return number > bound
            case "Lt":
                return number < bound
            case "Gte":
                return number >= bound
            case "Lte":
                return number <= bound
            case _:
                return False

    def __str__(self) -> str:
        if self.operator == "In" and len(self.values) == 1:
            return f"{self.key}={self.values[0]}"
        return " ".join(filter(None, (self.key, self.operator, ", ".join(self.values))))
