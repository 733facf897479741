"""The five boards: fleet, pools, teams, health of cards, cost."""

from __future__ import annotations

from gpuplatform.render.monitoring import recording
from gpuplatform.render.monitoring.names import ASKING, grown
from gpuplatform.render.monitoring.panels import Board, Panel, Unit, Variable

_MODEL = Variable("model", recording.PAID_CARDS, "gpu_model")
_PURPOSE = Variable("purpose", recording.PAID_CARDS, "gpu_pool")
_NODEPOOL = Variable("nodepool", recording.PAID_CARDS, "nodepool")
_NAMESPACE = Variable("namespace", recording.ALLOCATED_CARDS, "namespace")
_CHOSEN = '{gpu_model=~"$model",gpu_pool=~"$purpose"}'
_OF_NODEPOOL = '{nodepool=~"$nodepool"}'
_OF_TEAM = '{namespace=~"$namespace"}'
_CARDS_OF_TEAM = 'resource=~"requests.nvidia.com/.*",namespace=~"$namespace"'

BOARDS: tuple[Board, ...] = (
    Board(
        "gpu-fleet",
        "GPU fleet",
        "Every card of the cluster: paid for, allocated to pods, busy.",
        (_MODEL, _PURPOSE),
        (
            Panel(
                "Cards paid for",
                "Cards of running nodes, by model.",
                Unit.CARDS,
                f"sum by (gpu_model) ({recording.PAID_CARDS}{_CHOSEN})",
                "{{gpu_model}}",
            ),
            Panel(
                "Cards in use",
                "Cards allocated to pods; a slice or share counts as a fraction of its card.",
                Unit.CARDS,
                f"sum by (gpu_model) ({recording.ALLOCATED_CARDS}{_CHOSEN})",
                "{{gpu_model}}",
            ),
            Panel(
                "Time at work",
                "Fraction of the time in which a card's engine is busy; slices are measured one by one.",
                Unit.RATIO,
                f"avg by (gpu_model, gpu_pool) ({recording.USE}{_CHOSEN})",
                "{{gpu_model}} {{gpu_pool}}",
            ),
            Panel(
                "Pods that wait for cards",
                "Unschedulable pods that ask for cards, by namespace.",
                Unit.COUNT,
                f"sum by (namespace) (kube_pod_status_unschedulable and on (namespace, pod) {ASKING})",
                "{{namespace}}",
            ),
        ),
    ),
    Board(
        "gpu-pools",
        "GPU pools",
        "Ceilings, launches, interruptions and budgets of each NodePool.",
        (_NODEPOOL,),
        (
            Panel(
                "Part of the ceiling in use",
                "GpuPoolNearCeiling fires above 90 % for 15 minutes.",
                Unit.RATIO,
                'sum by (nodepool) (karpenter_nodepools_usage{nodepool=~"$nodepool",resource_type=~"nvidia.com/.*"})'
                " / sum by (nodepool)"
                ' (karpenter_nodepools_limit{nodepool=~"$nodepool",resource_type=~"nvidia.com/.*"})',
                "{{nodepool}}",
            ),
            Panel(
                "Launches that failed",
                "By AWS's error code, zone and market.",
                Unit.COUNT,
                grown("karpenter_cloudprovider_instance_launch_failures_total", "reason, zone, capacity_type", "15m"),
                "{{reason}} {{zone}} {{capacity_type}}",
            ),
            Panel(
                "Nodes that may be disrupted now",
                "Nodes that the budgets allow Karpenter to disrupt at this moment, by reason.",
                Unit.COUNT,
                f"sum by (nodepool, reason) (karpenter_nodepools_allowed_disruptions{_OF_NODEPOOL})",
                "{{nodepool}} {{reason}}",
            ),
            Panel(
                "Nodes disrupted",
                "By reason; Karpenter decides on drift and consolidation, AWS on interruptions.",
                Unit.COUNT,
                grown(f"karpenter_nodeclaims_disrupted_total{_OF_NODEPOOL}", "nodepool, reason", "1h"),
                "{{nodepool}} {{reason}}",
            ),
            Panel(
                "Interruption messages",
                "Notices of AWS about spot nodes that it takes back, and about other events.",
                Unit.COUNT,
                grown("karpenter_interruption_received_messages_total", "message_type", "1h"),
                "{{message_type}}",
            ),
        ),
    ),
    Board(
        "gpu-teams",
        "GPU teams",
        "Cards allocated to each namespace, and how busy they are.",
        (_NAMESPACE, _MODEL),
        (
            Panel(
                "Cards held",
                "By namespace; a slice or share counts as a fraction of its card.",
                Unit.CARDS,
                f'sum by (namespace) ({recording.ALLOCATED_CARDS}{{namespace=~"$namespace",gpu_model=~"$model"}})',
                "{{namespace}}",
            ),
            Panel(
                "Time at work",
                "Of the cards that are allocated to a namespace's pods.",
                Unit.RATIO,
                f"avg by (namespace) (DCGM_FI_PROF_GR_ENGINE_ACTIVE{_OF_TEAM})",
                "{{namespace}}",
            ),
            Panel(
                "Memory used",
                "Of the cards that are allocated to a namespace's pods.",
                Unit.MEBIBYTES,
                f"sum by (namespace) (DCGM_FI_DEV_FB_USED{_OF_TEAM})",
                "{{namespace}}",
            ),
            Panel(
                "Quota in use",
                "Cards and slices in use, as a fraction of the namespace's quota.",
                Unit.RATIO,
                f'sum by (namespace, resource) (kube_resourcequota{{type="used",{_CARDS_OF_TEAM}}})'
                f' / sum by (namespace, resource) (kube_resourcequota{{type="hard",{_CARDS_OF_TEAM}}} > 0)',
                "{{namespace}} {{resource}}",
            ),
            Panel(
                "Work that waits in queues",
                "Active: waits for its turn; inadmissible: asks for more than its queue can have.",
                Unit.COUNT,
                "sum by (cluster_queue, status) (kueue_pending_workloads)",
                "{{cluster_queue}} {{status}}",
            ),
        ),
    ),
    Board(
        "gpu-health",
        "GPU health",
        "Errors, memory rows, temperature and power of single cards.",
        (_NODEPOOL, _MODEL),
        (
            Panel(
                "XIDs of the last five minutes",
                "By code; the program usually causes 13, 31, 43 and 45.",
                Unit.COUNT,
                f"sum by (node, gpu, xid) (DCGM_EXP_XID_ERRORS_COUNT{_OF_NODEPOOL})",
                "{{node}} {{gpu}} XID {{xid}}",
            ),
            Panel(
                "Temperature",
                "The hottest card of each NodePool.",
                Unit.CELSIUS,
                f"max by (nodepool) (DCGM_FI_DEV_GPU_TEMP{_OF_NODEPOOL})",
                "{{nodepool}}",
            ),
            Panel(
                "Power",
                "All cards of each NodePool.",
                Unit.WATT,
                f"sum by (nodepool) (DCGM_FI_DEV_POWER_USAGE{_OF_NODEPOOL})",
                "{{nodepool}}",
            ),
            Panel(
                "Rows that wait to be remapped",
                "Cards that need a reset.",
                Unit.COUNT,
                f"sum by (node, gpu) (DCGM_FI_DEV_ROW_REMAP_PENDING{_OF_NODEPOOL})",
                "{{node}} {{gpu}}",
            ),
            Panel(
                "Double-bit errors",
                "Within an hour.",
                Unit.COUNT,
                f"sum by (node, gpu) (increase(DCGM_FI_DEV_ECC_DBE_VOL_TOTAL{_OF_NODEPOOL}[1h]))",
                "{{node}} {{gpu}}",
            ),
        ),
    ),
    Board(
        "gpu-cost",
        "GPU cost",
        "US dollars an hour at list prices: paid, allocated, idle.",
        (_MODEL, _PURPOSE),
        (
            Panel(
                "Paid an hour",
                "Running nodes, by market.",
                Unit.USD,
                f"sum by (capacity_type) ({recording.PAID_USD}{_CHOSEN})",
                "{{capacity_type}}",
            ),
            Panel(
                "Idle an hour",
                "Paid for and allocated to no pod; pools whose cards are claimed (dra: true) are not measured.",
                Unit.USD,
                f"sum by (nodepool) ({recording.IDLE_USD}{_CHOSEN})",
                "{{nodepool}}",
            ),
            Panel(
                "Held by teams an hour",
                "Each card at its price on the cheapest node that has it.",
                Unit.USD,
                f"sum by (namespace) ({recording.ALLOCATED_USD}{_CHOSEN})",
                "{{namespace}}",
            ),
            Panel(
                "Card-hours of the last day",
                "By team and card.",
                Unit.CARDS,
                f"sum by (namespace, gpu_model) (sum_over_time({recording.ALLOCATED_CARDS}{_CHOSEN}[1d:1m])) / 60",
                "{{namespace}} {{gpu_model}}",
                is_table=True,
            ),
            Panel(
                "Dollars of the last day",
                "By team and market.",
                Unit.USD,
                f"sum by (namespace, capacity_type) (sum_over_time({recording.ALLOCATED_USD}{_CHOSEN}[1d:1m])) / 60",
                "{{namespace}} {{capacity_type}}",
                is_table=True,
            ),
        ),
    ),
)
