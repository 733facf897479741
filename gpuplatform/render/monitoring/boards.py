"""The five boards: fleet, pools, teams, health of cards, cost."""

from __future__ import annotations

from gpuplatform.render.monitoring import recording
from gpuplatform.render.monitoring.names import ASKING, grown, selected
from gpuplatform.render.monitoring.panels import Board, Panel, Unit, Variable

# What a reader chooses at the top of a board, and the matchers that limit a series to the choice.
_MODEL = Variable("model", recording.PAID_CARDS, "gpu_model")
_PURPOSE = Variable("purpose", recording.PAID_CARDS, "gpu_pool")
_NODEPOOL = Variable("nodepool", recording.PAID_CARDS, "nodepool")
_NAMESPACE = Variable("namespace", recording.ALLOCATED_CARDS, "namespace")
_CHOSEN = '{gpu_model=~"$model",gpu_pool=~"$purpose"}'
_OF_NODEPOOL = '{nodepool=~"$nodepool"}'
_OF_TEAM = '{namespace=~"$namespace"}'
_OF_TEAM_AND_MODEL = '{namespace=~"$namespace",gpu_model=~"$model"}'
_CARDS_OF_NODEPOOL = ('nodepool=~"$nodepool"', 'resource_type=~"nvidia.com/.*"')
_CARDS_USED = selected("karpenter_nodepools_usage", *_CARDS_OF_NODEPOOL)
_CEILING = selected("karpenter_nodepools_limit", *_CARDS_OF_NODEPOOL)
_CARDS_OF_TEAM = ('resource=~"requests.nvidia.com/.*"', 'namespace=~"$namespace"')
_QUOTA_USED = selected("kube_resourcequota", 'type="used"', *_CARDS_OF_TEAM)
_QUOTA = selected("kube_resourcequota", 'type="hard"', *_CARDS_OF_TEAM)

_FLEET_BOARD = Board(
    uid="gpu-fleet",
    title="GPU fleet",
    description="Every card of the cluster: paid for, allocated to pods, busy.",
    variables=(_MODEL, _PURPOSE),
    panels=(
        Panel(
            title="Cards paid for",
            description="Cards of running nodes, by model.",
            unit=Unit.CARDS,
            expr=f"sum by (gpu_model) ({recording.PAID_CARDS}{_CHOSEN})",
            legend="{{gpu_model}}",
        ),
        Panel(
            title="Cards in use",
            description="Cards allocated to pods; a slice or share counts as a fraction of its card.",
            unit=Unit.CARDS,
            expr=f"sum by (gpu_model) ({recording.ALLOCATED_CARDS}{_CHOSEN})",
            legend="{{gpu_model}}",
        ),
        Panel(
            title="Time at work",
            description="Fraction of the time in which a card's engine is busy; slices are measured one by one.",
            unit=Unit.RATIO,
            expr=f"avg by (gpu_model, gpu_pool) ({recording.USE}{_CHOSEN})",
            legend="{{gpu_model}} {{gpu_pool}}",
        ),
        Panel(
            title="Pods that wait for cards",
            description="Unschedulable pods that ask for cards, by namespace.",
            unit=Unit.COUNT,
            expr=f"sum by (namespace) (kube_pod_status_unschedulable and on (namespace, pod) {ASKING})",
            legend="{{namespace}}",
        ),
    ),
)

_POOLS_BOARD = Board(
    uid="gpu-pools",
    title="GPU pools",
    description="Ceilings, launches, interruptions and budgets of each NodePool.",
    variables=(_NODEPOOL,),
    panels=(
        Panel(
            title="Part of the ceiling in use",
            description="GpuPoolNearCeiling fires above 90 % for 15 minutes.",
            unit=Unit.RATIO,
            expr=f"sum by (nodepool) ({_CARDS_USED}) / sum by (nodepool) ({_CEILING})",
            legend="{{nodepool}}",
        ),
        Panel(
            title="Launches that failed",
            description="By AWS's error code, zone and market.",
            unit=Unit.COUNT,
            expr=grown(
                "karpenter_cloudprovider_instance_launch_failures_total", by="reason, zone, capacity_type", window="15m"
            ),
            legend="{{reason}} {{zone}} {{capacity_type}}",
        ),
        Panel(
            title="Nodes that may be disrupted now",
            description="Nodes that the budgets allow Karpenter to disrupt at this moment, by reason.",
            unit=Unit.COUNT,
            expr=f"sum by (nodepool, reason) (karpenter_nodepools_allowed_disruptions{_OF_NODEPOOL})",
            legend="{{nodepool}} {{reason}}",
        ),
        Panel(
            title="Nodes disrupted",
            description="By reason; Karpenter decides on drift and consolidation, AWS on interruptions.",
            unit=Unit.COUNT,
            expr=grown(f"karpenter_nodeclaims_disrupted_total{_OF_NODEPOOL}", by="nodepool, reason", window="1h"),
            legend="{{nodepool}} {{reason}}",
        ),
        Panel(
            title="Interruption messages",
            description="Notices of AWS about spot nodes that it takes back, and about other events.",
            unit=Unit.COUNT,
            expr=grown("karpenter_interruption_received_messages_total", by="message_type", window="1h"),
            legend="{{message_type}}",
        ),
    ),
)

_TEAMS_BOARD = Board(
    uid="gpu-teams",
    title="GPU teams",
    description="Cards allocated to each namespace, and how busy they are.",
    variables=(_NAMESPACE, _MODEL),
    panels=(
        Panel(
            title="Cards held",
            description="By namespace; a slice or share counts as a fraction of its card.",
            unit=Unit.CARDS,
            expr=f"sum by (namespace) ({recording.ALLOCATED_CARDS}{_OF_TEAM_AND_MODEL})",
            legend="{{namespace}}",
        ),
        Panel(
            title="Time at work",
            description="Of the cards that are allocated to a namespace's pods.",
            unit=Unit.RATIO,
            expr=f"avg by (namespace) (DCGM_FI_PROF_GR_ENGINE_ACTIVE{_OF_TEAM})",
            legend="{{namespace}}",
        ),
        Panel(
            title="Memory used",
            description="Of the cards that are allocated to a namespace's pods.",
            unit=Unit.MEBIBYTES,
            expr=f"sum by (namespace) (DCGM_FI_DEV_FB_USED{_OF_TEAM})",
            legend="{{namespace}}",
        ),
        Panel(
            title="Quota in use",
            description="Cards and slices in use, as a fraction of the namespace's quota.",
            unit=Unit.RATIO,
            expr=f"sum by (namespace, resource) ({_QUOTA_USED}) / sum by (namespace, resource) ({_QUOTA} > 0)",
            legend="{{namespace}} {{resource}}",
        ),
        Panel(
            title="Work that waits in queues",
            description="Active: waits for its turn; inadmissible: asks for more than its queue can have.",
            unit=Unit.COUNT,
            expr="sum by (cluster_queue, status) (kueue_pending_workloads)",
            legend="{{cluster_queue}} {{status}}",
        ),
    ),
)

_HEALTH_BOARD = Board(
    uid="gpu-health",
    title="GPU health",
    description="Errors, memory rows, temperature and power of single cards.",
    variables=(_NODEPOOL, _MODEL),
    panels=(
        Panel(
            title="XIDs of the last five minutes",
            description="By code; the program usually causes 13, 31, 43 and 45.",
            unit=Unit.COUNT,
            expr=f"sum by (node, gpu, xid) (DCGM_EXP_XID_ERRORS_COUNT{_OF_NODEPOOL})",
            legend="{{node}} {{gpu}} XID {{xid}}",
        ),
        Panel(
            title="Temperature",
            description="The hottest card of each NodePool.",
            unit=Unit.CELSIUS,
            expr=f"max by (nodepool) (DCGM_FI_DEV_GPU_TEMP{_OF_NODEPOOL})",
            legend="{{nodepool}}",
        ),
        Panel(
            title="Power",
            description="All cards of each NodePool.",
            unit=Unit.WATT,
            expr=f"sum by (nodepool) (DCGM_FI_DEV_POWER_USAGE{_OF_NODEPOOL})",
            legend="{{nodepool}}",
        ),
        Panel(
            title="Rows that wait to be remapped",
            description="Cards that need a reset.",
            unit=Unit.COUNT,
            expr=f"sum by (node, gpu) (DCGM_FI_DEV_ROW_REMAP_PENDING{_OF_NODEPOOL})",
            legend="{{node}} {{gpu}}",
        ),
        Panel(
            title="Double-bit errors",
            description="Within an hour.",
            unit=Unit.COUNT,
            expr=f"sum by (node, gpu) (increase(DCGM_FI_DEV_ECC_DBE_VOL_TOTAL{_OF_NODEPOOL}[1h]))",
            legend="{{node}} {{gpu}}",
        ),
    ),
)

_COST_BOARD = Board(
    uid="gpu-cost",
    title="GPU cost",
    description="US dollars an hour at list prices: paid, allocated, idle.",
    variables=(_MODEL, _PURPOSE),
    panels=(
        Panel(
            title="Paid an hour",
            description="Running nodes, by market.",
            unit=Unit.USD,
            expr=f"sum by (capacity_type) ({recording.PAID_USD}{_CHOSEN})",
            legend="{{capacity_type}}",
        ),
        Panel(
            title="Idle an hour",
            description="Paid for and allocated to no pod; pools whose cards are claimed (dra: true) are not measured.",
            unit=Unit.USD,
            expr=f"sum by (nodepool) ({recording.IDLE_USD}{_CHOSEN})",
            legend="{{nodepool}}",
        ),
        Panel(
            title="Held by teams an hour",
            description="Each card at its price on the cheapest node that has it.",
            unit=Unit.USD,
            expr=f"sum by (namespace) ({recording.ALLOCATED_USD}{_CHOSEN})",
            legend="{{namespace}}",
        ),
        Panel(
            title="Card-hours of the last day",
            description="By team and card.",
            unit=Unit.CARDS,
            expr=f"sum by (namespace, gpu_model) (sum_over_time({recording.ALLOCATED_CARDS}{_CHOSEN}[1d:1m])) / 60",
            legend="{{namespace}} {{gpu_model}}",
            is_table=True,
        ),
        Panel(
            title="Dollars of the last day",
            description="By team and market.",
            unit=Unit.USD,
            expr=f"sum by (namespace, capacity_type) (sum_over_time({recording.ALLOCATED_USD}{_CHOSEN}[1d:1m])) / 60",
            legend="{{namespace}} {{capacity_type}}",
            is_table=True,
        ),
    ),
)

BOARDS = (_FLEET_BOARD, _POOLS_BOARD, _TEAMS_BOARD, _HEALTH_BOARD, _COST_BOARD)
