package breaker

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// past ends the pause of an open breaker.
func past(b *Breaker) { b.until.Store(1) }

// TestBreaker goes through all states.
func TestBreaker(t *testing.T) {
	t.Parallel()
	var b Breaker
	b.Init(3, time.Hour)
	for range 2 {
		b.Failure()
	}
	b.Success()
	for range 2 {
		b.Failure()
	}
	if !b.Closed() || !b.Allow() || b.Probe() {
		t.Error("it opens although a success was between failures")
	}
	b.Failure()
	if b.Closed() || b.Allow() {
		t.Error("it is closed after three failures in a row")
	}
	until := b.until.Load()
	b.Failure() // of a use that began before
	if b.until.Load() != until {
		t.Error("a late failure makes the pause longer")
	}
	past(&b)
	if !b.Allow() || b.Allow() || b.Closed() {
		t.Error("not one caller may try after the pause")
	}
	b.Failure()
	if b.Allow() {
		t.Error("a failed try closes it")
	}
	past(&b)
	if !b.Probe() {
		t.Error("no caller may try after the second pause")
	}
	b.Success()
	if !b.Closed() {
		t.Error("a good try leaves it open")
	}
	b.Failure()
	if !b.Closed() {
		t.Error("failures from before count after a success")
	}
}

// TestChanges says once what has changed, at the calls that change it.
func TestChanges(t *testing.T) {
	t.Parallel()
	var b Breaker
	b.Init(2, time.Hour)
	for i, step := range []struct {
		good bool
		want Change
	}{
		{true, Same},
		{false, Same}, {true, Same}, {true, Same},
		{false, Same}, {false, Opened}, {false, Same}, {true, Closed}, {true, Same},
		{false, Same},
	} {
		got := b.Failure
		if step.good {
			got = b.Success
		}
		if change := got(); change != step.want {
			t.Errorf("step %d: change %d, want %d", i, change, step.want)
		}
	}
	b.Init(1, time.Hour)
	b.Success()
	if change := b.Failure(); change != Opened {
		t.Errorf("the only failure that it takes: change %d", change)
	}
}

// TestChangesOnce tells one of many goroutines that a breaker has opened, and one that it has
// closed.
func TestChangesOnce(t *testing.T) {
	t.Parallel()
	for range 200 {
		var b Breaker
		b.Init(3, time.Hour)
		count := func(call func() Change, want Change) (n int64) {
			var told atomic.Int64
			var all sync.WaitGroup
			for range 8 {
				all.Go(func() {
					if call() == want {
						told.Add(1)
					}
				})
			}
			all.Wait()
			return told.Load()
		}
		if n := count(b.Failure, Opened); n != 1 {
			t.Fatalf("%d were told that it opened", n)
		}
		if n := count(b.Success, Closed); n != 1 {
			t.Fatalf("%d were told that it closed", n)
		}
	}
}

// TestNever opens no breaker without a limit.
func TestNever(t *testing.T) {
	t.Parallel()
	var b Breaker
	b.Init(-1, time.Hour)
	for range 100 {
		b.Failure()
	}
	if !b.Closed() {
		t.Error("it is open")
	}
}

// TestOneTries lets one of many callers try.
func TestOneTries(t *testing.T) {
	t.Parallel()
	var b Breaker
	b.Init(1, time.Hour)
	b.Failure()
	for range 100 {
		past(&b)
		var all sync.WaitGroup
		var tried atomic.Int32
		for range 8 {
			all.Go(func() {
				if b.Allow() {
					tried.Add(1)
				}
			})
		}
		all.Wait()
		if tried.Load() != 1 {
			t.Fatalf("%d tried", tried.Load())
		}
	}
}
