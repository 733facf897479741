"""Label, annotation, tag and taint keys that this platform reads or writes, beside the label standard in ``labels``.

Most belong to Kubernetes, Karpenter, NVIDIA and AWS; the last ones are the platform's own.
"""

# Kubernetes well-known labels (kubernetes.io/docs/reference/labels-annotations-taints).
ARCHITECTURE = "kubernetes.io/arch"
HOSTNAME = "kubernetes.io/hostname"
INSTANCE_TYPE = "node.kubernetes.io/instance-type"
NAMESPACE_NAME = "kubernetes.io/metadata.name"
OPERATING_SYSTEM = "kubernetes.io/os"
REGION = "topology.kubernetes.io/region"
ZONE = "topology.kubernetes.io/zone"

# Storage classes (kubernetes.io/docs/reference/labels-annotations-taints).
DEFAULT_STORAGE_CLASS = "storageclass.kubernetes.io/is-default-class"

# Pod Security admission (kubernetes.io/docs/concepts/security/pod-security-admission).
POD_SECURITY_ENFORCE = "pod-security.kubernetes.io/enforce"
POD_SECURITY_ENFORCE_VERSION = "pod-security.kubernetes.io/enforce-version"
POD_SECURITY_WARN = "pod-security.kubernetes.io/warn"

# Dynamic resource allocation (k8s.io/api v0.35.4, resource/v1/types.go: DRAAdminNamespaceLabelKey).
DEVICE_ADMIN_ACCESS = "resource.kubernetes.io/admin-access"
"""On a namespace: ``true`` lets its claims request devices that other pods hold."""

# Recommended application labels (kubernetes.io/docs/concepts/overview/working-with-objects/common-labels).
APP_COMPONENT = "app.kubernetes.io/component"
APP_INSTANCE = "app.kubernetes.io/instance"
APP_NAME = "app.kubernetes.io/name"
MANAGED_BY = "app.kubernetes.io/managed-by"
PART_OF = "app.kubernetes.io/part-of"

# Karpenter v1.14 (aws/karpenter-provider-aws pkg/apis/v1/labels.go).
CAPACITY_TYPE = "karpenter.sh/capacity-type"
DISCOVERY = "karpenter.sh/discovery"
DO_NOT_DISRUPT = "karpenter.sh/do-not-disrupt"
NODEPOOL = "karpenter.sh/nodepool"
NODE_CLAIM = "karpenter.sh/nodeclaim"
NODE_CLASS = "karpenter.k8s.aws/ec2nodeclass"
INSTANCE_PREFIX = "karpenter.k8s.aws/instance-"
INSTANCE_ACCELERATOR_COUNT = "karpenter.k8s.aws/instance-accelerator-count"
INSTANCE_ACCELERATOR_MANUFACTURER = "karpenter.k8s.aws/instance-accelerator-manufacturer"
INSTANCE_ACCELERATOR_NAME = "karpenter.k8s.aws/instance-accelerator-name"
INSTANCE_CATEGORY = "karpenter.k8s.aws/instance-category"
INSTANCE_CPU = "karpenter.k8s.aws/instance-cpu"
INSTANCE_FAMILY = "karpenter.k8s.aws/instance-family"
INSTANCE_GENERATION = "karpenter.k8s.aws/instance-generation"
INSTANCE_GPU_PREFIX = "karpenter.k8s.aws/instance-gpu-"
INSTANCE_GPU_COUNT = "karpenter.k8s.aws/instance-gpu-count"
INSTANCE_GPU_MANUFACTURER = "karpenter.k8s.aws/instance-gpu-manufacturer"
INSTANCE_GPU_MEMORY = "karpenter.k8s.aws/instance-gpu-memory"
INSTANCE_GPU_NAME = "karpenter.k8s.aws/instance-gpu-name"
INSTANCE_LOCAL_NVME = "karpenter.k8s.aws/instance-local-nvme"
INSTANCE_MEMORY = "karpenter.k8s.aws/instance-memory"
INSTANCE_NETWORK_BANDWIDTH = "karpenter.k8s.aws/instance-network-bandwidth"
INSTANCE_SIZE = "karpenter.k8s.aws/instance-size"
CRITICAL_ADDONS_ONLY = "CriticalAddonsOnly"

RUNTIME_LABELS = frozenset(
    {
        "beta.kubernetes.io/arch",
        "beta.kubernetes.io/instance-type",
        "beta.kubernetes.io/os",
        "failure-domain.beta.kubernetes.io/region",
        "failure-domain.beta.kubernetes.io/zone",
        "karpenter.k8s.aws/capacity-reservation-id",
        "karpenter.k8s.aws/capacity-reservation-interruptible",
        "karpenter.k8s.aws/capacity-reservation-type",
        NODE_CLASS,
        "karpenter.k8s.aws/instance-capability-flex",
        "karpenter.k8s.aws/instance-cpu-manufacturer",
        "karpenter.k8s.aws/instance-cpu-sustained-clock-speed-mhz",
        "karpenter.k8s.aws/instance-ebs-bandwidth",
        "karpenter.k8s.aws/instance-encryption-in-transit-supported",
        "karpenter.k8s.aws/instance-hypervisor",
        "karpenter.k8s.aws/instance-tenancy",
        "karpenter.k8s.aws/placement-group-id",
        "karpenter.k8s.aws/placement-group-partition",
        "karpenter.sh/initialized",
        "karpenter.sh/registered",
        "topology.k8s.aws/zone-id",
    }
)
"""Labels of nodes (Karpenter's, and Kubernetes' old names) whose values are known at run time only."""

# NVIDIA GPU Operator v26.7 and GPU Feature Discovery. The instructions are set by the platform; every other
# label under the feature-discovery prefix is written by NVIDIA's software and never by hand.
MIG_CONFIG = "nvidia.com/mig.config"
MIG_CONFIG_STATE = "nvidia.com/mig.config.state"
"""The state that the MIG manager reports: success, pending, failed."""
DEVICE_PLUGIN_CONFIG = "nvidia.com/device-plugin.config"
FEATURE_DISCOVERY_PREFIX = "nvidia.com/gpu."
FEATURE_DISCOVERY = (FEATURE_DISCOVERY_PREFIX, "nvidia.com/cuda.", "nvidia.com/mig.capable", "nvidia.com/mig.strategy")
"""Beginnings of the labels that GPU Feature Discovery writes once a node is up (NVIDIA/k8s-device-plugin v0.20.0
docs/gpu-feature-discovery)."""
OPERANDS_PREFIX = "nvidia.com/gpu.deploy."
"""Labels by which the operator selects nodes for its operands."""
OPERANDS = "nvidia.com/gpu.deploy.operands"
"""``false`` keeps every operand of the operator off a node. It is read and never written by the operator, which strips
the label of a single operand from a node that it has not labelled yet (controllers/state_manager.go)."""
GPU_PRODUCT = "nvidia.com/gpu.product"
GPU_TAINT = "nvidia.com/gpu"

# Amazon EKS, on the nodes of its managed node groups (docs.aws.amazon.com/eks, Managed node groups).
NODE_GROUP = "eks.amazonaws.com/nodegroup"
NODE_GROUP_MARKET = "eks.amazonaws.com/capacityType"

# Tags of AWS resources that controllers find: subnets of load balancers (kubernetes-sigs/aws-load-balancer-controller,
# deploy/subnet_discovery), subnets of pods (aws/amazon-vpc-cni-k8s README), and the owning cluster.
INTERNAL_LOAD_BALANCER = "kubernetes.io/role/internal-elb"
PUBLIC_LOAD_BALANCER = "kubernetes.io/role/elb"
POD_SUBNET = "kubernetes.io/role/cni"
CLUSTER_PREFIX = "kubernetes.io/cluster/"

# Annotations of AWS load balancers (kubernetes-sigs/aws-load-balancer-controller v2, guide/service and guide/ingress);
# without the controller a Service's load balancer is public by itself.
SERVICE_SCHEME = "service.beta.kubernetes.io/aws-load-balancer-scheme"
SERVICE_INTERNAL = "service.beta.kubernetes.io/aws-load-balancer-internal"
"""The annotation before the scheme, still read where there is no scheme."""
INGRESS_SCHEME = "alb.ingress.kubernetes.io/scheme"
INGRESS_CLASS = "kubernetes.io/ingress.class"

# AWS Neuron device plugin's taint and resource share this key.
NEURON_TAINT = "aws.amazon.com/neuron"

# Pulumi's Kubernetes provider: the condition that a resource waits for.
PULUMI_WAIT_FOR = "pulumi.com/waitFor"

# Helm v3 (pkg/kube/resource_policy.go): marks objects that Helm keeps when it uninstalls a release.
HELM_RESOURCE_POLICY = "helm.sh/resource-policy"

# Kueue v0.19 (apis/kueue/v1beta2, pkg/controller/constants).
QUEUE_NAME = "kueue.x-k8s.io/queue-name"
QUEUE_PRIORITY = "kueue.x-k8s.io/priority-class"

# The platform's own, beside the label standard.
NODE_ROLE = "node-role"
"""On the system nodes: ``system``."""
POOL = "gpu-platform/pool"
"""On EC2 instances and volumes, as a tag: the pool that they belong to."""
EFA = "gpu-platform/efa"
"""``true`` on the nodes of pools with EFA interfaces: EFA's device plugin exits with an error on every other node
(aws/eks-charts#1239)."""

# Tenancy, from the operations guide.
TEAM = "team"
ENVIRONMENT = "env"
SCHEDULING = "gpu-platform/scheduling"
"""On a team's namespace: ``queued`` or ``serving``."""
