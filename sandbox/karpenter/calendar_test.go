package main

import (
	"encoding/json"
	"math"
	"os"
	"testing"
	"time"

	testclock "k8s.io/utils/clock/testing"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
)

// The calendar of the command line (gpuplatform/analysis/disruption) answers as Karpenter does. Its answers are written by
// `make golden`, beside the NodePools that they are about.
func TestTheCalendarSaysWhatKarpenterDoes(t *testing.T) {
	written, err := os.ReadFile("testdata/calendar.json")
	if err != nil {
		t.Fatal(err)
	}
	var pools []struct {
		Name     string
		NodePool v1.NodePool
		Answers  []struct {
			At      time.Time
			Nodes   int
			Reason  v1.DisruptionReason
			Allowed *int
		}
	}
	if err := json.Unmarshal(written, &pools); err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, pool := range pools {
		for _, answer := range pool.Answers {
			want := math.MaxInt32 // what Karpenter answers where no budget is active
			if answer.Allowed != nil {
				want = *answer.Allowed
			}
			allowed := pool.NodePool.MustGetAllowedDisruptions(testclock.NewFakeClock(answer.At), answer.Nodes, answer.Reason)
			if allowed != want {
				t.Errorf("%s, %s of %d nodes at %s: Karpenter allows %d, the calendar says %d",
					pool.Name, answer.Reason, answer.Nodes, answer.At, allowed, want)
			}
			compared++
		}
	}
	if len(pools) < 5 || compared < 100 {
		t.Fatalf("%d answers for %d NodePools compare too little", compared, len(pools))
	}
}
