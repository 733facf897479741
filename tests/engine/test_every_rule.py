"""The real engine refuses one violation of each rule of the pack, and names the rule."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path

import pulumi
import pytest

from policies.rules import RULES, STACK_RULES
from policies.subject import STACK
from sandbox.engine.run import Request, Verb, run
from sandbox.tools.pulumi import PulumiCli
from tests.builders import ROOT
from tests.figures import Figures
from tests.policies.corpus import CASES
from tests.policies.documents import Document
from tests.policies.harness import Case, subject, token_of

pytestmark = pytest.mark.engine

EVERY_RULE = tuple(rule.name for rule in (*RULES, *STACK_RULES))
PROVIDERS = ("aws", "kubernetes")


def registering(documents: Sequence[Document]) -> Callable[[], None]:
    """A program that registers documents unchanged.

    The configuration of their providers contains a value that is unknown in a preview. So the pack checks the
    documents, and the providers' own schemas do not.
    """

    def program() -> None:
        from pulumi_aws.kms import Key  # noqa: PLC0415
        from pulumi_aws.provider import Provider  # noqa: PLC0415

        on_aws = pulumi.ResourceOptions(provider=Provider("known", region="us-east-1"))
        later = Key("later", opts=on_aws).arn
        providers = {name: pulumi.ProviderResource(name, f"later-{name}", {"region": later}) for name in PROVIDERS}
        for number, document in enumerate(documents):
            token = token_of(document)
            props = {key: value for key, value in document.items() if ":" not in str(document["kind"]) or key != "kind"}
            if token == STACK.name:
                for name, value in props.items():
                    pulumi.export(name, value)
                continue
            options = pulumi.ResourceOptions(provider=providers.get(token.partition(":")[0]))
            name = str(subject(document).name or "it")
            pulumi.CustomResource(token, f"{name}-{number}", props, options)

    return program


def previewed(state: Path, cases: Sequence[Case]) -> str:
    """The engine's output for the documents of all cases together."""
    out = io.StringIO()
    program = registering([document for case in cases for document in case.documents])
    request = Request(Verb.PREVIEW, "dev", out, ROOT / "Pulumi.dev.yaml", state, program, ROOT / "policies")
    assert not run(request).ok, "nothing was refused"
    return out.getvalue()


def test_a_violation_of_each_rule_is_refused_by_its_name(
    engine_cli: PulumiCli, tmp_path: Path, figures: Figures
) -> None:
    del engine_cli
    first = {case.rule.name: case for case in reversed(CASES)}
    assert set(EVERY_RULE) <= set(first), "a rule without a case"
    printed = previewed(tmp_path / "all", [first[name] for name in EVERY_RULE])
    masked = [name for name in EVERY_RULE if name not in printed]
    # In one stack a case may hide the violation of another: a quota that one case lacks is in another case.
    refused_alone = [name for name in masked if name in previewed(tmp_path / name, [first[name]])]

    assert refused_alone == masked
    figures(f"rules refused by the real engine: {len(EVERY_RULE)}, {len(masked)} of them on their own")
