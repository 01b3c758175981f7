package engine_test

import (
	"os"
	"runtime/pprof"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/cputime"
)

// profile does something for a while and writes a CPU profile of it.
func profile(t *testing.T, file string, do func()) {
	t.Helper()
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		t.Skip(err) // go test runs with a profile of its own
	}
	for start := cputime.Process(); cputime.Process()-start < 700*time.Millisecond; { // samples come by CPU time
		do()
	}
	pprof.StopCPUProfile()
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
