package main

import (
	"bytes"
	"math"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"time"

	"github.com/google/pprof/profile"

	"github.com/rtbwire/rtbwire/lab/figures"
	"github.com/rtbwire/rtbwire/lab/measure"
)

// stacks is a profile: how often each stack was seen, with the innermost function first. Functions
// are called as in section 15, "json.encodeState.string" for (*encodeState).string.
type stacks []stack

type stack struct {
	functions []string
	n         int64
}

// cpuProfile repeats do for a while and profiles it.
func (t *trial) cpuProfile(do func() error) (stacks, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	length := time.Duration(t.pick(2500, 300, 15)) * time.Millisecond
	var out bytes.Buffer
	if err := do(); err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(&out); err != nil {
		return nil, err
	}
	err := repeat(do, length)
	pprof.StopCPUProfile()
	if err != nil {
		return nil, err
	}
	p, err := profile.ParseData(out.Bytes())
	if err != nil {
		return nil, err
	}
	return flatten(p), nil
}

// repeat does something for so much processor time: samples come by it.
func repeat(do func() error, length time.Duration) error {
	used := func() time.Duration {
		if d, ok := measure.CPUTime(); ok {
			return d
		}
		return time.Duration(time.Now().UnixNano())
	}
	for start := used(); used()-start < length; {
		for range 20 {
			if err := do(); err != nil {
				return err
			}
		}
	}
	return nil
}

// allocProfile counts what n calls of do allocate, every object.
func allocProfile(do func() error, n int) (stacks, error) {
	if err := do(); err != nil {
		return nil, err
	}
	before := allocations()
	rate := runtime.MemProfileRate
	runtime.MemProfileRate = 1
	err := profiledCalls(do, n)
	runtime.MemProfileRate = rate
	if err != nil {
		return nil, err
	}
	var out stacks
	for at, n := range allocations() {
		var functions []string
		length := slices.Index(at[:], 0)
		if length < 0 {
			length = len(at)
		}
		for frames := runtime.CallersFrames(at[:length]); ; {
			frame, more := frames.Next()
			functions = append(functions, shortName(frame.Function))
			if !more {
				break
			}
		}
		own := slices.ContainsFunc(functions, func(f string) bool { return strings.HasSuffix(f, ".profiledCalls") })
		if n -= before[at]; n > 0 && own {
			out = append(out, stack{functions, n})
		}
	}
	return out, nil
}

// allocations returns how many objects were profiled since the process was started, by stack.
func allocations() map[[32]uintptr]int64 {
	runtime.GC() // the profile ends with the last collection but one
	runtime.GC()
	out := map[[32]uintptr]int64{}
	records := make([]runtime.MemProfileRecord, 1000)
	for n, ok := runtime.MemProfile(records, true); !ok; n, ok = runtime.MemProfile(records, true) {
		records = make([]runtime.MemProfileRecord, n+100)
	}
	for _, r := range records {
		out[r.Stack0] += r.AllocObjects
	}
	return out
}

// profiledCalls is in the stacks that count, and not in those of taking the profile.
//
//go:noinline
func profiledCalls(do func() error, n int) error {
	for range n {
		if err := do(); err != nil {
			return err
		}
	}
	return nil
}

func flatten(p *profile.Profile) stacks {
	var out stacks
	for _, s := range p.Sample {
		var functions []string
		for _, location := range s.Location {
			for _, line := range location.Line {
				functions = append(functions, shortName(line.Function.Name))
			}
		}
		out = append(out, stack{functions, s.Value[0]}) // the number of samples
	}
	return out
}

// shortName drops folders of packages, receivers' parentheses and type arguments.
func shortName(function string) string {
	function, _, _ = strings.Cut(function, "[")
	function = function[strings.LastIndexByte(function, '/')+1:]
	return strings.NewReplacer("(*", "", ")", "").Replace(function)
}

// passing returns the share of stacks with a function for which match is true, and its 95%
// interval by Wilson's formula.
func (s stacks) passing(match func(function string) bool) figures.Figure {
	var hits, all int64
	for _, one := range s {
		all += one.n
		if slices.ContainsFunc(one.functions, match) {
			hits += one.n
		}
	}
	if all == 0 {
		return figures.Figure{Lo: 0, Hi: 1, Unit: "share"}
	}
	const z = 1.96
	n, p := float64(all), float64(hits)/float64(all)
	center := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return figures.Figure{Value: p, Lo: min(p, max(center-half, 0)), Hi: max(p, min(center+half, 1)), Unit: "share"}
}

// named matches functions by the beginning of their names: runtime.mapassign is a family.
func named(prefix string) func(string) bool {
	return func(function string) bool { return strings.HasPrefix(function, prefix) }
}

// allocating matches the functions that allocate memory and those that collect it.
func allocating(function string) bool {
	for _, prefix := range []string{"runtime.mallocgc", "runtime.gc", "runtime.bgsweep", "runtime.bgscavenge", "runtime.growslice"} {
		if strings.HasPrefix(function, prefix) {
			return true
		}
	}
	return false
}
