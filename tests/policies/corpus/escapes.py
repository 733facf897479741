"""Ways to use cards without a request: variables, the node's files, privileges, and administrators' claims."""

from __future__ import annotations

from policies.rules.device_claims import CLAIM_WITHOUT_ADMIN_ACCESS, TENANT_WITHOUT_ADMIN_ACCESS
from policies.rules.operator_values import OPERATOR_CARDS_BY_REQUEST
from policies.rules.pods.devices import ENVIRONMENT_WITHOUT_CARDS, POD_CARDS_BY_REQUEST
from policies.rules.pods.host import POD_OFF_HOST, POD_UNPRIVILEGED
from tests.policies.documents import Document, a_claim, a_claim_template, a_namespace, but, the_operator
from tests.policies.harness import Case, case
from tests.policies.pod_documents import a_config_map, a_deployment, a_secret

POD = ("spec", "template", "spec")
MAIN = (*POD, "containers", 0)
_DEVICES, _CAPABILITIES = "NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES"
_FROM_CONFIG = {"configMapKeyRef": {"name": "cards", "key": "which"}}


def with_variable(name: str, **rest: object) -> Document:
    """The server with one variable."""
    return but(a_deployment(), *MAIN, "env", [{"name": name, **rest}])


def _preparing(**container: object) -> Document:
    """The server with a container that prepares."""
    return but(
        a_deployment(), *POD, "initContainers", [{"name": "prepare", "image": "registry.example/it:1", **container}]
    )


CASES: tuple[Case, ...] = (
    *(
        case(
            POD_CARDS_BY_REQUEST,
            f"{_DEVICES}={value}",
            with_variable(_DEVICES, value=value),
            f"spec.template.spec.containers[0].env[0].value: given {_DEVICES}={value!r}",
            "ask for cards in resources.limits",
        )
        for value in ("all", "0", "GPU-8f6d3b1c", "void,all", "$(CARDS)", " none")
    ),
    *(
        case(
            POD_CARDS_BY_REQUEST,
            f"{_CAPABILITIES}={value}",
            with_variable(_CAPABILITIES, value=value),
            "name what is needed",
        )
        for value in ("all", "compute, all")
    ),
    *(
        case(
            POD_CARDS_BY_REQUEST,
            f"{name} from another object",
            with_variable(name, valueFrom=_FROM_CONFIG),
            "env[0].valueFrom",
        )
        for name in (_DEVICES, _CAPABILITIES)
    ),
    case(
        POD_CARDS_BY_REQUEST,
        "while it prepares",
        _preparing(env=[{"name": _DEVICES, "value": "all"}]),
        "initContainers[0].env[0].value",
    ),
    *(
        case(
            POD_CARDS_BY_REQUEST,
            f"the prefix {prefix}",
            but(a_deployment(), *MAIN, "envFrom", [{"prefix": prefix, "configMapRef": {"name": "it"}}]),
            f"envFrom[0].prefix: given {prefix!r}",
        )
        for prefix in ("NVIDIA_", "N", _DEVICES)
    ),
    *(
        case(
            ENVIRONMENT_WITHOUT_CARDS, f"{key} in a ConfigMap", but(a_config_map(), "data", key, "all"), f"data[{key}]"
        )
        for key in (_DEVICES, _CAPABILITIES)
    ),
    case(ENVIRONMENT_WITHOUT_CARDS, "in a Secret", but(a_secret(), "data", _DEVICES, "YWxs"), f"data[{_DEVICES}]"),
    case(
        ENVIRONMENT_WITHOUT_CARDS,
        "in a Secret as plain text",
        but(a_secret(), "stringData", {_DEVICES: "all"}),
        f"stringData[{_DEVICES}]",
    ),
    *(
        case(
            POD_OFF_HOST,
            f"the path {path}",
            but(a_deployment(), *POD, "volumes", [{"name": "host", "hostPath": {"path": path}}]),
            f"volumes[0].hostPath: given {path!r}",
            "use emptyDir",
        )
        for path in ("/dev", "/")
    ),
    *(
        case(
            POD_OFF_HOST,
            field,
            but(a_deployment(), *POD, field, True),
            f"spec.template.spec.{field}",
            f"remove {field}",
        )
        for field in ("hostNetwork", "hostPID", "hostIPC")
    ),
    case(
        POD_UNPRIVILEGED,
        "privileged",
        but(a_deployment(), *MAIN, "securityContext", {"privileged": True}),
        "containers[0].securityContext.privileged: given true",
    ),
    case(
        POD_UNPRIVILEGED,
        "privileged while it prepares",
        _preparing(securityContext={"privileged": True}),
        "initContainers[0].securityContext.privileged",
    ),
    *(
        case(
            POD_UNPRIVILEGED,
            f"with {capability}",
            but(a_deployment(), *MAIN, "securityContext", {"capabilities": {"add": ["NET_BIND_SERVICE", capability]}}),
            f"capabilities.add[1]: given {capability!r}",
        )
        for capability in ("SYS_ADMIN", "CAP_SYS_ADMIN", "sys_admin", "ALL")
    ),
    case(
        CLAIM_WITHOUT_ADMIN_ACCESS,
        "by a template",
        but(a_claim_template(), "spec", "spec", "devices", "requests", 0, "exactly", "adminAccess", True),
        "spec.spec.devices.requests[0].exactly.adminAccess",
        "remove adminAccess",
    ),
    case(
        CLAIM_WITHOUT_ADMIN_ACCESS,
        "by a claim",
        but(a_claim(), "spec", "devices", "requests", 0, "exactly", "adminAccess", True),
        "spec.devices.requests[0].exactly.adminAccess",
    ),
    case(
        CLAIM_WITHOUT_ADMIN_ACCESS,
        "by a claim of an older version",
        but(
            but(
                a_claim(),
                "spec",
                "devices",
                "requests",
                [{"name": "card", "deviceClassName": "a", "adminAccess": True}],
            ),
            "apiVersion",
            "resource.k8s.io/v1beta1",
        ),
        "spec.devices.requests[0].adminAccess",
    ),
    case(
        TENANT_WITHOUT_ADMIN_ACCESS,
        "the label",
        but(a_namespace(), "metadata", "labels", "resource.kubernetes.io/admin-access", "true"),
        "remove the label",
    ),
    case(
        OPERATOR_CARDS_BY_REQUEST,
        "without CDI",
        but(the_operator(), "values", "cdi", {"enabled": False}),
        "set cdi.enabled: true",
    ),
    *(
        case(
            OPERATOR_CARDS_BY_REQUEST,
            f"by {strategy}",
            but(the_operator(), "values", "devicePlugin", "env", [{"name": "DEVICE_LIST_STRATEGY", "value": strategy}]),
            f"devicePlugin.env[0].value: given {strategy!r}",
            "remove DEVICE_LIST_STRATEGY",
        )
        for strategy in ("envvar", "volume-mounts", "envvar,cdi-cri")
    ),
)
