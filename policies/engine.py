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

from gpuplatform.faults import Fault
from policies.judge import apply
from policies.levels import ALL, unknown_rule
from policies.reads import Reads, observed, path_text
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
class _Resource:
    """A resource as a rule judges it."""

    subject: Subject
    urn: str
    has_unknown: bool
    """Whether one of its values is not known yet."""

    def observed(self, reads: Reads) -> Subject:
        """The subject; it records what a rule reads of it only if a value is not known yet."""
        return observed(self.subject, reads) if self.has_unknown else self.subject


class PackServer(analyzer_pb2_grpc.AnalyzerServicer):
    """The rules behind the engine's protocol: mandatory, unless the engine's configuration says otherwise."""

    def __init__(self, rules: Sequence[Rule], stack_rules: Sequence[StackRule]) -> None:
        self._rules, self._stack_rules = tuple(rules), tuple(stack_rules)
        self._levels: Mapping[str, Level] = {}
        self._resources: dict[str, _Resource] = {}
        """Inputs of this run's resources that stack rules read, by URN. The engine hands a stack rule outputs, and at
        a first preview every output inside a cluster that is not there yet is unknown; inputs are known."""

    def Analyze(  # noqa: N802
        self, request: proto.AnalyzeRequest, context: grpc.ServicerContext
    ) -> proto.AnalyzeResponse:
        """The diagnostics about one resource's inputs."""
        del context
        response = proto.AnalyzeResponse()
        rules, stack_rules = self._rules_about(request.type)
        if not rules and not stack_rules:
            return response
        resource = _resource(request)
        if stack_rules:
            self._resources[request.urn] = resource
        for rule in rules:
            reads = Reads()
            for finding in apply(rule, [resource.observed(reads)]):
                self._report(response, rule, resource, finding.fault)
            self._defer(response, rule, resource, reads)
        return response

    def AnalyzeStack(  # noqa: N802
        self, request: proto.AnalyzeStackRequest, context: grpc.ServicerContext
    ) -> proto.AnalyzeResponse:
        """The diagnostics of the rules about a whole stack, each with the URN of its resource."""
        del context
        response = proto.AnalyzeResponse()
        resources = [
            (resource.type, self._inputs(resource.urn) or _resource(resource))
            for resource in request.resources
            if self._rules_about(resource.type)[1]
        ]
        for rule in self._stack_rules:
            if self._level(rule) == proto.DISABLED:
                continue
            own = [resource for token, resource in resources if rule in self._rules_about(token)[1]]
            reads = [Reads() for _ in own]
            subjects = [resource.observed(record) for resource, record in zip(own, reads, strict=True)]
            resource_of = {id(subject): resource for subject, resource in zip(subjects, own, strict=True)}
            for finding in apply(rule, subjects):
                self._report(response, rule, resource_of[id(finding.subject)], finding.fault)
            for resource, record in zip(own, reads, strict=True):
                self._defer(response, rule, resource, record)
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

    def _inputs(self, urn: str) -> _Resource | None:
        """The recorded inputs of a resource. The program's root has no inputs, only the outputs that it publishes."""
        resource = self._resources.get(urn)
        return resource if resource is not None and resource.subject.body else None

    def _rules_about(self, token: str) -> tuple[tuple[Rule, ...], tuple[StackRule, ...]]:
        """The rules about a type: the enabled ones about one resource, and all about a stack."""
        rules, stack_rules = _rules_about(self._rules, self._stack_rules, token)
        return tuple(rule for rule in rules if self._level(rule) != proto.DISABLED), stack_rules

    def _level(self, rule: AnyRule) -> Level:
        level = self._levels.get(rule.name, self._levels.get(ALL, proto.MANDATORY))
        return proto.MANDATORY if level == proto.REMEDIATE else level  # no rule mends anything by itself

    def _report(self, response: proto.AnalyzeResponse, rule: AnyRule, resource: _Resource, fault: Fault) -> None:
        response.diagnostics.append(_diagnostic(rule, resource, str(fault), self._level(rule)))

    def _defer(self, response: proto.AnalyzeResponse, rule: AnyRule, resource: _Resource, reads: Reads) -> None:
        """Report the fields that the rule has to wait for."""
        if fields := ", ".join(sorted(map(path_text, reads.unknown))):
            message = f"{fields}: not known yet, so the rest of this rule is judged in the update"
            response.diagnostics.append(_diagnostic(rule, resource, message, proto.ADVISORY))


def _diagnostic(rule: AnyRule, resource: _Resource, message: str, level: Level) -> proto.AnalyzeDiagnostic:
    return proto.AnalyzeDiagnostic(
        policyName=rule.name,
        policyPackName=NAME,
        policyPackVersion=VERSION,
        description=rule.description,
        message=f"{rule.description}\n{resource.subject}: {message}",
        urn=resource.urn if isinstance(rule, StackRule) else "",
        enforcementLevel=level,
        severity=_SEVERITIES[rule.severity],
    )


def _resource(request: proto.AnalyzeRequest | proto.AnalyzerResource) -> _Resource:
    inputs = properties(request.properties)
    return _Resource(of_resource(request.type, request.name, inputs), request.urn, has_unknown(inputs))


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
