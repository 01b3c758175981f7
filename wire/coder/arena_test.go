package coder

import (
	"runtime"
	"sync"
	"testing"
)

// testArena has roots of two types, and memory of its own after them.
type testArena struct {
	number int
	first  [8]struct{ a, b string }
	second [4]int32
	memory []*int
}

// own makes an arena that owns its roots.
func own(o *Owners[testArena], number int) *testArena {
	a := &testArena{number: number, memory: []*int{new(number)}}
	o.Own(a, Addresses(a.first[:]), Addresses(a.second[:]))
	return a
}

// owned wants every root of an arena to lead to it.
func owned(t *testing.T, o *Owners[testArena], a *testArena) {
	t.Helper()
	for i := range a.first {
		if got := Owner(o, &a.first[i]); got != a {
			t.Fatalf("root %d of arena %d is said to be in %p, want %p", i, a.number, got, a)
		}
	}
	for i := range a.second {
		if got := Owner(o, &a.second[i]); got != a {
			t.Fatalf("second root %d of arena %d is said to be in %p, want %p", i, a.number, got, a)
		}
	}
}

func TestOwner(t *testing.T) {
	var o Owners[testArena]
	if Owner(&o, new(int)) != nil {
		t.Error("the zero value finds something")
	}
	var arenas []*testArena
	for n := range 300 { // through many sizes of the table
		arenas = append(arenas, own(&o, n))
		owned(t, &o, arenas[n/2])
	}
	for _, a := range arenas {
		owned(t, &o, a)
		if Owner(&o, &a.number) != nil || Owner(&o, &a.first[0].b) != nil || Owner(&o, &a.memory) != nil {
			t.Fatal("a place in an arena that is not a root is taken for one")
		}
		copied := *a
		if Owner(&o, &copied.first[0]) != nil || Owner(&o, &copied) != nil {
			t.Fatal("a copy is taken for a root")
		}
	}
	for range 10_000 {
		if Owner(&o, new(struct{ a, b string })) != nil {
			t.Fatal("a new value is taken for a root")
		}
	}
}

// TestOwnersForget makes unreferenced arenas: the table forgets them, so that it does not grow,
// finds those that are left, and takes nothing for a root that is allocated where one was.
func TestOwnersForget(t *testing.T) {
	var o Owners[testArena]
	kept := own(&o, -1)
	rounds := 20
	if testing.Short() {
		rounds = 5
	}
	for range rounds {
		for n := range 200 {
			own(&o, n)
		}
		for range 3 { // finalizers run after the first
			runtime.GC()
			runtime.Gosched()
		}
		var values []*struct{ a, b string }
		for range 5000 {
			values = append(values, new(struct{ a, b string }))
		}
		for _, v := range values {
			if Owner(&o, v) != nil {
				t.Fatal("a new value is taken for a root of an arena that is gone")
			}
		}
		owned(t, &o, kept)
	}
	if n := len(o.table.Load().slots); n > 1<<16 {
		t.Errorf("the table has %d slots, for one arena", n)
	}
}

// TestOwnersConcurrent looks up in some goroutines while others make arenas and forget them.
func TestOwnersConcurrent(t *testing.T) {
	var o Owners[testArena]
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			var live [5]*testArena
			for n := range 500 {
				live[n%len(live)] = own(&o, 1000*g+n)
				for _, a := range live {
					if a != nil && (Owner(&o, &a.first[n%8]) != a || Owner(&o, &a.second[n%4]) != a || *a.memory[0] != a.number) {
						t.Errorf("goroutine %d does not find its arena %d", g, a.number)
						return
					}
				}
				if n%100 == 0 {
					runtime.GC()
				}
			}
		})
	}
	wg.Wait()
}
