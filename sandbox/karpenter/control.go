package main

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
)

const (
	nudgeAnnotation = "gpu-platform.sandbox/nudge"
	// spotNotice is how long an interrupted spot instance still runs.
	spotNotice     = 2 * time.Minute
	longestSettle  = 30 * time.Minute
	defaultSettle  = 2 * time.Minute
	headerDeadline = 10 * time.Second
)

var errUnknown = errors.New("there is none of that name")

// control answers commands on loopback: what is done to the cloud, and whether the cluster has settled.
type control struct {
	client   client.Client
	injected *Injected
	settler  *settler
	token    string
	nudges   atomic.Int64
}

type settled struct {
	Settled bool     `json:"settled"`
	Moving  []string `json:"moving"`
}

type current struct {
	injectedState
	Now time.Time `json:"now"`
}

func (c *control) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /state", func(w http.ResponseWriter, _ *http.Request) { c.answerState(w) })
	mux.HandleFunc("GET /settle", c.settle)
	mux.HandleFunc("POST /withdraw", command(c, func(_ context.Context, offer Offer) error { return c.injected.withdraw(offer) }))
	mux.HandleFunc("POST /restore", command(c, func(_ context.Context, _ struct{}) error { return c.injected.restore() }))
	mux.HandleFunc("POST /interrupt", command(c, c.interrupt))
	mux.HandleFunc("POST /drift", command(c, c.drift))
	mux.HandleFunc("POST /clock", command(c, c.clock))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte("Bearer "+c.token)) != 1 {
			http.Error(w, "unauthorized", http.StatusUnauthorized)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// command reads one JSON object, obeys, has every claim looked at again, and answers with the state.
func command[T any](c *control, obey func(context.Context, T) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var order T
		decoder := json.NewDecoder(r.Body)
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&order); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		err := obey(r.Context(), order)
		if err == nil {
			err = c.nudge(r.Context())
		}
		switch {
		case errors.Is(err, errUnknown):
			http.Error(w, err.Error(), http.StatusNotFound)
		case err != nil:
			http.Error(w, err.Error(), http.StatusInternalServerError)
		default:
			c.answerState(w)
		}
	}
}

func (c *control) answerState(w http.ResponseWriter) {
	answer(w, current{c.injected.snapshot(), c.injected.Now()})
}

func answer(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value) // the client is gone
}

func (c *control) settle(w http.ResponseWriter, r *http.Request) {
	limit := defaultSettle
	if text := r.URL.Query().Get("limitSeconds"); text != "" {
		seconds, err := strconv.ParseFloat(text, 64)
		if err != nil || seconds < 0 || seconds > longestSettle.Seconds() {
			http.Error(w, fmt.Sprintf("limitSeconds is %s and must be from 0 to %g", text, longestSettle.Seconds()), http.StatusBadRequest)
			return
		}
		limit = time.Duration(seconds * float64(time.Second))
	}
	ctx, cancel := context.WithTimeout(r.Context(), limit)
	defer cancel()
	moving := c.settler.wait(ctx)
	answer(w, settled{Settled: len(moving) == 0, Moving: append([]string{}, moving...)})
}

// interrupt reclaims spot nodes as EC2 does: Karpenter hears of it and drains; two minutes later the machine is gone.
func (c *control) interrupt(ctx context.Context, of struct {
	NodePool  string `json:"nodePool"`
	NodeClaim string `json:"nodeClaim"`
}) error {
	claims := &v1.NodeClaimList{}
	if err := c.client.List(ctx, claims); err != nil {
		return err
	}
	hit := 0
	for i := range claims.Items {
		claim := &claims.Items[i]
		named := of.NodeClaim == claim.Name || of.NodePool != "" && of.NodePool == claim.Labels[v1.NodePoolLabelKey]
		if !named || claim.Labels[v1.CapacityTypeLabelKey] != v1.CapacityTypeSpot || !claim.DeletionTimestamp.IsZero() {
			continue
		}
		hit++
		labels := claim.Labels
		c.injected.markLacking(Offer{labels[corev1.LabelInstanceTypeStable], labels[corev1.LabelTopologyZone], v1.CapacityTypeSpot})
		if err := c.client.Delete(ctx, claim); client.IgnoreNotFound(err) != nil {
			return err
		}
		node := claim.Status.NodeName
		time.AfterFunc(spotNotice, func() { c.reclaim(node) })
	}
	if hit == 0 {
		return fmt.Errorf("no spot node of NodePool %q or NodeClaim %q: %w", of.NodePool, of.NodeClaim, errUnknown)
	}
	return nil
}

// reclaim takes the machine away: what still ran there is gone without being asked.
func (c *control) reclaim(node string) {
	ctx := context.Background()
	pods := &corev1.PodList{}
	if c.client.List(ctx, pods, client.MatchingFields{"spec.nodeName": node}) != nil {
		return // the API server is gone, and everything with it
	}
	for i := range pods.Items {
		_ = c.client.Delete(ctx, &pods.Items[i], client.GracePeriodSeconds(0)) // gone already is as good
	}
}

// drift releases a newer image of a node class.
func (c *control) drift(ctx context.Context, of struct {
	NodeClass string `json:"nodeClass"`
}) error {
	if err := c.client.Get(ctx, client.ObjectKey{Name: of.NodeClass}, &EC2NodeClass{}); err != nil {
		if client.IgnoreNotFound(err) == nil {
			return fmt.Errorf("EC2NodeClass %q: %w", of.NodeClass, errUnknown)
		}
		return err
	}
	return c.injected.release(of.NodeClass)
}

// clock sets Karpenter's clock; without a time it shows the machine's again.
func (c *control) clock(_ context.Context, of struct {
	Now *time.Time `json:"now"`
}) error {
	if of.Now == nil {
		return c.injected.resetClock()
	}
	return c.injected.setClock(*of.Now)
}

// nudge has every claim looked at again: Karpenter itself looks every five minutes.
func (c *control) nudge(ctx context.Context) error {
	claims := &v1.NodeClaimList{}
	if err := c.client.List(ctx, claims); err != nil {
		return err
	}
	patch := client.RawPatch("application/merge-patch+json",
		fmt.Appendf(nil, `{"metadata":{"annotations":{%q:"%d"}}}`, nudgeAnnotation, c.nudges.Add(1)))
	for i := range claims.Items {
		if err := c.client.Patch(ctx, &claims.Items[i], patch); client.IgnoreNotFound(err) != nil {
			return err
		}
	}
	return nil
}
