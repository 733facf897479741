import json

from gpuplatform.faults import Fault, Severity, errors, warning, warnings

WRONG = Fault("pools[serve].efa", '"yes"', "true or false", "write true")
ODD = warning("pools", "101 NodePools", "100 weights", "merge some")


def test_a_fault_reads_as_one_line() -> None:
    assert str(WRONG) == 'pools[serve].efa: given "yes"; allowed: true or false. Change: write true'


def test_a_fault_is_plain_data_for_json() -> None:
    assert json.loads(json.dumps(WRONG.as_json())) == {
        "path": "pools[serve].efa",
        "given": '"yes"',
        "allowed": "true or false",
        "change": "write true",
        "severity": "error",
    }
    assert ODD.as_json()["severity"] == "warning"


def test_a_fault_refuses_unless_it_is_a_warning() -> None:
    assert WRONG.severity is Severity.ERROR
    assert errors([ODD, WRONG, ODD]) == [WRONG]
    assert warnings([ODD, WRONG, ODD]) == [ODD, ODD]
