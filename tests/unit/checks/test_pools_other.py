import pytest

from gpuplatform.accept import examine
from gpuplatform.settings.source import Plain
from tests.builders import merged, paths, settings_object

CPU: dict[str, Plain] = {"name": "cpu", "instance_types": ["m7i.large", "m7i.8xlarge"], "ceiling_vcpus": 32}
NEURON: dict[str, Plain] = {"name": "neuron", "instance_types": ["inf2.xlarge", "inf2.24xlarge"], "ceiling_devices": 6}


@pytest.mark.parametrize(
    ("override", "path"),
    [
        ({}, None),
        ({"ceiling_vcpus": 31}, "cpu_pools[cpu].ceiling_vcpus"),
        ({"markets": ["reserved", "spot"]}, "cpu_pools[cpu].markets"),
        ({"disruption": {"time_zone": "Mars/Base"}}, "cpu_pools[cpu].disruption.time_zone"),
    ],
)
def test_a_cpu_pool_holds_one_node_buys_no_reservations_and_knows_its_time(
    override: dict[str, Plain], path: str | None
) -> None:
    assert paths(examine(settings_object(cpu_pools=[merged(CPU, override)])).faults) == ([] if path is None else [path])


@pytest.mark.parametrize(
    ("override", "path"),
    [
        ({}, None),
        ({"ceiling_devices": 5}, "neuron_pools[neuron].ceiling_devices"),
        ({"markets": ["reserved"]}, "neuron_pools[neuron].markets"),
        ({"disruption": {"time_zone": "Mars/Base"}}, "neuron_pools[neuron].disruption.time_zone"),
    ],
)
def test_a_neuron_pool_holds_one_node_buys_no_reservations_and_knows_its_time(
    override: dict[str, Plain], path: str | None
) -> None:
    raw = settings_object(neuron_pools=[merged(NEURON, override)])
    assert paths(examine(raw).faults) == ([] if path is None else [path])
