package timing_test

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rtbwire/rtbwire/internal/timing"
)

// A pinned process may run on one core only, and on all of them afterwards.
func TestOnCore(t *testing.T) {
	cores := func() int {
		var set unix.CPUSet
		if err := unix.SchedGetaffinity(0, &set); err != nil {
			t.Fatal(err)
		}
		return set.Count()
	}
	core, ok := timing.IdlestCore(20 * time.Millisecond)
	if !ok {
		t.Fatal("no core was idle, or they are not counted")
	}
	before := cores()
	undo, err := timing.OnCore(core)
	if err != nil {
		t.Fatal(err)
	}
	var pinned unix.CPUSet
	if err := unix.SchedGetaffinity(0, &pinned); err != nil || pinned.Count() != 1 || !pinned.IsSet(core) {
		t.Errorf("pinned to core %d: %v cores, %v", core, pinned.Count(), err)
	}
	if undo(); cores() != before {
		t.Errorf("%d cores after being pinned, %d before", cores(), before)
	}
	if _, err := timing.OnCore(1000); err == nil {
		t.Error("core 1000 is there")
	}
}
