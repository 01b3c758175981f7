package service

import (
	"bytes"
	"errors"
	"log/slog"
	"math"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

func TestLimitMemory(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	percent := debug.SetGCPercent(100)
	t.Cleanup(func() { debug.SetMemoryLimit(before); debug.SetGCPercent(percent) })
	for name, c := range map[string]struct {
		environment string
		container   memlimit.Provider
		want        int64
		log         string
	}{
		"container":    {"", memlimit.Limit(1000 << 20), 900 << 20, "source=container"},
		"unlimited":    {"", func() (uint64, error) { return 0, memlimit.ErrNoLimit }, math.MaxInt64, "source=none"},
		"far too much": {"", memlimit.Limit(math.MaxUint64), math.MaxInt64, "source=none"},
		"no answer":    {"", func() (uint64, error) { return 0, errors.New("no such file") }, math.MaxInt64, `problem="no such file"`},
		"the user's":   {"1GiB", memlimit.Limit(1000 << 20), math.MaxInt64, "source=GOMEMLIMIT"},
	} {
		debug.SetMemoryLimit(math.MaxInt64)
		var log bytes.Buffer
		LimitMemory(slog.New(slog.NewTextHandler(&log, nil)), func(string) string { return c.environment }, c.container)
		if got := debug.SetMemoryLimit(-1); got != c.want || !strings.Contains(log.String(), c.log) {
			t.Errorf("%s: %d bytes, want %d; log %s", name, got, c.want, &log)
		}
	}
}

// TestCollectAt sets how far the heap grows, unless the user has.
func TestCollectAt(t *testing.T) {
	before, percent := debug.SetMemoryLimit(-1), debug.SetGCPercent(100)
	t.Cleanup(func() { debug.SetMemoryLimit(before); debug.SetGCPercent(percent) })
	for environment, want := range map[string]int{"200": 100, "": collectAt} {
		debug.SetGCPercent(100)
		getenv := func(name string) string { return map[string]string{"GOGC": environment}[name] }
		LimitMemory(slog.New(slog.DiscardHandler), getenv, func() (uint64, error) { return 0, memlimit.ErrNoLimit })
		if got := debug.SetGCPercent(100); got != want {
			t.Errorf("GOGC=%q: %d percent, want %d", environment, got, want)
		}
	}
}
