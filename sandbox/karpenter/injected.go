package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// lackRemembered is how long the AWS provider believes that an offering is gone once a launch has failed.
const lackRemembered = 3 * time.Minute

// Offer names offerings: an empty field means all.
type Offer struct {
	InstanceType string `json:"instanceType"`
	Zone         string `json:"zone"`
	Market       string `json:"market"`
}

func (o Offer) covers(other Offer) bool {
	same := func(mine, theirs string) bool { return mine == "" || mine == theirs }
	return same(o.InstanceType, other.InstanceType) && same(o.Zone, other.Zone) && same(o.Market, other.Market)
}

// injectedState is what was done to the cloud by command; it outlives the process.
type injectedState struct {
	// Withdrawn offerings cannot be launched. Karpenter learns it by trying, as from EC2.
	Withdrawn []Offer `json:"withdrawn"`
	// Releases counts the images released since for each EC2NodeClass.
	Releases map[string]int `json:"releases"`
	// ClockOffset is what the clock is ahead of the machine's.
	ClockOffset time.Duration `json:"clockOffsetNanoseconds"`
}

// Injected is that state, and what the provider has learned of it.
type Injected struct {
	clock.RealClock

	path    string
	lock    sync.Mutex
	state   injectedState
	lacking map[Offer]time.Time // until when
}

func loadInjected(path string) (*Injected, error) {
	made := &Injected{path: path, lacking: map[Offer]time.Time{}}
	raw, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(raw, &made.state)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if made.state.Releases == nil {
		made.state.Releases = map[string]int{}
	}
	return made, err
}

// Now is the machine's time and the offset that was asked for.
func (i *Injected) Now() time.Time {
	i.lock.Lock()
	defer i.lock.Unlock()
	return i.now()
}

// Since is the time since then, by the same clock.
func (i *Injected) Since(then time.Time) time.Duration { return i.Now().Sub(then) }

func (i *Injected) now() time.Time { return time.Now().Add(i.state.ClockOffset) }

func (i *Injected) change(with func(*injectedState)) error {
	i.lock.Lock()
	defer i.lock.Unlock()
	with(&i.state)
	raw, err := json.Marshal(i.state)
	if err != nil {
		return err
	}
	// In one step: a process that is killed meanwhile leaves the old file or the new one.
	if err := os.WriteFile(i.path+".new", raw, 0o600); err != nil {
		return err
	}
	return os.Rename(i.path+".new", i.path)
}

func (i *Injected) snapshot() injectedState {
	i.lock.Lock()
	defer i.lock.Unlock()
	copied := i.state
	copied.Withdrawn = slices.Clone(i.state.Withdrawn)
	copied.Releases = maps.Clone(i.state.Releases)
	return copied
}

func (i *Injected) withdraw(offer Offer) error {
	return i.change(func(s *injectedState) { s.Withdrawn = append(s.Withdrawn, offer) })
}

// restore gives back everything that was withdrawn, and lets the provider know at once.
func (i *Injected) restore() error {
	return i.change(func(s *injectedState) {
		s.Withdrawn = nil
		i.lacking = map[Offer]time.Time{}
	})
}

// setClock makes the clock show that time, from which it goes on.
func (i *Injected) setClock(to time.Time) error {
	return i.change(func(s *injectedState) { s.ClockOffset = time.Until(to) })
}

func (i *Injected) resetClock() error {
	return i.change(func(s *injectedState) { s.ClockOffset = 0 })
}

func (i *Injected) release(nodeClass string) error {
	return i.change(func(s *injectedState) { s.Releases[nodeClass]++ })
}

func (i *Injected) releaseOf(nodeClass string) int {
	i.lock.Lock()
	defer i.lock.Unlock()
	return i.state.Releases[nodeClass]
}

// tryLaunch is EC2's answer: whether there is capacity. A lack is remembered for a while.
func (i *Injected) tryLaunch(offer Offer) bool {
	i.lock.Lock()
	defer i.lock.Unlock()
	for _, withdrawn := range i.state.Withdrawn {
		if withdrawn.covers(offer) {
			i.lacking[offer] = i.now().Add(lackRemembered)
			return false
		}
	}
	return true
}

// markLacking is what an interruption teaches: there is less of this.
func (i *Injected) markLacking(offer Offer) {
	i.lock.Lock()
	defer i.lock.Unlock()
	i.lacking[offer] = i.now().Add(lackRemembered)
}

// believed says whether the provider thinks that an offering is there.
func (i *Injected) believed(instanceType, zone, market string) bool {
	i.lock.Lock()
	defer i.lock.Unlock()
	until, ok := i.lacking[Offer{instanceType, zone, market}]
	return !ok || i.now().After(until)
}
