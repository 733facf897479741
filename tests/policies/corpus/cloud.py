"""Ways to break the account's resources, the network, the order of NodePools, bindings and Karpenter's values."""

from __future__ import annotations

from policies.rules.bindings import BINDING_NAMED, BINDING_NARROW
from policies.rules.cluster import CLUSTER_ENDPOINT_PRIVATE
from policies.rules.identity import IAM_ACTIONS_NAMED, ROLE_TRUST_NAMED
from policies.rules.karpenter_values import KARPENTER_GATES_OPEN, KARPENTER_HEARS_INTERRUPTIONS
from policies.rules.network import LOAD_BALANCER_INTERNAL, SECURITY_GROUP_CLOSED, SUBNET_WITHOUT_PUBLIC_ADDRESSES
from policies.rules.node_groups import LAUNCH_TEMPLATE_METADATA, LAUNCH_TEMPLATE_VOLUMES
from policies.rules.tenant_limits import QUOTA_COMPLETE, TENANT_LIMIT_RANGE
from policies.rules.weights import SPOT_DIVERSE, WEIGHTS_DESCEND
from tests.policies.cloud_documents import (
    a_cluster_role,
    a_cluster_role_binding,
    a_launch_template,
    a_limit_range,
    a_load_balancer,
    a_policy,
    a_role_binding,
    a_subnet,
    an_aws_role,
    an_ingress_rule,
    karpenter,
)
from tests.policies.documents import (
    GONE,
    Document,
    a_chief_pool,
    a_cluster,
    a_mig_pool,
    a_namespace,
    a_pool,
    a_quota,
    an_overlay,
    but,
    layouts,
    requirement,
)
from tests.policies.harness import Case, case

_LINES = ("spec", "template", "spec", "requirements")
_PUBLIC = "service.beta.kubernetes.io/aws-load-balancer-scheme"


def _allows(**statement: object) -> Document:
    return a_policy({"Effect": "Allow", "Action": ["sqs:SendMessage"], "Resource": "arn:aws:sqs:x:y:z", **statement})


def _spot(zones: list[str], types: list[str]) -> Document:
    lines = [
        requirement("node.kubernetes.io/instance-type", "In", *types),
        requirement("karpenter.sh/capacity-type", "In", "spot"),
        requirement("topology.kubernetes.io/zone", "In", *zones),
    ]
    return but(a_pool(), *_LINES, lines)


_OLD = "service.beta.kubernetes.io/aws-load-balancer-internal"


def _an_ingress(of: str) -> Document:
    document: Document = {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": {"name": "chat"}}
    return {**document, "spec": {"ingressClassName": of}}


CASES: tuple[Case, ...] = (
    *(
        case(IAM_ACTIONS_NAMED, broken, document, *says)
        for broken, document, says in (
            ("every action", _allows(Action="*"), ("given '*'", "name the actions")),
            ("every action of a service", _allows(Action=["ec2:*"]), ("'ec2:*'",)),
            ("every resource", _allows(Resource="*"), ("every resource for sqs:SendMessage", "pricing:GetProducts")),
            ("all actions but one", _allows(NotAction="iam:*", Action=[]), ("NotAction",)),
            ("all resources but one", _allows(NotResource="arn:a"), ("name the resources",)),
            ("no text", but(a_policy(), "policy", "allow"), ("write the policy",)),
        )
    ),
    *(
        case(ROLE_TRUST_NAMED, broken, an_aws_role(principal), says)
        for broken, principal, says in (
            ("everybody", "*", "name the service"),
            ("an account", {"AWS": "111122223333"}, "name the service"),
            ("every service", {"Service": "*"}, "name the service"),
            (
                "pods and nodes",
                {"Service": ["pods.eks.amazonaws.com", "ec2.amazonaws.com"]},
                "a pod that can assume the node's role",
            ),
        )
    ),
    case(
        SUBNET_WITHOUT_PUBLIC_ADDRESSES, "a public one", but(a_subnet(), "mapPublicIpOnLaunch", True), "set it to false"
    ),
    case(SECURITY_GROUP_CLOSED, "open", but(an_ingress_rule(), "cidrIpv4", "0.0.0.0/0"), "name the network"),
    case(SECURITY_GROUP_CLOSED, "open by IPv6", but(an_ingress_rule(), "cidrIpv6", "::/0"), "cidrIpv6"),
    case(
        LOAD_BALANCER_INTERNAL,
        "one for the world",
        but(a_load_balancer(), "metadata", "annotations", _PUBLIC, "internet-facing"),
        "'internet-facing'",
        "internal",
    ),
    case(LOAD_BALANCER_INTERNAL, "not said", but(a_load_balancer(), "metadata", "annotations", GONE), "annotate it"),
    case(
        LOAD_BALANCER_INTERNAL,
        "an Ingress",
        {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": {"name": "chat"}},
        "alb.ingress.kubernetes.io/scheme: internal",
    ),
    case(
        LOAD_BALANCER_INTERNAL,
        "an Ingress of the controller, by its class",
        _an_ingress("alb"),
        "alb.ingress.kubernetes.io/scheme: internal",
    ),
    *(
        case(
            LOAD_BALANCER_INTERNAL,
            f"a Service of the class {name}",
            but(but(a_load_balancer(), "spec", "loadBalancerClass", name), "metadata", "annotations", GONE),
            "annotate it",
        )
        for name in ("service.k8s.aws/nlb", "eks.amazonaws.com/nlb")
    ),
    case(
        LOAD_BALANCER_INTERNAL,
        "internal in the old words and public in the new",
        but(a_load_balancer(), "metadata", "annotations", {_OLD: "true", _PUBLIC: "internet-facing"}),
        "'internet-facing'",
    ),
    case(
        LOAD_BALANCER_INTERNAL,
        "not internal in the old words",
        but(a_load_balancer(), "metadata", "annotations", {_OLD: "false"}),
        "annotate it",
    ),
    *(
        case(
            LAUNCH_TEMPLATE_METADATA, broken, but(a_launch_template(), "metadataOptions", field, value), f"set {field}"
        )
        for broken, field, value in (
            ("two hops", "httpPutResponseHopLimit", 2),
            ("hops not said", "httpPutResponseHopLimit", GONE),
            ("no token", "httpTokens", "optional"),
        )
    ),
    case(
        LAUNCH_TEMPLATE_VOLUMES,
        "a plain disk",
        but(a_launch_template(), "blockDeviceMappings", 0, "ebs", "encrypted", "false"),
        "set it to true",
    ),
    case(LAUNCH_TEMPLATE_VOLUMES, "no disk", but(a_launch_template(), "blockDeviceMappings", []), "add the root"),
    case(
        CLUSTER_ENDPOINT_PRIVATE,
        "from outside only",
        but(a_cluster(), "vpcConfig", "endpointPrivateAccess", False),
        "set endpointPrivateAccess to true",
    ),
    case(SPOT_DIVERSE, "one type", _spot(["a", "b"], ["g6.xlarge"]), "instance-type", "2 instance types or more"),
    case(SPOT_DIVERSE, "one zone", _spot(["a"], ["g6.xlarge", "g6.12xlarge"]), "zone", "add zones"),
    case(
        WEIGHTS_DESCEND,
        "two of one weight",
        [a_pool(), but(a_pool(), "metadata", "name", "serve-t4")],
        "serve-l4 accepts the same pods",
        "its own weight",
    ),
    case(TENANT_LIMIT_RANGE, "none", [a_namespace()], "add a LimitRange"),
    case(
        TENANT_LIMIT_RANGE,
        "no memory",
        [a_namespace(), but(a_limit_range(), "spec", "limits", 0, "default", GONE)],
        "default.memory",
    ),
    case(
        QUOTA_COMPLETE,
        "slices without a bound",
        [
            a_namespace(),
            but(a_quota(), "spec", "hard", "requests.nvidia.com/mig-1g.10gb", GONE),
            a_mig_pool(),
            layouts(),
        ],
        "spec.hard[requests.nvidia.com/mig-1g.10gb]",
        '"0" where the team may have none',
    ),
    case(BINDING_NAMED, "the whole cluster", but(a_role_binding(), "roleRef", "name", "cluster-admin"), "bind a role"),
    case(
        BINDING_NAMED,
        "everybody",
        but(a_role_binding(), "subjects", 0, "name", "system:authenticated"),
        "name who needs the role",
    ),
    case(
        BINDING_NAMED,
        "every account of a namespace",
        but(a_role_binding(), "subjects", 0, "name", "system:serviceaccounts:ml-serving"),
        "name who needs the role",
    ),
    *(
        case(
            BINDING_NARROW,
            broken,
            [but(a_cluster_role(), "rules", 0, part, [role_rule]), but(a_cluster_role_binding(), "subjects", 1, GONE)],
            f"subjects[0]: given 'ml-serving', who gets the ClusterRole node-reader (rules[0].{says})",
            "bind a Role of the namespace",
        )
        for broken, part, role_rule, says in (
            ("everything of an API group", "resources", "*", "resources: '*'"),
            ("every verb", "verbs", "*", "verbs: '*'"),
            ("every secret", "resources", "secrets", "resourceNames: nothing"),
        )
    ),
    *(
        case(
            BINDING_NARROW,
            f"a role of Kubernetes itself: {name}",
            but(but(a_role_binding(), "roleRef", "kind", "ClusterRole"), "roleRef", "name", name),
            f"who gets the ClusterRole {name}",
        )
        for name in ("admin", "edit")
    ),
    *(
        case(
            BINDING_NARROW,
            f"an account of a team, as {whom['kind']}",
            [
                a_namespace(),
                but(a_cluster_role(), "rules", 0, "verbs", ["*"]),
                but(a_cluster_role_binding(), "subjects", [whom]),
            ],
            f"subjects[0]: given '{whom['name']}'",
        )
        for whom in (
            {"kind": "ServiceAccount", "name": "serving", "namespace": "ml-serving"},
            {"kind": "User", "name": "system:serviceaccount:ml-serving:serving"},
        )
    ),
    case(
        KARPENTER_HEARS_INTERRUPTIONS,
        "no queue",
        but(karpenter(), "values", "settings", "interruptionQueue", ""),
        "name the queue",
    ),
    case(
        KARPENTER_GATES_OPEN,
        "overlays behind a closed gate",
        [but(karpenter(), "values", "settings", "featureGates", GONE), an_overlay()],
        "set nodeOverlay: true",
    ),
    case(
        KARPENTER_GATES_OPEN,
        "a static pool behind a closed gate",
        [but(karpenter(), "values", "settings", "featureGates", "staticCapacity", False), a_chief_pool()],
        "set staticCapacity: true",
    ),
)
