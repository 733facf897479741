from __future__ import annotations

import pytest

from gpuplatform.catalog.instance_types import instance_types
from gpuplatform.standard.instance_labels import instance_label_keys, instance_labels

INSTANCE_TYPE = "node.kubernetes.io/instance-type"
AWS = "karpenter.k8s.aws/instance-"


def test_types_carry_the_labels_that_karpenter_gives_them() -> None:
    expected = {
        INSTANCE_TYPE: "gr6.8xlarge",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/os": "linux",
        f"{AWS}family": "gr6",
        f"{AWS}category": "gr",
        f"{AWS}generation": "6",
        f"{AWS}size": "8xlarge",
        f"{AWS}cpu": "32",
        f"{AWS}memory": "262144",
        f"{AWS}network-bandwidth": "25000",
        f"{AWS}local-nvme": "900",
        f"{AWS}gpu-name": "l4",
        f"{AWS}gpu-manufacturer": "nvidia",
        f"{AWS}gpu-count": "1",
        f"{AWS}gpu-memory": "22888",
    }

    assert dict(instance_labels("gr6.8xlarge")) == expected
    assert instance_labels("p6-b200.48xlarge")[f"{AWS}category"] == "p"
    assert instance_labels("g6f.4xlarge")[f"{AWS}gpu-memory"] == "11444"
    assert instance_labels("inf2.24xlarge")[f"{AWS}accelerator-count"] == "6"
    assert f"{AWS}gpu-count" not in instance_labels("inf2.24xlarge")


def test_a_fraction_of_a_card_has_the_labels_of_its_card_with_its_own_memory_and_no_count() -> None:
    labels = instance_labels("g6f.large")

    assert labels[f"{AWS}gpu-name"] == "l4"
    assert labels[f"{AWS}gpu-memory"] == "2861"
    assert labels[f"{AWS}gpu-count"] == "0"


def test_a_type_without_devices_has_no_label_about_them() -> None:
    assert not any("gpu" in key or "accelerator" in key for key in instance_labels("m7i.large"))


def test_every_type_of_the_catalog_has_labels_and_every_key_is_on_some_type() -> None:
    assert {key for name in instance_types() for key in instance_labels(name)} == instance_label_keys()
    assert f"{AWS}gpu-memory" in instance_label_keys()


def test_a_type_that_the_catalog_lacks_is_an_error() -> None:
    with pytest.raises(KeyError):
        instance_labels("z9.nano")
