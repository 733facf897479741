from pathlib import Path

import pytest

from gpuplatform.render.node_classes import node_user_data
from gpuplatform.settings.source import Plain
from tests.builders import a_card, a_market, a_slice_pool, some_settings
from tests.unit.render.bring_up.machine import Machine
from tests.unit.render.bring_up.stand_in.nvidia_smi import Card, Instance

pytestmark = pytest.mark.slow  # a boot starts dozens of processes

SEVENTHS = ["1g.10gb"] * 7
LAYOUT = "/etc/gpu-partition/layout"
REBOOTS = "/var/lib/gpu-partition/reboots"
A100 = a_card("A100-80GB", ["p4de.24xlarge"], [a_market(ceiling_cards=16)])
SMALL_A100 = a_card("A100-40GB", ["p4d.24xlarge"], [a_market(ceiling_cards=16)])
H100 = a_card("H100-80GB", ["p5.48xlarge"], [a_market(ceiling_cards=16)])


def user_data(**pool: Plain) -> str:
    (read,) = some_settings(pools=[a_slice_pool(**{"mig_bring_up": "before-kubelet", **pool})]).pools
    return node_user_data(read)


def a_gpu(model: str = "A100-80GB", *, busy: bool = False, stubborn: bool = False, broken: bool = False) -> Card:
    """A card as it comes: in a virtual machine by passthrough, MIG off."""
    return {
        "model": model,
        "current": "Disabled",
        "pending": "Disabled",
        "instances": [],
        "passthrough": True,
        "busy": busy,
        "stubborn": stubborn,
        "broken": broken,
    }


def in_mig_mode(model: str = "A100-80GB", *instances: tuple[str, int], broken: bool = False) -> Card:
    """A card that is cut already: instances by name and profile id, each filled by its compute instance."""
    made: list[Instance] = [
        {"id": at, "profile": profile, "name": name, "compute": [name]} for at, (name, profile) in enumerate(instances)
    ]
    return {**a_gpu(model, broken=broken), "current": "Enabled", "pending": "Enabled", "instances": made}


def machine(root: Path, *cards: Card) -> Machine:
    return Machine(root, list(cards))


@pytest.mark.parametrize("shell", ["/bin/bash", "/bin/dash"])
def test_an_a100_joins_on_its_second_boot_and_is_cut_again_on_its_third(tmp_path: Path, shell: str) -> None:
    if not Path(shell).exists():
        pytest.skip(f"{shell} is not on this machine")
    node = machine(tmp_path, a_gpu(), a_gpu())

    first = node.first_boot(user_data().replace("#!/bin/sh", f"#!{shell}"))
    assert (first.kubelet_started, first.wants_reboot) == (False, True)
    assert node.layouts() == [[], []]
    assert "reboot 1 of at most 2" in first.output

    second = node.reboot()
    assert (second.kubelet_started, second.wants_reboot) == (True, False)
    assert node.layouts() == [SEVENTHS, SEVENTHS]
    assert not node.file(REBOOTS).exists(), "a later change of mode has its own two reboots"

    third = node.reboot()
    assert (third.kubelet_started, third.wants_reboot) == (True, False)
    assert node.layouts() == [SEVENTHS, SEVENTHS]
    assert len(third.created()) == 2, "a reboot keeps the mode and not the instances"


def test_an_h100_joins_on_every_boot(tmp_path: Path) -> None:
    node = machine(tmp_path, a_gpu("H100-80GB"), a_gpu("H100-80GB"))
    boots = [node.first_boot(user_data(cards=[H100])), node.reboot(), node.reboot()]
    assert [(boot.kubelet_started, boot.wants_reboot) for boot in boots] == [(True, False)] * 3
    assert node.layouts() == [SEVENTHS, SEVENTHS]
    assert not any("--gpu-reset" in call for boot in boots for call in boot.calls)
    assert not any("instances found" in boot.output for boot in boots), "a card without instances is no error yet"


def test_a_pending_mode_is_settled_by_a_reset_where_the_card_can_be_reset(tmp_path: Path) -> None:
    card = a_gpu(busy=True)
    card["passthrough"] = False
    node = machine(tmp_path, card)
    boot = node.first_boot(user_data())
    assert (boot.kubelet_started, boot.wants_reboot) == (True, False)
    assert node.layouts() == [SEVENTHS]


def test_what_is_already_right_is_left_alone(tmp_path: Path) -> None:
    node = machine(tmp_path, in_mig_mode("A100-80GB", *[("1g.10gb", 19)] * 7))
    boot = node.first_boot(user_data())
    assert boot.kubelet_started
    assert {call.split()[-1] for call in boot.calls} == {"--format=csv,noheader", "-lgi", "-lci"}


def test_running_the_script_again_changes_nothing(tmp_path: Path) -> None:
    node = machine(tmp_path, a_gpu("H100-80GB"))
    text = user_data(cards=[H100])
    assert node.first_boot(text).created()
    again = node.first_boot(text)
    assert again.kubelet_started
    assert again.created() == []


@pytest.mark.parametrize(
    "old",
    [
        [("3g.40gb", 9), ("3g.40gb", 9)],
        [("1g.10gb", 19)] * 6,
        [("2g.20gb", 14), *[("1g.10gb", 19)] * 5],
    ],
    ids=["two large", "one missing", "one too large"],
)
def test_another_layout_is_replaced(tmp_path: Path, old: list[tuple[str, int]]) -> None:
    node = machine(tmp_path, in_mig_mode("A100-80GB", *old))
    assert node.first_boot(user_data()).kubelet_started
    assert node.layouts() == [SEVENTHS]


@pytest.mark.parametrize("compute", [[], ["1c.7g.80gb", "1c.7g.80gb"]], ids=["none", "divided"])
def test_a_gpu_instance_without_the_compute_instance_that_fills_it_is_made_anew(
    tmp_path: Path, compute: list[str]
) -> None:
    card = in_mig_mode("A100-80GB", ("7g.80gb", 0))
    card["instances"][0]["compute"] = compute
    node = machine(tmp_path, card)
    boot = node.first_boot(user_data(sharing={"mig": "7g.80gb"}))
    assert boot.kubelet_started
    assert len(boot.created()) == 1


def test_each_card_is_cut_by_its_own_line_of_the_layout(tmp_path: Path) -> None:
    text = user_data(cards=[A100, SMALL_A100, H100])
    for index, (card, slices) in enumerate([("A100-80GB", 7), ("A100-40GB", 4), ("H100-80GB", 7)]):
        root = tmp_path / str(index)
        root.mkdir()
        node = machine(root, in_mig_mode(card) if card != "H100-80GB" else a_gpu(card))
        assert node.first_boot(text).kubelet_started
        assert node.layouts() == [["1g.10gb"] * slices]


def test_a_card_that_no_line_names_keeps_the_kubelet_away(tmp_path: Path) -> None:
    node = machine(tmp_path, in_mig_mode("A100-40GB"))
    boot = node.first_boot(user_data())
    assert not boot.kubelet_started
    assert "card 0: no layout is written for its device id 0x20B010DE" in boot.output


def test_an_id_that_the_card_does_not_have_keeps_the_kubelet_away(tmp_path: Path) -> None:
    node = machine(tmp_path, in_mig_mode())
    boot = node.first_boot(user_data().replace("1g.10gb 19 7", "1g.10gb 99 7"))
    assert not boot.kubelet_started
    assert "the driver refuses GPU instance profiles 99,99" in boot.output


def test_an_id_of_another_profile_is_found_out_by_looking(tmp_path: Path) -> None:
    node = machine(tmp_path, in_mig_mode())
    boot = node.first_boot(user_data(sharing={"mig": "4g.40gb"}).replace("4g.40gb 5 1", "4g.40gb 9 1"))
    assert not boot.kubelet_started
    assert "card 0: wanted 4g.40gb 9; there is 3g.40gb 9" in boot.output


def test_one_broken_card_of_eight_keeps_the_kubelet_away_on_every_boot(tmp_path: Path) -> None:
    node = machine(tmp_path, *(in_mig_mode(broken=index == 5) for index in range(8)))
    for boot in (node.first_boot(user_data()), node.reboot()):
        assert (boot.kubelet_started, boot.wants_reboot) == (False, False)
        assert "card 5: the driver refuses" in boot.output
        assert "the kubelet stays away" in boot.output
    assert [len(layout) for layout in node.layouts()] == [7, 7, 7, 7, 7, 0, 7, 7]


def test_a_card_that_refuses_mig_mode_is_not_worth_a_reboot(tmp_path: Path) -> None:
    node = machine(tmp_path, a_gpu(), a_gpu(broken=True))
    boot = node.first_boot(user_data())
    assert (boot.kubelet_started, boot.wants_reboot) == (False, False)
    assert "card 1: MIG mode is refused" in boot.output


def test_two_reboots_are_all_that_a_pending_mode_gets(tmp_path: Path) -> None:
    node = machine(tmp_path, a_gpu(stubborn=True))
    boots = [node.first_boot(user_data()), node.reboot(), node.reboot(), node.reboot()]
    assert [boot.wants_reboot for boot in boots] == [True, True, False, False]
    assert not any(boot.kubelet_started for boot in boots)
    assert "MIG mode is still pending after 2 reboots" in boots[2].output


@pytest.mark.parametrize("counted", ["", "many\n"])
def test_a_count_of_reboots_that_cannot_be_read_ends_them(tmp_path: Path, counted: str) -> None:
    node = machine(tmp_path, a_gpu())
    node.file(REBOOTS).parent.mkdir(parents=True)
    node.file(REBOOTS).write_text(counted)
    boot = node.first_boot(user_data())
    assert (boot.kubelet_started, boot.wants_reboot) == (False, False)


def test_a_reboot_that_cannot_be_counted_does_not_happen(tmp_path: Path) -> None:
    node = machine(tmp_path, a_gpu())
    node.file("/var").write_text("a file where a folder should be")
    boot = node.first_boot(user_data())
    assert (boot.kubelet_started, boot.wants_reboot) == (False, False)
    assert "cannot write" in boot.output


def test_a_driver_without_cards_is_waited_for_and_then_given_up(tmp_path: Path) -> None:
    node = machine(tmp_path)
    boot = node.first_boot(user_data())
    assert not boot.kubelet_started
    assert "the driver shows no cards after 30 tries" in boot.output
    assert len(boot.calls) == 30


def test_a_lost_layout_keeps_the_kubelet_away(tmp_path: Path) -> None:
    node = machine(tmp_path, a_gpu("H100-80GB"))
    assert node.first_boot(user_data(cards=[H100])).kubelet_started
    node.file(LAYOUT).unlink()
    assert not node.reboot().kubelet_started


def test_the_pools_own_script_runs_before_a_reboot_can_cut_it_short(tmp_path: Path) -> None:
    node = machine(tmp_path, a_gpu())
    pool_script = f'#!/bin/sh\ntest ! -e {tmp_path}/rebooting && touch "{tmp_path}/own"\n'
    assert node.first_boot(user_data(node_class={"shell": pool_script})).wants_reboot
    assert (tmp_path / "own").exists()


def test_a_node_obeys_no_containers_variable_from_its_first_boot_on(tmp_path: Path) -> None:
    node = machine(tmp_path, in_mig_mode("A100-80GB", *[("1g.10gb", 19)] * 7))
    node.first_boot(user_data())
    node.reboot()
    runtime_config = node.file("/etc/nvidia-container-runtime/config.toml").read_text()
    assert runtime_config == "accept-nvidia-visible-devices-envvar-when-unprivileged = false\n"
