"""Label, layout, plugin, overlay and quota agree for every shared pool; each of them changed alone is refused."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import cast

import pytest
import yaml
from click.testing import CliRunner

from cli.main import main
from policies.judge import judge
from policies.subject import of_document, of_release
from tests.builders import STACKS
from tests.examples import sampled
from tests.five_places import Places, Plain, at, read_folder, shared_pools


@pytest.fixture(scope="module", params=sampled(STACKS))
def documents(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Plain]:
    """Everything that ``gpuplatform render`` writes for a stack."""
    out = tmp_path_factory.mktemp(str(request.param))
    result = CliRunner().invoke(main, ["render", "--stack", str(request.param), "--out", str(out)])
    assert result.exit_code == 0, result.output
    return read_folder(out)


def refusals(documents: list[Plain]) -> set[str]:
    """Names of the rules that refuse the documents."""
    subjects = [
        of_document(document) if "kind" in document else of_release("gpu-operator", document)
        for document in documents
        if "kind" in document or "migManager" in document
    ]
    return {finding.rule.name for finding in judge(subjects)}


def test_the_five_places_are_equal_for_every_shared_pool(documents: list[Plain]) -> None:
    places = shared_pools(documents)
    assert len({place.labelled for place in places}) >= 2, "at least two ways of sharing in each stack"
    for place in places:
        assert place.believed == place.cards * place.laid_out * place.plugged, place
        assert place.counted >= 1, place


Mutation = Callable[[list[Plain], Places], None]


def _named(documents: list[Plain], kind: str, name: str) -> Plain:
    return next(
        document for document in documents if document.get("kind") == kind and at(document, "metadata", "name") == name
    )


def _other_label(documents: list[Plain], place: Places) -> None:
    pool = _named(documents, "NodePool", place.nodepool)
    labels = cast(dict[str, str], at(pool, "spec", "template", "metadata", "labels"))
    if "gpu.mig.profile" in labels:
        labels["gpu.mig.profile"] = "7g.80gb" if labels["gpu.mem"] == "80gb" else "7g.40gb"
    else:
        del labels["nvidia.com/device-plugin.config"]


def _other_layout(documents: list[Plain], place: Places) -> None:
    data = cast(dict[str, str], _named(documents, "ConfigMap", "mig-layouts")["data"])
    layouts = cast(Plain, yaml.safe_load(data["config.yaml"]))
    for key, entries in cast(dict[str, list[Plain]], layouts["mig-configs"]).items():
        devices = cast(dict[str, int] | None, entries[0].get("mig-devices"))
        if devices and place.labelled in devices:
            entries[0]["mig-devices"] = {place.labelled: devices[place.labelled] - 1}
            assert key
    data["config.yaml"] = yaml.safe_dump(layouts)


def _other_shares(documents: list[Plain], place: Places) -> None:
    data = cast(dict[str, str], _named(documents, "ConfigMap", "device-plugin-sharing")["data"])
    data[place.labelled] = data[place.labelled].replace(f"replicas: {place.plugged}", f"replicas: {place.plugged + 1}")


def _other_strategy(documents: list[Plain], _: Places) -> None:
    values = next(document for document in documents if "migManager" in document)
    cast(Plain, values["mig"])["strategy"] = "single"


def _other_capacity(documents: list[Plain], place: Places) -> None:
    overlay = _named(documents, "NodeOverlay", place.nodepool)
    cast(dict[str, str], at(overlay, "spec", "capacity"))[place.resource] = str(place.believed + 1)


def _no_overlay(documents: list[Plain], place: Places) -> None:
    documents.remove(_named(documents, "NodeOverlay", place.nodepool))


def _other_quota(documents: list[Plain], place: Places) -> None:
    for document in documents:
        hard = cast(dict[str, str], at(document, "spec", "hard") or {})
        if f"requests.{place.resource}" in hard and document.get("kind") == "ResourceQuota":
            hard["requests.nvidia.com/mig-9g.99gb"] = hard.pop(f"requests.{place.resource}") + "0"


MIG_CHANGES: tuple[tuple[Mutation, set[str]], ...] = (
    (_other_label, {"mig-agrees", "sharing-config-exists"}),
    (_other_layout, {"overlay-matches-pool"}),
    (_other_strategy, {"operator-mig-mixed"}),
    (_other_capacity, {"overlay-matches-pool"}),
    (_other_quota, {"quota-offered"}),
)
SHARE_CHANGES: tuple[tuple[Mutation, set[str]], ...] = (
    (_other_label, {"overlay-matches-pool"}),
    (_other_shares, {"overlay-matches-pool"}),
    (_other_capacity, {"overlay-matches-pool"}),
    (_no_overlay, {"overlay-matches-pool"}),
    (_other_quota, {"quota-offered"}),
)


def test_nothing_refuses_the_documents_as_they_are(documents: list[Plain]) -> None:
    assert refusals(documents) == set()


def test_any_one_place_changed_alone_is_refused_by_name(documents: list[Plain]) -> None:
    tried = 0
    for place in shared_pools(documents):
        for change, rules in MIG_CHANGES if "mig-" in place.resource else SHARE_CHANGES:
            changed = copy.deepcopy(documents)
            change(changed, place)
            if changed == documents:
                continue
            tried += 1
            assert rules <= refusals(changed), (place.nodepool, change.__name__)
    assert tried >= 10
