// Package profile runs one engine on one data set under Go's profiler, and explains the functions
// at the top and how to improve them. The command is lab/cmd/profile.
package profile

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"time"

	"github.com/google/pprof/profile"

	"github.com/rtbwire/rtbwire/lab/data"
	"github.com/rtbwire/rtbwire/lab/engine"
	"github.com/rtbwire/rtbwire/lab/measure"
)

// Options say what to profile.
type Options struct {
	Engine, Set, Op string
	Kind            string // cpu, alloc_objects or alloc_space
	For             time.Duration
	Out             string // the profile's file
	Top             int    // number of functions to print
}

// Flags declares the options.
func (o *Options) Flags(f *flag.FlagSet) {
	f.StringVar(&o.Engine, "impl", "encoding-json", "the `engine` to profile; -list names them")
	f.StringVar(&o.Set, "set", "banner", "the data `set`")
	f.StringVar(&o.Op, "op", "decode", "decode, encode, partial or validate")
	f.StringVar(&o.Kind, "kind", "cpu", "cpu, alloc_objects or alloc_space")
	f.DurationVar(&o.For, "time", 3*time.Second, "how long to run")
	f.StringVar(&o.Out, "out", "", "write the profile to `file` (default <engine>-<set>-<op>-<kind>.pprof)")
	f.IntVar(&o.Top, "top", 15, "print so many functions by their own time, and by the time with what they call")
}

// Kinds are the profiles that can be taken.
var Kinds = []string{"cpu", "alloc_objects", "alloc_space"}

// Run takes a profile and prints it. No other code should run in the process: a profile of
// allocations samples all of them.
func Run(b *measure.Bench, o Options, w io.Writer) error {
	e, ok := engine.Find(b.Engines, o.Engine)
	if !ok {
		return fmt.Errorf("no engine %q", o.Engine)
	}
	s, ok := data.Find(b.Sets, o.Set)
	if !ok {
		return fmt.Errorf("no data set %q: there are %s", o.Set, strings.Join(sets(b), ", "))
	}
	op := measure.Op(o.Op)
	if !slices.Contains(measure.Ops, op) || !measure.Supports(&e, s, op) {
		return fmt.Errorf("%s can not %s %s", o.Engine, o.Op, o.Set)
	}
	if !slices.Contains(Kinds, o.Kind) {
		return fmt.Errorf("no profile of kind %q: there are %s", o.Kind, strings.Join(Kinds, ", "))
	}
	do, err := b.Operation(&e, s, op)
	if err != nil {
		return err
	}
	if err := do(0); err != nil { // without what happens only once
		return err
	}
	text, n, err := take(do, len(s.Docs), o)
	if err != nil {
		return err
	}
	if o.Out == "" {
		o.Out = fmt.Sprintf("%s-%s-%s-%s.pprof", o.Engine, o.Set, o.Op, o.Kind)
	}
	if err := os.WriteFile(o.Out, text, 0o644); err != nil {
		return err
	}
	p, err := profile.ParseData(text)
	if err != nil {
		return err
	}
	lines, total, err := top(p, o.Kind)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s, %s %s, %s: %d documents in %v\n\n", o.Engine, o.Op, o.Set, o.Kind, n, o.For)
	render(w, lines, total, o.Top)
	_, err = fmt.Fprintf(w, "\nwritten to %s; look closer with: go tool pprof -http=: %s\n", o.Out, o.Out)
	return err
}

func sets(b *measure.Bench) (names []string) {
	for _, s := range b.Sets {
		names = append(names, s.Name)
	}
	return names
}

// take runs the operation for a while and returns the profile and the number of documents.
func take(do func(int) error, docs int, o Options) (text []byte, n int, err error) {
	var out bytes.Buffer
	if o.Kind == "cpu" {
		runtime.SetCPUProfileRate(0)
		if err := pprof.StartCPUProfile(&out); err != nil {
			return nil, 0, err
		}
		defer func() { pprof.StopCPUProfile(); text = out.Bytes() }()
	} else {
		runtime.MemProfileRate = 1
		defer func() {
			runtime.GC() // the profile ends at the last collection
			runtime.MemProfileRate = 0
			err = pprof.Lookup("allocs").WriteTo(&out, 0)
			text = out.Bytes()
		}()
	}
	// Processor time, so that a busy machine gets as many samples.
	start := time.Now()
	begin, counted := measure.CPUTime()
	took := func() time.Duration {
		if now, _ := measure.CPUTime(); counted {
			return now - begin
		}
		return time.Since(start)
	}
	for ; took() < o.For; n += docs {
		for i := range docs {
			if err := do(i); err != nil {
				return nil, n, err
			}
		}
	}
	return nil, n, nil
}

// line is a function of a profile.
type line struct {
	name      string
	flat, cum int64
}

// top sums up a profile by function: what was spent in it, and in it and what it calls.
func top(p *profile.Profile, kind string) (lines []line, total int64, err error) {
	column := -1
	for i, t := range p.SampleType {
		if t.Type == kind {
			column = i
		}
	}
	if column < 0 {
		return nil, 0, fmt.Errorf("the profile has no column %s", kind)
	}
	byName := map[string]*line{}
	for _, s := range p.Sample {
		v := s.Value[column]
		if !ours(s) {
			continue
		}
		total += v
		seen := map[string]bool{}
		for i, location := range s.Location {
			for j, l := range location.Line {
				name := l.Function.Name
				f := byName[name]
				if f == nil {
					f = &line{name: name}
					byName[name] = f
				}
				if i == 0 && j == 0 {
					f.flat += v
				}
				if !seen[name] {
					seen[name] = true
					f.cum += v
				}
			}
		}
	}
	for _, f := range byName {
		lines = append(lines, *f)
	}
	return lines, total, nil
}

// sorted returns the functions with the largest values first, without those that have none.
func sorted(lines []line, value func(line) int64) []line {
	lines = slices.DeleteFunc(slices.Clone(lines), func(l line) bool { return value(l) == 0 })
	slices.SortFunc(lines, func(a, b line) int {
		return cmp.Or(cmp.Compare(value(b), value(a)), strings.Compare(a.name, b.name))
	})
	return lines
}

// frame reports whether a function only calls what is profiled, or runs everything.
func frame(name string) bool {
	return strings.HasPrefix(name, "main.") || strings.HasPrefix(name, "runtime.main") || name == "runtime.goexit" || strings.Contains(name, "rtbwire/lab/")
}

// ours reports whether a sample belongs to the operation or to the collector.
func ours(s *profile.Sample) bool {
	background := true
	for _, location := range s.Location {
		for _, l := range location.Line {
			switch name := l.Function.Name; {
			case strings.HasSuffix(name, "lab/profile.take"):
				return true
			case strings.HasPrefix(name, "main.") || strings.Contains(name, "rtbwire/lab/"):
				background = false
			}
		}
	}
	return background // the collector's own goroutines
}

// render prints two lists: what functions take themselves, which says what the processor does, and
// what they take with all that they call, which says whose decision that was.
func render(w io.Writer, lines []line, total int64, most int) {
	told := map[string]bool{}
	fmt.Fprintln(w, "by what functions take themselves (flat):")
	renderList(w, sorted(lines, func(l line) int64 { return l.flat }), total, most, told)
	lines = slices.DeleteFunc(slices.Clone(lines), func(l line) bool { return frame(l.name) })
	fmt.Fprintln(w, "\nby what they take with all that they call (cum):")
	renderList(w, sorted(lines, func(l line) int64 { return l.cum }), total, most, told)
}

func renderList(w io.Writer, lines []line, total int64, most int, told map[string]bool) {
	fmt.Fprintf(w, "%6s %6s  function\n", "flat", "cum")
	share := func(v int64) float64 { return 100 * float64(v) / float64(max(total, 1)) }
	for _, l := range lines[:min(most, len(lines))] {
		fmt.Fprintf(w, "%5.1f%% %5.1f%%  %s\n", share(l.flat), share(l.cum), l.name)
		if h := explain(l.name); h != nil && !told[h.what] {
			told[h.what] = true
			fmt.Fprintf(w, "%16s%s\n%16sfix: %s\n", "", h.what, "", h.fix)
		}
	}
}
