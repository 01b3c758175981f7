package kinds_test

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"weak"

	"github.com/rtbwire/rtbwire/gen/testdata/kinds"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// This file is about arenas of types that know nothing of arenas: what may be released, and what may not.

// inArena decodes a document that holds n.
func inArena(t *testing.T, n int) *kinds.Root {
	t.Helper()
	v, err := kinds.ParseRootFastArena(fmt.Appendf(nil, `{"Untagged":"\u0020%d","many":[{"a":%d},{"a":%d}]}`, n, n, n))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// holds reports whether v is the value of inArena(n).
func holds(v *kinds.Root, n int) bool {
	return v.Untagged == fmt.Sprint(" ", n) && len(v.Many) == 2 && v.Many[0].A == n && v.Many[1].A == n
}

// refuses wants the release of v to panic.
func refuses(t *testing.T, what string, v *kinds.Root) {
	t.Helper()
	defer func() {
		if got := fmt.Sprint(recover()); !strings.Contains(got, "released before") {
			t.Errorf("the release of %s panics with %s", what, got)
		}
	}()
	kinds.ReleaseRootArena(v)
}

func TestRelease(t *testing.T) {
	kinds.ReleaseRootArena(nil)
	refuses(t, "a new value", new(kinds.Root))
	var array [20]kinds.Root
	for i := range array {
		refuses(t, "an element of an array", &array[i])
	}
	v := inArena(t, 1)
	copied := *v
	refuses(t, "a copy", &copied)
	refuses(t, "a clone", v.Clone())
	*v = copied // what is in the value does not matter
	if !holds(v, 1) {
		t.Errorf("refused releases have changed the value: %+v", v)
	}
	kinds.ReleaseRootArena(v)
	refuses(t, "what was released before", v)
	owned, err := kinds.ParseRootFast([]byte(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	refuses(t, "a value of ParseRootFast", owned)
	if v, err := kinds.ParseRootFastArena([]byte(`{"many":[{"a":1},{]}`)); v != nil || err == nil {
		t.Errorf("a broken document is %v, %v", v, err)
	}
}

// TestLateRelease releases a value again when other documents have used its arena.
func TestLateRelease(t *testing.T) {
	for late := 1; late < 8; late++ {
		old := inArena(t, 0)
		kinds.ReleaseRootArena(old)
		for n := range late - 1 {
			kinds.ReleaseRootArena(inArena(t, n))
		}
		live := inArena(t, late)
		refuses(t, fmt.Sprintf("what was released %d documents before", late), old)
		if !holds(live, late) {
			t.Errorf("a late release has changed a live value: %+v", live)
		}
		kinds.ReleaseRootArena(live)
	}
}

// TestArenasAreApart has many values at once, in several goroutines.
func TestArenasAreApart(t *testing.T) {
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			var live []*kinds.Root
			for n := range 300 {
				live = append(live, inArena(t, 1000*g+n))
				if len(live) > 20 || n%3 == 0 {
					i := n % len(live)
					kinds.ReleaseRootArena(live[i])
					live = append(live[:i], live[i+1:]...)
				}
				for _, v := range live {
					if len(v.Many) != 2 || !holds(v, v.Many[0].A) || v.Many[0].A/1000 != g {
						t.Errorf("goroutine %d has %+v", g, v)
						return
					}
				}
			}
		})
	}
	wg.Wait()
}

// TestConcurrentRelease releases a value in several goroutines at once: one of them succeeds.
func TestConcurrentRelease(t *testing.T) {
	if testkit.Race {
		t.Skip("the mistake that this test makes is a data race, and reported as one")
	}
	for n := range 200 {
		v := inArena(t, n)
		released := make(chan bool)
		for range 4 {
			go func() {
				defer func() { released <- recover() == nil }()
				kinds.ReleaseRootArena(v)
			}()
		}
		count := 0
		for range 4 {
			if <-released {
				count++
			}
		}
		if count != 1 {
			t.Fatalf("%d of 4 releases have succeeded", count)
		}
	}
}

// TestForgottenArenas never releases: the memory is collected all the same, with and without other values of the type
// in the memory after that.
func TestForgottenArenas(t *testing.T) {
	var forgotten []weak.Pointer[kinds.Root]
	for n := range 1000 {
		forgotten = append(forgotten, weak.Make(inArena(t, n)))
	}
	for range 10 { // the pool and the finalizers take some turns
		runtime.GC()
	}
	alive := 0
	for _, w := range forgotten {
		if w.Value() != nil {
			alive++
		}
	}
	if alive > len(forgotten)/10 {
		t.Errorf("%d of %d unreferenced values are alive", alive, len(forgotten))
	}
	for range 1000 {
		refuses(t, "a new value", new(kinds.Root))
	}
	v := inArena(t, 1)
	if !holds(v, 1) {
		t.Errorf("after the collection: %+v", v)
	}
	kinds.ReleaseRootArena(v)
}

// TestArenaAllocatesNothing decodes into a warm arena.
func TestArenaAllocatesNothing(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector makes pools drop what is put into them")
	}
	probe := inArena(t, 1)
	kinds.ReleaseRootArena(probe)
	if probe.Untagged != "" {
		t.Skip("this build poisons arenas and uses none twice")
	}
	data := []byte(`{"Untagged":"x","many":[{"a":1},{"a":2}],"pointers":{"int":1,"string":"y"}}`)
	if n := testing.AllocsPerRun(1000, func() {
		v, err := kinds.ParseRootFastArena(data)
		if err != nil {
			t.Fatal(err)
		}
		kinds.ReleaseRootArena(v)
	}); n > 0.1 {
		t.Errorf("%v allocations", n)
	}
}

// TestReleasedValue reads a value after its release: it is empty, or poisoned.
func TestReleasedValue(t *testing.T) {
	v, err := kinds.ParseRootFastArena([]byte(`{"Untagged":"x","scalars":{"int8":1,"uint16":2,"float32":3,"bool":true},"many":[{"a":1}]}`))
	if err != nil {
		t.Fatal(err)
	}
	kinds.ReleaseRootArena(v)
	if !reflect.ValueOf(*v).IsZero() && !(strings.Contains(v.Untagged, "used after release") && v.Many[0].A == -559038737 && v.Scalars.Uint16 != 2 && v.Scalars.Int8 != 1 && v.Scalars.Float32 < 0) {
		t.Errorf("a released value still is %+v", v)
	}
}
