package cputime

import (
	"runtime"
	"testing"
	"time"
)

// spin computes until d has passed on the clock of this package.
func spin(d time.Duration) {
	for start := thread(); thread()-start < d; {
	}
}

func TestOf(t *testing.T) {
	const work = 20 * time.Millisecond
	if got := Of(func() { spin(work) }); got < work {
		t.Errorf("%v of computing counts as %v", work, got)
	}
	if runtime.GOOS != "linux" {
		t.Skip("the time that passes is all there is")
	}
	if got := Of(func() { time.Sleep(work) }); got > work/2 {
		t.Errorf("%v of sleep counts as %v", work, got)
	}
	if got := Of(func() {
		done := make(chan struct{})
		go func() { runtime.LockOSThread(); spin(work); close(done) }() // ends with its thread
		<-done
	}); got > work/2 {
		t.Errorf("%v of another thread counts as %v", work, got)
	}
}

func TestAfterFunc(t *testing.T) {
	const work = 50 * time.Millisecond
	called := make(chan struct{})
	stop := AfterFunc(work, func() { close(called) })
	defer stop()
	before := Process()
	for waiting := true; waiting; {
		select {
		case <-called:
			waiting = false
		default: // computes
		}
	}
	if got := Process() - before; got < work {
		t.Errorf("called after %v, want %v", got, work)
	}
	stop = AfterFunc(0, func() { t.Error("called after stop") })
	stop()
	stop()
	time.Sleep(2 * work)
}

func TestProcess(t *testing.T) {
	const work = 20 * time.Millisecond
	before := Process()
	done := make(chan struct{})
	go func() { Of(func() { spin(work) }); close(done) }()
	<-done
	if got := Process() - before; got < work {
		t.Errorf("%v in a goroutine counts as %v", work, got)
	}
}
