from gpuplatform.render.tenants import network_policies
from gpuplatform.settings.source import Plain
from tests.builders import a_namespace, a_tenant, some_settings
from tests.unit.render.reading import at, list_at


def policies(**namespace: Plain) -> dict[str, dict[str, object]]:
    (tenant,) = some_settings(tenants=[a_tenant(namespaces=[a_namespace(**namespace)])]).tenants
    return {
        str(at(network_policy, "metadata", "name")): dict(network_policy)
        for network_policy in network_policies(tenant.namespaces[0])
    }


def test_nothing_goes_in_or_out_but_what_is_allowed() -> None:
    by_name = policies()
    assert set(by_name) == {"default-deny", "allow-dns", "allow-same-namespace", "allow-https"}
    assert by_name["default-deny"]["spec"] == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
    assert at(by_name["allow-same-namespace"], "spec", "ingress") == [{"from": [{"podSelector": {}}]}]
    assert at(by_name["allow-same-namespace"], "spec", "egress") == [{"to": [{"podSelector": {}}]}]
    assert at(by_name["allow-https"], "spec", "egress") == [{"ports": [{"protocol": "TCP", "port": 443}]}]
    (dns,) = list_at(by_name["allow-dns"], "spec", "egress")
    assert dns["ports"] == [{"protocol": "UDP", "port": 53}, {"protocol": "TCP", "port": 53}]
    assert at(dns, "to", 0, "namespaceSelector", "matchLabels") == {"kubernetes.io/metadata.name": "kube-system"}


def test_whoever_has_buckets_reaches_the_agent_that_hands_out_credentials() -> None:
    by_name = policies(buckets=[{"name": "models", "access": "read"}])
    assert at(by_name["allow-pod-identity"], "spec") == {
        "podSelector": {},
        "policyTypes": ["Egress"],
        "egress": [
            {"to": [{"ipBlock": {"cidr": "169.254.170.23/32"}}], "ports": [{"protocol": "TCP", "port": 80}]},
        ],
    }


def test_an_exception_lets_one_namespace_in_by_its_ports_and_opens_no_way_out() -> None:
    by_name = policies(
        network=[{"name": "metrics", "direction": "in", "namespace": "monitoring", "ports": [8000, 8001]}]
    )
    assert at(by_name["allow-metrics"], "spec") == {
        "podSelector": {},
        "policyTypes": ["Ingress"],
        "ingress": [
            {
                "from": [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "monitoring"}}}],
                "ports": [{"protocol": "TCP", "port": 8000}, {"protocol": "TCP", "port": 8001}],
            }
        ],
    }


def test_an_exception_lets_pods_reach_one_network_and_opens_no_way_in() -> None:
    by_name = policies(network=[{"name": "store", "direction": "out", "cidr": "10.60.0.0/16", "ports": [6379]}])
    assert at(by_name["allow-store"], "spec") == {
        "podSelector": {},
        "policyTypes": ["Egress"],
        "egress": [{"to": [{"ipBlock": {"cidr": "10.60.0.0/16"}}], "ports": [{"protocol": "TCP", "port": 6379}]}],
    }
