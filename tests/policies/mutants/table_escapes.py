"""Fields by which a pod would take cards that it did not ask for."""

from __future__ import annotations

from policies.reads import Path
from policies.rules.tenancy import is_tenant
from policies.subject import CONFIG_MAP, NAMESPACE, RELEASE, RESOURCE_CLAIM, RESOURCE_CLAIM_TEMPLATE, SECRET, Subject
from policies.workloads import WORKLOAD_KINDS, is_platforms
from tests.policies.mutants.breaking import Way
from tests.policies.mutants.table import Judge, Row, right, row

REMOVED, VALUE, TYPE = Way.REMOVED, Way.VALUE, Way.TYPE
ANY = WORKLOAD_KINDS
_POD = "spec.template.spec"
_MAIN = f"{_POD}.containers[]"
_CLAIMS = (RESOURCE_CLAIM, RESOURCE_CLAIM_TEMPLATE)
_PLACED = (CONFIG_MAP, SECRET, *_CLAIMS)
_LABEL = "metadata.labels[resource.kubernetes.io/admin-access]"


def _of_a_team(subject: Subject, _: Path) -> bool:
    return not is_platforms(subject)


def _of_the_operator(subject: Subject, _: Path) -> bool:
    return subject.body.get("chart") == "gpu-operator"


def _tenant(subject: Subject, _: Path) -> bool:
    return is_tenant(subject)


POD_ROWS: tuple[Row, ...] = (
    row(
        ANY,
        f"{_MAIN}.env",
        "pod-cards-by-request",
        VALUE,
        values=([{"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"}],),
    ),
    right(ANY, f"{_MAIN}.env*", "what else it is started with", REMOVED, VALUE),
    row(
        ANY,
        f"{_MAIN}.envFrom",
        "pod-cards-by-request",
        VALUE,
        values=([{"prefix": "NVIDIA_", "configMapRef": {"name": "it"}}],),
    ),
    row(ANY, f"{_MAIN}.securityContext", "pod-unprivileged", VALUE, values=({"privileged": True},)),
    row(
        ANY,
        f"{_MAIN}.securityContext",
        "pod-unprivileged",
        VALUE,
        values=({"capabilities": {"add": ["SYS_ADMIN"]}},),
    ),
    right(ANY, f"{_MAIN}.securityContext*", "the namespace's level says what must be there", REMOVED),
    row(ANY, f"{_MAIN}.securityContext.privileged", "pod-unprivileged", VALUE, TYPE, values=(True,)),
    row(ANY, f"{_MAIN}.securityContext.capabilities.add", "pod-unprivileged", VALUE, values=(["ALL"],)),
    *(
        row(ANY, f"{_POD}.{field}", "pod-off-host", VALUE, values=(True,))
        for field in ("hostNetwork", "hostPID", "hostIPC")
    ),
    row(
        ANY,
        f"{_POD}.volumes",
        "pod-off-host",
        VALUE,
        values=([{"name": "dev", "hostPath": {"path": "/dev"}}],),
    ),
    right(ANY, f"{_POD}.volumes*", "the pod's own files", REMOVED),
    row(ANY, f"{_POD}.volumes*", Judge.API_SERVER, TYPE),
    row(ANY, f"{_POD}.volumes[].hostPath", "pod-off-host", VALUE, values=({"path": "/dev"},)),
)

ROWS: tuple[Row, ...] = (
    *POD_ROWS,
    *(
        row((CONFIG_MAP, SECRET), f"data.{name}", "environment-without-cards", VALUE, where=_of_a_team)
        for name in ("NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES")
    ),
    row(
        SECRET,
        "stringData",
        "environment-without-cards",
        VALUE,
        values=({"NVIDIA_VISIBLE_DEVICES": "all"},),
    ),
    right(_PLACED, "metadata.namespace", "whoever applies it says where", REMOVED, VALUE),
    row((CONFIG_MAP, RESOURCE_CLAIM_TEMPLATE), "metadata.namespace", Judge.SCHEMA, TYPE),
    row((SECRET, RESOURCE_CLAIM), "metadata.namespace", Judge.API_SERVER, TYPE),
    right((SECRET,), "data", "a secret may be empty", REMOVED),
    row((SECRET,), "data", Judge.API_SERVER, TYPE),
    *(
        row(_CLAIMS, f"{spec}.devices.requests[].{field}", "claim-without-admin-access", VALUE, values=(True,))
        for spec in ("spec", "spec.spec")
        for field in ("exactly.adminAccess", "adminAccess")
    ),
    row(NAMESPACE, _LABEL, "tenant-without-admin-access", VALUE, values=("true",), where=_tenant),
    row(RELEASE, "values.cdi.enabled", "operator-cards-by-request", TYPE, VALUE, values=(False,)),
    right(RELEASE, "values.cdi*", "CDI is the chart's default", REMOVED),
    row(
        RELEASE,
        "values.devicePlugin.env",
        "operator-cards-by-request",
        VALUE,
        values=([{"name": "DEVICE_LIST_STRATEGY", "value": "envvar"}],),
        where=_of_the_operator,
    ),
)
