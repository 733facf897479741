from gpuplatform.analysis.mig import Layout, NodeEntry, node_faults
from gpuplatform.catalog.mig import geometries
from gpuplatform.faults import Fault

CARD = geometries()["A100-40GB"]
SEVEN = Layout.of({"1g.5gb": 7})


def faults(*entries: tuple[tuple[int, ...] | None, Layout | None], devices: int = 8) -> list[Fault]:
    listed = [NodeEntry(f"mig-configs.mixed[{i}]", which, layout) for i, (which, layout) in enumerate(entries)]
    return node_faults("mig-configs.mixed", devices, listed, CARD)


def test_one_entry_for_all_devices_covers_a_node() -> None:
    assert faults((None, SEVEN)) == []


def test_entries_that_share_the_devices_out_cover_a_node() -> None:
    assert faults(((0, 1, 2, 3), SEVEN), ((4, 5, 6, 7), None)) == []


def test_a_device_that_no_entry_names_is_a_fault_of_the_configuration() -> None:
    (fault,) = faults(((0, 1, 2, 3), SEVEN), ((4, 5, 6), None))
    assert fault.path == "mig-configs.mixed"
    assert fault.given == "no entry for device 7 of 8"
    assert "has one configuration only" in fault.allowed


def test_device_8_of_8_is_not_there() -> None:
    (fault,) = faults(((0, 1, 2, 3, 4, 5, 6, 7, 8), SEVEN))
    assert fault.path == "mig-configs.mixed[0].devices"
    assert fault.given == "device 8 of 8"
    assert "0 to 7" in fault.allowed


def test_a_negative_device_is_not_there() -> None:
    (fault,) = faults((None, SEVEN), ((-1,), None))
    assert fault.given == "device -1 of 8"


def test_a_device_in_two_entries_is_a_fault_of_the_second() -> None:
    (fault,) = faults((None, SEVEN), ((2, 3), None))
    assert fault.path == "mig-configs.mixed[1].devices"
    assert fault.given == "devices 2, 3 again, already covered by mig-configs.mixed[0]"


def test_a_device_named_twice_in_one_entry_is_one_fault() -> None:
    (fault,) = faults(((0, 0, 0, 1), SEVEN), devices=2)
    assert fault.given.startswith("device 0 again")


def test_every_impossible_layout_of_a_node_is_a_fault_of_its_entry() -> None:
    node_faults_ = faults(((0,), Layout.of({"2g.10gb": 4})), ((1,), Layout.of({"3g.40gb": 1})), devices=2)
    assert [fault.path for fault in node_faults_] == [
        "mig-configs.mixed[0].mig-devices",
        "mig-configs.mixed[1].mig-devices",
    ]
