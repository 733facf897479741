package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/samber/lo"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/awslabs/operatorpkg/status"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/apis/v1alpha1"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	podutils "sigs.k8s.io/karpenter/pkg/utils/pod"
)

// decisionTick is how often Karpenter's decisions are looked at: of these nobody sends an event.
const decisionTick = 200 * time.Millisecond

// settler says when nothing moves any more.
type settler struct {
	cache cache.Cache
	// live reads past the cache, which may not have seen yet what was applied a moment ago.
	live        client.Reader
	cluster     *state.Cluster
	provisioner *provisioning.Provisioner
	changed     chan struct{}
}

// watched are the kinds whose events may settle something.
func watched() []client.Object {
	return []client.Object{
		&corev1.Pod{}, &corev1.Node{}, &v1.NodeClaim{}, &v1.NodePool{}, &v1alpha1.NodeOverlay{},
		&appsv1.Deployment{}, &appsv1.ReplicaSet{}, &appsv1.StatefulSet{}, &batchv1.Job{},
	}
}

func (s *settler) listen(ctx context.Context) error {
	poke := func(any) {
		select {
		case s.changed <- struct{}{}:
		default: // it has been told already
		}
	}
	for _, object := range watched() {
		informer, err := s.cache.GetInformer(ctx, object)
		if err != nil {
			return err
		}
		handler := toolscache.ResourceEventHandlerFuncs{
			AddFunc: poke, UpdateFunc: func(_, now any) { poke(now) }, DeleteFunc: poke,
		}
		if _, err := informer.AddEventHandler(handler); err != nil {
			return err
		}
	}
	return nil
}

// wait returns once nothing moves: every pod runs, or waits with a decision of the scheduler and of Karpenter that is
// younger than the question. It returns what still moves when the context ends first.
func (s *settler) wait(ctx context.Context) []string {
	if err := s.askAgain(ctx); err != nil {
		return []string{err.Error()}
	}
	tick := time.NewTicker(decisionTick)
	defer tick.Stop()
	for {
		moving, err := s.moving(ctx, s.cache)
		if err == nil && len(moving) == 0 {
			moving, err = s.moving(ctx, s.live)
		}
		if err != nil {
			moving = []string{err.Error()}
		}
		if len(moving) == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return moving
		case <-s.changed:
		case <-tick.C:
		}
	}
}

// askAgain makes Karpenter decide anew about pods for which it found no place: the world may have changed since.
func (s *settler) askAgain(ctx context.Context) error {
	pods := &corev1.PodList{}
	if err := s.live.List(ctx, pods); err != nil {
		return err
	}
	for i := range pods.Items {
		if pod := &pods.Items[i]; podutils.IsProvisionable(pod) && s.refused(pod) {
			s.cluster.ClearPodSchedulingMappings(client.ObjectKeyFromObject(pod))
			s.provisioner.Trigger(pod.UID)
		}
	}
	return nil
}

func (s *settler) refused(pod *corev1.Pod) bool {
	key := client.ObjectKeyFromObject(pod)
	return !s.cluster.PodSchedulingDecisionTime(key).IsZero() && s.cluster.PodSchedulingSuccessTime(key).IsZero()
}

func (s *settler) moving(ctx context.Context, from client.Reader) ([]string, error) {
	var moving []string
	for _, look := range []func(context.Context, client.Reader) ([]string, error){s.pools, s.claims, s.owners, s.pods} {
		messages, err := look(ctx, from)
		if err != nil {
			return nil, err
		}
		moving = append(moving, messages...)
	}
	slices.Sort(moving)
	return moving, nil
}

func (s *settler) pools(ctx context.Context, from client.Reader) ([]string, error) {
	pools, overlays, claims := &v1.NodePoolList{}, &v1alpha1.NodeOverlayList{}, &v1.NodeClaimList{}
	for _, list := range []client.ObjectList{pools, overlays, claims} {
		if err := from.List(ctx, list); err != nil {
			return nil, err
		}
	}
	var moving []string
	for i := range pools.Items {
		pool := &pools.Items[i]
		if undecided(pool, pool.Generation) {
			moving = append(moving, fmt.Sprintf("NodePool %s is not judged yet", pool.Name))
		}
		if replicas := pool.Spec.Replicas; replicas != nil {
			has := lo.CountBy(claims.Items, func(c v1.NodeClaim) bool { return c.Labels[v1.NodePoolLabelKey] == pool.Name })
			if int64(has) != *replicas {
				moving = append(moving, fmt.Sprintf("NodePool %s has %d of %d nodes", pool.Name, has, *replicas))
			}
		}
	}
	for i := range overlays.Items {
		if overlay := &overlays.Items[i]; undecided(overlay, overlay.Generation) {
			moving = append(moving, fmt.Sprintf("NodeOverlay %s is not judged yet", overlay.Name))
		}
	}
	return moving, nil
}

func undecided(of status.Object, generation int64) bool {
	root, exists := lo.Find(of.GetConditions(), func(c status.Condition) bool { return c.Type == status.ConditionReady })
	return !exists || root.IsUnknown() || root.ObservedGeneration != generation
}

func (s *settler) claims(ctx context.Context, from client.Reader) ([]string, error) {
	list := &v1.NodeClaimList{}
	if err := from.List(ctx, list); err != nil {
		return nil, err
	}
	return lo.FilterMap(list.Items, func(claim v1.NodeClaim, _ int) (string, bool) {
		if !claim.DeletionTimestamp.IsZero() {
			return fmt.Sprintf("NodeClaim %s is being removed", claim.Name), true
		}
		state := claim.StatusConditions().Get(v1.ConditionTypeInitialized)
		return fmt.Sprintf("NodeClaim %s is not initialized: %s", claim.Name, state.Message), !state.IsTrue()
	}), nil
}

// owners are workloads whose pods their controllers have not made yet.
func (s *settler) owners(ctx context.Context, from client.Reader) ([]string, error) {
	deployments, sets, stateful, jobs := &appsv1.DeploymentList{}, &appsv1.ReplicaSetList{}, &appsv1.StatefulSetList{}, &batchv1.JobList{}
	for _, list := range []client.ObjectList{deployments, sets, stateful, jobs} {
		if err := from.List(ctx, list); err != nil {
			return nil, err
		}
	}
	var moving []string
	say := func(kind string, of client.Object, has, wants int32) {
		moving = append(moving, fmt.Sprintf("%s %s/%s has %d of %d pods", kind, of.GetNamespace(), of.GetName(), has, wants))
	}
	for i := range deployments.Items {
		deployment := &deployments.Items[i]
		if deployment.Status.ObservedGeneration != deployment.Generation {
			say("Deployment", deployment, deployment.Status.Replicas, ptr.Deref(deployment.Spec.Replicas, 1))
		}
	}
	for i := range sets.Items {
		set := &sets.Items[i]
		refused := slices.ContainsFunc(set.Status.Conditions, func(c appsv1.ReplicaSetCondition) bool {
			return c.Type == appsv1.ReplicaSetReplicaFailure && c.Status == corev1.ConditionTrue
		})
		if wants := ptr.Deref(set.Spec.Replicas, 1); !refused && (set.Status.Replicas != wants || set.Status.ObservedGeneration != set.Generation) {
			say("ReplicaSet", set, set.Status.Replicas, wants)
		}
	}
	for i := range stateful.Items {
		set := &stateful.Items[i]
		wants := ptr.Deref(set.Spec.Replicas, 1)
		if set.Spec.PodManagementPolicy != appsv1.ParallelPodManagement {
			wants = min(wants, set.Status.ReadyReplicas+1) // one after the other
		}
		if set.Status.Replicas < wants || set.Status.ObservedGeneration != set.Generation {
			refused, err := s.refusedPods(ctx, set.UID)
			if err != nil {
				return nil, err
			}
			if !refused {
				say("StatefulSet", set, set.Status.Replicas, wants)
			}
		}
	}
	for i := range jobs.Items {
		job := &jobs.Items[i]
		parallel := ptr.Deref(job.Spec.Parallelism, 1)
		wants := min(parallel, ptr.Deref(job.Spec.Completions, parallel)-job.Status.Succeeded)
		finished := job.Status.CompletionTime != nil || slices.ContainsFunc(job.Status.Conditions, func(c batchv1.JobCondition) bool {
			return c.Type == batchv1.JobFailed && c.Status == corev1.ConditionTrue
		})
		if !ptr.Deref(job.Spec.Suspend, false) && !finished && job.Status.Active < wants {
			refused, err := s.refusedPods(ctx, job.UID)
			if err != nil {
				return nil, err
			}
			if !refused {
				say("Job", job, job.Status.Active, wants)
			}
		}
	}
	return moving, nil
}

// refusedPods says whether a quota, admission or a namespace's defaults keep a controller from making its pods: of this
// a Job and a StatefulSet tell in events alone. That a new namespace has no service account yet passes by itself.
func (s *settler) refusedPods(ctx context.Context, owner types.UID) (bool, error) {
	list := &corev1.EventList{}
	about := client.MatchingFields{"reason": "FailedCreate", "involvedObject.uid": string(owner)}
	if err := s.live.List(ctx, list, about); err != nil {
		return false, err
	}
	return slices.ContainsFunc(list.Items, func(event corev1.Event) bool {
		refused := strings.Contains(event.Message, "is forbidden") || strings.Contains(event.Message, "is invalid")
		return refused && !strings.Contains(event.Message, "service account")
	}), nil
}

func (s *settler) pods(ctx context.Context, from client.Reader) ([]string, error) {
	list := &corev1.PodList{}
	if err := from.List(ctx, list); err != nil {
		return nil, err
	}
	return lo.FilterMap(list.Items, func(pod corev1.Pod, _ int) (string, bool) {
		why := s.movingPod(&pod)
		return fmt.Sprintf("Pod %s/%s %s", pod.Namespace, pod.Name, why), why != ""
	}), nil
}

func (s *settler) movingPod(pod *corev1.Pod) string {
	switch {
	case !pod.DeletionTimestamp.IsZero():
		return "is being removed"
	case len(pod.Spec.SchedulingGates) > 0 || podutils.IsTerminal(pod):
		return ""
	case pod.Spec.NodeName != "":
		return lo.Ternary(pod.Status.Phase == corev1.PodRunning, "", "is bound and does not run yet")
	case pod.Status.NominatedNodeName != "":
		return "waits for the pods that it preempts"
	case !podutils.FailedToSchedule(pod):
		return "has not been tried by the scheduler"
	case s.refused(pod) || !podutils.IsProvisionable(pod):
		return ""
	case s.cluster.PodSchedulingDecisionTime(client.ObjectKeyFromObject(pod)).IsZero():
		return "has not been looked at by Karpenter"
	}
	return "waits for a node that Karpenter has chosen"
}
