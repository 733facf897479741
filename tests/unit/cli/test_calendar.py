import json

from click.testing import CliRunner

from cli.main import main


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["calendar", *arguments])
    return result.exit_code, result.output


def test_the_chiefs_week_opens_on_sunday_night_in_seoul_and_on_saturday_in_utc() -> None:
    code, output = run("--stack", "dev", "--pool", "chief", "--week", "2027-W01")
    assert code == 0
    rows = {line.split("  ")[2]: line for line in output.splitlines() if line.startswith("    ")}
    assert rows["Sun 2027-01-10"], output
    seoul, utc = output.split("    UTC ")
    (sunday,) = [line for line in seoul.splitlines() if "Sun 2027-01-10" in line]
    assert sunday.split()[2:] == ["1" if hour in range(2, 6) else "0" for hour in range(24)]
    (saturday,) = [line for line in utc.splitlines() if "Sat 2027-01-09" in line]
    assert saturday.split()[2:] == ["1" if hour in range(17, 21) else "0" for hour in range(24)]
    assert "static: its nodes are never consolidated" in output


def test_json_has_every_nodepool_with_both_clocks_and_what_no_hour_shows() -> None:
    code, output = run("--stack", "dev", "--week", "2027-W01", "--format", "json")
    assert code == 0
    (chief,) = [node_pool for node_pool in json.loads(output)["node_pools"] if node_pool["pool"] == "chief"]
    opened = [stretch for stretch in chief["allowed"]["Drifted"] if stretch["nodes"]]
    assert [(stretch["from"], stretch["from_local"]) for stretch in opened] == [
        ("2027-01-09T17:00:00+00:00", "2027-01-10T02:00:00+09:00")
    ]
    (infer,) = [
        node_pool for node_pool in json.loads(output)["node_pools"] if node_pool["name"] == "infer-l4-24gb-spot"
    ]
    assert infer["remarks"] == [
        {"reasons": [], "says": "expiry ignores budgets: a node older than 336h is replaced at any time"}
    ]


def test_pools_and_weeks_that_there_are_not_are_named() -> None:
    code, output = run("--stack", "dev", "--pool", "chef")
    assert (code, "pools here: infer, " in output) == (2, True)
    for week in ("2027-1", "2027-W60", "0000-W01", "0001-W01", "1969-W52", "3000-W01", "9999-W52"):
        code, output = run("--stack", "dev", "--week", week)
        assert (code, "--week" in output) == (2, True), week
    for week in ("1970-W01", "2999-W52"):
        assert run("--stack", "dev", "--pool", "chief", "--week", week)[0] == 0
