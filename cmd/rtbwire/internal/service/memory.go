package service

import (
	"errors"
	"log/slog"
	"math"
	"runtime"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// memoryShare is the part of the container's memory that Go's heap may grow to: the rest is for
// what the collector does not see, such as stacks of threads and the kernel's buffers.
const memoryShare = 0.9

// collectAt is by how much of what is in use the heap may grow before it is collected, in percent.
// An accepted request allocates next to nothing, so collections are minutes apart, and what they
// leave uncollected is most of what the process holds. GOGC, which Go reads itself, wins.
const collectAt = 30

// LimitMemory tells the collector how much memory there is, so that it works harder before the
// system kills the process. GOMEMLIMIT, which Go reads itself, wins. How many processors the
// container has Go finds out itself (GOMAXPROCS, since Go 1.25).
func LimitMemory(log *slog.Logger, getenv func(string) string, container memlimit.Provider) {
	if getenv("GOGC") == "" {
		debug.SetGCPercent(collectAt)
	}
	source, problem := "container", slog.Attr{}
	if getenv("GOMEMLIMIT") != "" {
		source = "GOMEMLIMIT"
	} else {
		share, err := memlimit.ApplyRatio(container, memoryShare)()
		switch {
		case err == nil && share > 0 && share < math.MaxInt64:
			debug.SetMemoryLimit(int64(share))
		case err != nil && !errors.Is(err, memlimit.ErrNoLimit):
			problem = slog.String("problem", err.Error())
			fallthrough
		default:
			source = "none"
		}
	}
	limit := debug.SetMemoryLimit(-1)
	if limit == math.MaxInt64 {
		log.Info("no memory limit", "source", source, "processors", runtime.GOMAXPROCS(0), problem)
		return
	}
	log.Info("memory limit", "bytes", limit, "source", source, "processors", runtime.GOMAXPROCS(0))
}
