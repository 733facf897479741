"""The policy pack as a server for the policy engine: it gets one resource or a whole stack, and returns diagnostics.

The platform serves the protocol itself. The SDK's server decodes each resource once for every policy, and ends a policy
at the first value that a preview does not know. This server decodes a resource once, and only if a rule judges it. A
rule judges the known values; a diagnostic names the unknown fields and the rules that judge them in the update.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import grpc
from google.protobuf import empty_pb2
from pulumi.runtime import proto
from pulumi.runtime.proto import analyzer_pb2_grpc

from gpuplatform.faults import Fault, errors
from policies.levels import ALL, unknown_rule
from policies.reads import Reads, watched, written
from policies.rule import Rule, Severity, StackRule
from policies.subject import Subject, of_resource
from policies.wire import has_unknown, properties

NAME, VERSION = "gpu-platform", "0.1.0"
PAGES = "docs/reference/policies.md"

AnyRule: TypeAlias = Rule | StackRule
Level: TypeAlias = "proto.EnforcementLevel.ValueType"

_SEVERITIES = {
    Severity.LOW: proto.POLICY_SEVERITY_LOW,
    Severity.MEDIUM: proto.POLICY_SEVERITY_MEDIUM,
    Severity.HIGH: proto.POLICY_SEVERITY_HIGH,
    Severity.CRITICAL: proto.POLICY_SEVERITY_CRITICAL,
}


@dataclass(frozen=True, slots=True)
class _Seen:
    """A resource as a rule judges it."""

    subject: Subject
    urn: str
    partly: bool
    """Whether one of its values is not known yet."""


class PackServer(analyzer_pb2_grpc.AnalyzerServicer):
    """The rules behind the engine's protocol: mandatory, unless the engine's configuration says otherwise."""

    def __init__(self, rules: Sequence[Rule], stack_rules: Sequence[StackRule]) -> None:
        self._rules, self._stack_rules = tuple(rules), tuple(stack_rules)
        self._levels: Mapping[str, Level] = {}
        self._seen: dict[str, _Seen] = {}
        """Inputs of this run's resources that stack rules read, by URN. The engine hands a stack rule outputs, and at
        a first preview every output inside a cluster that is not there yet is unknown; inputs are known."""

    def Analyze(  # noqa: N802
        self, request: proto.AnalyzeRequest, context: grpc.ServicerContext
    ) -> proto.AnalyzeResponse:
        """The diagnostics about one resource's inputs."""
        del context
        response = proto.AnalyzeResponse()
        rules, together = self._about(request.type)
        if not rules and not together:
            return response
        seen = _seen(request)
        if together:
            self._seen[request.urn] = seen
        for rule in rules:
            reads = Reads()
            subject = watched(seen.subject, reads) if seen.partly else seen.subject
            self._report(response, rule, [(seen, fault) for fault in rule.judge(subject)])
            self._defer(response, rule, seen, reads)
        return response

    def AnalyzeStack(  # noqa: N802
        self, request: proto.AnalyzeStackRequest, context: grpc.ServicerContext
    ) -> proto.AnalyzeResponse:
        """The diagnostics of the rules about a whole stack, each with the URN of its resource."""
        del context
        response = proto.AnalyzeResponse()
        every = [
            (resource.type, self._inputs(resource.urn) or _seen(resource))
            for resource in request.resources
            if self._about(resource.type)[1]
        ]
        for rule in self._stack_rules:
            if self._level(rule) == proto.DISABLED:
                continue
            mine = [seen for token, seen in every if rule in self._about(token)[1]]
            reads = [Reads() for _ in mine]
            shown = [
                watched(seen.subject, read) if seen.partly else seen.subject
                for seen, read in zip(mine, reads, strict=True)
            ]
            of = {id(subject): seen for subject, seen in zip(shown, mine, strict=True)}
            self._report(response, rule, [(of[id(subject)], fault) for subject, fault in rule.judge(shown)])
            for seen, read in zip(mine, reads, strict=True):
                self._defer(response, rule, seen, read)
        return response

    def GetAnalyzerInfo(  # noqa: N802
        self, request: empty_pb2.Empty, context: grpc.ServicerContext
    ) -> proto.AnalyzerInfo:
        """Every rule with its severity, its remedy and its page."""
        del request, context
        return proto.AnalyzerInfo(
            name=NAME,
            version=VERSION,
            supportsConfig=True,
            policies=[
                proto.PolicyInfo(
                    name=rule.name,
                    description=rule.description,
                    enforcementLevel=proto.MANDATORY,
                    severity=_SEVERITIES[rule.severity],
                    remediation_steps=rule.remediation,
                    url=f"{PAGES}#{rule.name}",
                    policy_type=_policy_type(rule),
                )
                for rule in (*self._rules, *self._stack_rules)
            ],
        )

    def GetPluginInfo(  # noqa: N802
        self, request: empty_pb2.Empty, context: grpc.ServicerContext
    ) -> proto.PluginInfo:
        """The pack's version."""
        del request, context
        return proto.PluginInfo(version=VERSION)

    def Configure(  # noqa: N802
        self, request: proto.ConfigureAnalyzerRequest, context: grpc.ServicerContext
    ) -> empty_pb2.Empty:
        """Levels by rule, as the engine read them from its configuration file."""
        names = {ALL, *(rule.name for rule in (*self._rules, *self._stack_rules))}
        for name in request.policyConfig:
            if name not in names:
                context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(unknown_rule(name, "the policy pack's levels")))
        self._levels = {name: level.enforcementLevel for name, level in request.policyConfig.items()}
        return empty_pb2.Empty()

    def ConfigureStack(  # noqa: N802
        self, request: proto.AnalyzerStackConfigureRequest, context: grpc.ServicerContext
    ) -> proto.AnalyzerStackConfigureResponse:
        """The pack needs nothing about the stack itself."""
        del request, context
        return proto.AnalyzerStackConfigureResponse()

    def _inputs(self, urn: str) -> _Seen | None:
        """The recorded inputs of a resource. The program's root has no inputs, only the outputs that it publishes."""
        seen = self._seen.get(urn)
        return seen if seen is not None and seen.subject.body else None

    def _about(self, token: str) -> tuple[tuple[Rule, ...], tuple[StackRule, ...]]:
        """The enabled rules about such a resource."""
        rules, together = _rules_about(self._rules, self._stack_rules, token)
        return tuple(rule for rule in rules if self._level(rule) != proto.DISABLED), together

    def _level(self, rule: AnyRule) -> Level:
        level = self._levels.get(rule.name, self._levels.get(ALL, proto.MANDATORY))
        return proto.MANDATORY if level == proto.REMEDIATE else level  # no rule mends anything by itself

    def _report(self, response: proto.AnalyzeResponse, rule: AnyRule, faults: Sequence[tuple[_Seen, Fault]]) -> None:
        for seen, fault in faults:
            if errors([fault]):
                self._say(response, rule, seen, f"{seen.subject}: {fault}", self._level(rule))

    def _defer(self, response: proto.AnalyzeResponse, rule: AnyRule, seen: _Seen, reads: Reads) -> None:
        """Report the fields that the rule has to wait for."""
        if fields := ", ".join(sorted(map(written, reads.unknown))):
            words = f"{seen.subject}: {fields}: not known yet, so the rest of this rule is judged in the update"
            self._say(response, rule, seen, words, proto.ADVISORY)

    def _say(self, response: proto.AnalyzeResponse, rule: AnyRule, seen: _Seen, words: str, level: Level) -> None:
        response.diagnostics.append(
            proto.AnalyzeDiagnostic(
                policyName=rule.name,
                policyPackName=NAME,
                policyPackVersion=VERSION,
                description=rule.description,
                message=f"{rule.description}\n{words}",
                urn=seen.urn if isinstance(rule, StackRule) else "",
                enforcementLevel=level,
                severity=_SEVERITIES[rule.severity],
            )
        )


def _seen(resource: proto.AnalyzeRequest | proto.AnalyzerResource) -> _Seen:
    inputs = properties(resource.properties)
    return _Seen(of_resource(resource.type, resource.name, inputs), resource.urn, has_unknown(inputs))


@functools.cache
def _rules_about(
    rules: tuple[Rule, ...], stack_rules: tuple[StackRule, ...], token: str
) -> tuple[tuple[Rule, ...], tuple[StackRule, ...]]:
    """The rules about a type, found with an empty resource of that type."""
    empty = of_resource(token, "", {})
    return (
        tuple(rule for rule in rules if rule.applies_to(empty)),
        tuple(rule for rule in stack_rules if rule.applies_to(empty)),
    )


def _policy_type(rule: AnyRule) -> proto.PolicyType.ValueType:
    return proto.POLICY_TYPE_STACK if isinstance(rule, StackRule) else proto.POLICY_TYPE_RESOURCE
