package openrtb_test

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
)

// These tests release what must not be released. A wrong release panics. Even if it did not, no two
// requests may share memory.

// lateMax is how many documents an arena may decode after a release, so that a second release is
// still detected: one less than the number after which the arena returns the same pointer again.
const lateMax = 7

// arenaAPI is the arena part of the API for one type of message, so that both have the same tests.
type arenaAPI[T any] struct {
	name     string
	document func(tag int) []byte
	parse    func([]byte) (*T, error)
	release  func(*T)
	others   map[string]func([]byte) (*T, error) // ways to get a message that no arena owns
	clone    func(*T) *T
}

var requestAPI = arenaAPI[openrtb.BidRequest]{
	name:     "request",
	document: func(tag int) []byte { return testkit.TaggedRequest(tag, 3) },
	parse:    openrtb.ParseFastArena,
	release:  openrtb.ReleaseArena,
	others: map[string]func([]byte) (*openrtb.BidRequest, error){
		"Parse":     openrtb.Parse,
		"ParseFast": openrtb.ParseFast,
		"Decode":    func(data []byte) (*openrtb.BidRequest, error) { return openrtb.NewDecoder().Decode(data) },
		"new":       func([]byte) (*openrtb.BidRequest, error) { return new(openrtb.BidRequest), nil },
	},
	clone: (*openrtb.BidRequest).Clone,
}

var responseAPI = arenaAPI[openrtb.BidResponse]{
	name:     "response",
	document: func(tag int) []byte { return testkit.TaggedResponse(tag, 3) },
	parse:    openrtb.ParseResponseFastArena,
	release:  openrtb.ReleaseResponseArena,
	others: map[string]func([]byte) (*openrtb.BidResponse, error){
		"Parse":     openrtb.ParseResponse,
		"ParseFast": openrtb.ParseResponseFast,
		"Decode":    func(data []byte) (*openrtb.BidResponse, error) { return openrtb.NewResponseDecoder().Decode(data) },
		"new":       func([]byte) (*openrtb.BidResponse, error) { return new(openrtb.BidResponse), nil },
	},
	clone: (*openrtb.BidResponse).Clone,
}

// get decodes a tagged document in an arena.
func (a *arenaAPI[T]) get(t *testing.T, tag int) *T {
	t.Helper()
	v, err := a.parse(a.document(tag))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// refuses checks that the release of v panics with a message that says why.
func (a *arenaAPI[T]) refuses(t *testing.T, what string, v *T) {
	t.Helper()
	if got := testkit.PanicOf(func() { a.release(v) }); !strings.Contains(got, "released before") {
		t.Errorf("releasing a %s %s: panic %q", a.name, what, got)
	}
}

// apart decodes many messages at once. Each must be intact and share no memory with the others, nor
// with live, which is in use already. live may be nil.
func (a *arenaAPI[T]) apart(t *testing.T, what string, live *T, liveTag int) {
	t.Helper()
	const count = 12
	messages, tags := []*T{}, []int{}
	if live != nil {
		messages, tags = append(messages, live), append(tags, liveTag)
	}
	for i := range count {
		messages, tags = append(messages, a.get(t, 9000+i)), append(tags, 9000+i)
	}
	var all [][]testkit.Span
	for i, v := range messages {
		if s := testkit.CheckTagged(v, tags[i], -1); s != "" {
			t.Errorf("%s: %s %d: %s", what, a.name, i, s)
		}
		all = append(all, testkit.Spans(v))
		for j := range i {
			if s := testkit.Shared(all[j], all[i]); s != "" {
				t.Errorf("%s: %ss %d and %d share memory: %s", what, a.name, j, i, s)
			}
		}
	}
	for i, v := range messages {
		if i > 0 || live == nil {
			a.release(v)
		}
	}
}

// TestReleaseMisuse releases nil, values that no arena owns, clones, copies, and values that were
// released before.
func TestReleaseMisuse(t *testing.T) {
	testReleaseMisuse(t, requestAPI)
	testReleaseMisuse(t, responseAPI)
}

func testReleaseMisuse[T any](t *testing.T, a arenaAPI[T]) {
	if got := testkit.PanicOf(func() { a.release(nil) }); got != "" {
		t.Errorf("releasing a nil %s panics: %s", a.name, got)
	}
	for name, parse := range a.others {
		v, err := parse(a.document(1))
		if err != nil {
			t.Fatal(err)
		}
		a.refuses(t, "of "+name, v)
		a.refuses(t, "of "+name+" again", v)
		if name != "new" {
			if s := testkit.CheckTagged(v, 1, -1); s != "" {
				t.Errorf("a refused release has changed the %s of %s: %s", a.name, name, s)
			}
		}
	}

	v := a.get(t, 2)
	a.refuses(t, "that is a clone", a.clone(v))
	copied := *v
	a.refuses(t, "that is a copy", &copied)
	if s := testkit.CheckTagged(v, 2, -1); s != "" {
		t.Errorf("refused releases have changed the %s: %s", a.name, s)
	}
	a.release(v)
	a.refuses(t, "twice", v)
	a.refuses(t, "three times", v)
	a.refuses(t, "that is a copy of a released one", &copied)
	a.apart(t, "after wrong releases", nil, 0)

	v = a.get(t, 3)
	kept := a.clone(v)
	a.release(v)
	a.apart(t, "with a clone kept", nil, 0)
	if s := testkit.CheckTagged(kept, 3, -1); s != "" {
		t.Errorf("a clone has changed after the release: %s", s)
	}
}

// TestLateDoubleRelease releases a second time, after the arena has decoded other documents, while
// one is in use.
func TestLateDoubleRelease(t *testing.T) {
	testLateDoubleRelease(t, requestAPI)
	testLateDoubleRelease(t, responseAPI)
}

func testLateDoubleRelease[T any](t *testing.T, a arenaAPI[T]) {
	for lag := 1; lag <= lateMax; lag++ {
		first := a.get(t, 1)
		a.release(first)
		for i := range lag - 1 {
			a.release(a.get(t, 100+i))
		}
		live := a.get(t, 5)
		a.refuses(t, "twice, with another in its arena,", first)
		if s := testkit.CheckTagged(live, 5, -1); s != "" {
			t.Errorf("%d documents later: the second release has changed a live %s: %s", lag, a.name, s)
		}
		a.apart(t, "after a late double release", live, 5)
		a.release(live)
		a.refuses(t, "after all", first)
		a.refuses(t, "the second one after all", live)
	}
}

// TestReleaseOfRefused checks that a refused document leaves its arena usable, and nothing to
// release.
func TestReleaseOfRefused(t *testing.T) {
	for range 20 {
		v, err := openrtb.ParseFastArena([]byte(`{"id":"x","imp":[{"id":"y"}],"at":}`))
		if v != nil || err == nil {
			t.Fatalf("%v, %v", v, err)
		}
		openrtb.ReleaseArena(v)
		r, err := openrtb.ParseResponseFastArena([]byte(`{"id":"x","seatbid":[{"seat":"y"}],"nbr":}`))
		if r != nil || err == nil {
			t.Fatalf("%v, %v", r, err)
		}
		openrtb.ReleaseResponseArena(r)
	}
	// An arena returns the same root again only after some documents.
	for range 3 * (lateMax + 1) {
		v, err := openrtb.ParseFastArena([]byte(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		w, err := openrtb.ParseResponseFastArena([]byte(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range []any{v, w} {
			testkit.Walk(v, func(path string, v reflect.Value) {
				t.Errorf("an empty document has %s %v from a refused one", path, v)
			})
		}
		if v.Imp != nil || w.SeatBid != nil {
			t.Error("an empty document has an array from a refused one")
		}
		openrtb.ReleaseArena(v)
		openrtb.ReleaseResponseArena(w)
	}
	requestAPI.apart(t, "after refusals", nil, 0)
	responseAPI.apart(t, "after refusals", nil, 0)
}

// TestConcurrentDoubleRelease releases the same request in several goroutines at the same time: one
// succeeds, the others panic.
func TestConcurrentDoubleRelease(t *testing.T) {
	if testkit.Race {
		t.Skip("a concurrent double release is a data race, and reported as one")
	}
	for range 200 {
		v := requestAPI.get(t, 1)
		var released atomic.Int32
		var start, done sync.WaitGroup
		start.Add(1)
		for range 4 {
			done.Go(func() {
				start.Wait()
				if testkit.PanicOf(func() { openrtb.ReleaseArena(v) }) == "" {
					released.Add(1)
				}
			})
		}
		start.Done()
		done.Wait()
		if n := released.Load(); n != 1 {
			t.Fatalf("%d of 4 releases succeeded", n)
		}
	}
	requestAPI.apart(t, "after concurrent releases", nil, 0)
}

// TestReleasesAtOnce lets two goroutines that run at the same time release the same request, until
// they have met often enough within the few instructions that matter. Whoever succeeds decodes and
// releases the next document, which must not end by the release that comes second.
func TestReleasesAtOnce(t *testing.T) {
	if testkit.Race {
		t.Skip("a concurrent double release is a data race, and reported as one")
	}
	if runtime.GOMAXPROCS(0) < 2 {
		t.Skip("two goroutines never run at the same time")
	}
	// A mistake shows within some thousand rounds. They take 10 µs each, and much longer on a busy
	// machine, where the two rarely run at once.
	rounds, start := int64(testkit.Scale(t, 10_000, 30_000, 2_000_000)), time.Now()
	var shared *openrtb.BidRequest
	var released atomic.Int32
	var problem atomic.Pointer[string]
	var begun, met, ended atomic.Int64 // the last round that the one has begun, both are in, the other has ended
	var stop atomic.Bool
	wait := func(counter *atomic.Int64, n int64) {
		for spins := 1; counter.Load() < n; spins++ {
			if spins%1000 == 0 { // the other one waits for a processor
				runtime.Gosched()
			}
		}
	}
	next := []byte(`{"id":"next"}`)
	release := func() {
		if testkit.PanicOf(func() { openrtb.ReleaseArena(shared) }) != "" {
			return
		}
		released.Add(1)
		v, err := openrtb.ParseFastArena(next)
		if err != nil || v.ID != "next" {
			s := fmt.Sprint("the next document is ", v, err)
			problem.Store(&s)
			return
		}
		if s := testkit.PanicOf(func() { openrtb.ReleaseArena(v) }); s != "" {
			problem.Store(&s)
		}
	}
	var other sync.WaitGroup
	other.Go(func() {
		for n := int64(1); ; n++ {
			wait(&begun, n)
			if stop.Load() {
				return
			}
			met.Store(n)
			release()
			ended.Store(n)
		}
	})
	n := int64(1)
	for ; n <= rounds && !t.Failed() && time.Since(start) < 20*time.Second; n++ {
		v, err := openrtb.ParseFastArena([]byte(`{"id":"1"}`))
		if err != nil {
			t.Error(err)
		}
		shared = v
		released.Store(0)
		begun.Store(n)
		wait(&met, n)
		release()
		wait(&ended, n)
		if got := released.Load(); got != 1 {
			t.Errorf("round %d: %d of 2 releases succeeded", n, got)
		}
		if s := problem.Load(); s != nil {
			t.Errorf("round %d: %s", n, *s)
		}
	}
	t.Log(n, "rounds")
	stop.Store(true)
	begun.Store(n)
	other.Wait()
}
