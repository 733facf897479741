"""Which tools there are, and how each is built: one row a tool."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tool:
    """A command that can be built from public Go modules."""

    name: str
    module: str
    """The Go module that holds the command."""
    version: str
    """Of the module, with its leading ``v``."""
    package: str
    """The command's package inside the module: ``/cmd/pulumi``."""
    companions: tuple[str, ...]
    """Further ``module@version`` that must be pinned beside it, because the module itself pins them by replacing."""
    build_flags: tuple[str, ...]
    """After ``go build -mod=mod -trimpath``."""
    expected_minutes: float
    """A cold build on two cores."""
    check: tuple[str, ...]
    """Arguments that make the finished command prove that it runs."""

    @property
    def folder(self) -> str:
        """Where a build of this row lives, under the cache: another version is another folder."""
        return f"{self.name}-{self.version}"


PULUMI = Tool(
    name="pulumi",
    module="github.com/pulumi/pulumi/pkg/v3",
    version="v3.259.0",
    package="/cmd/pulumi",
    # The module replaces its SDK by a neighbouring folder, which a module from the proxy has not.
    companions=("github.com/pulumi/pulumi/sdk/v3@v3.259.0",),
    build_flags=(
        "-tags=osusergo,grpcnotrace",
        "-ldflags=-s -w -X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v3.259.0",
    ),
    expected_minutes=4,
    check=("version",),
)
"""The newest CLI that the public Go module proxy serves with every part of its build, and that the SDK accepts."""
