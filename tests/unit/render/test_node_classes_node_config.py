import email

import yaml

from gpuplatform.render.node_classes import node_user_data, pool_node_config
from gpuplatform.settings.source import Plain
from tests.builders import a_card, a_pool, some_settings
from tests.unit.render.reading import list_at

OWN = "apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec: {kubelet: {}}\n"


def node_config(**pool: Plain) -> str | None:
    efa = a_pool(cards=[a_card("H100-80GB", ["p5.48xlarge"])], **pool)
    return pool_node_config(some_settings(pools=[efa]).pools[0])


def limits() -> dict[object, tuple[object, object]]:
    document = yaml.safe_load(node_config(efa=True) or "")
    path = ("spec", "containerd", "baseRuntimeSpec", "process", "rlimits")
    return {limit["type"]: (limit["soft"], limit["hard"]) for limit in list_at(document, *path)}


def test_containers_of_an_efa_pool_may_lock_more_memory_than_any_node_has() -> None:
    soft, hard = limits()["RLIMIT_MEMLOCK"]
    assert soft == hard
    assert isinstance(hard, int)
    assert hard > 2**50  # a pebibyte


# A list of a NodeConfig replaces the image's list.
def test_the_images_own_limit_of_open_files_is_said_again() -> None:
    assert limits()["RLIMIT_NOFILE"] == (65536, 1048576)


# nodeadm merges numbers as 64-bit floating point and containerd reads them as unsigned integers of 64 bits.
def test_every_limit_survives_nodeadms_merge() -> None:
    for pair in limits().values():
        for number in pair:
            assert isinstance(number, int)
            assert int(float(number)) == number


def test_other_pools_have_no_node_config_of_the_platforms() -> None:
    assert node_config() is None


def test_a_pools_own_node_config_comes_after_the_platforms_and_so_wins() -> None:
    efa = a_pool(cards=[a_card("H100-80GB", ["p5.48xlarge"])], efa=True, node_class={"node_config": OWN, "shell": "#!"})
    message = email.message_from_string(node_user_data(some_settings(pools=[efa]).pools[0]))
    first, second, *shells = (part for part in message.walk() if not part.is_multipart())
    assert [part.get_content_type() for part in (first, second, *shells)] == [
        "application/node.eks.aws",
        "application/node.eks.aws",
        "text/x-shellscript",
        "text/x-shellscript",
    ]
    assert "RLIMIT_MEMLOCK" in str(first.get_payload())
    assert str(second.get_payload()).strip() == OWN.strip()
