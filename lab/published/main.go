// Command published decodes a bid request as published articles do: their types, their versions of
// libraries, one engine in a process. It does one job of package job; "go run . published" in the
// folder lab starts it for every measurement.
//
//	main.go     jobs
//	engines.go  the engines, as the articles call them
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"time"

	"github.com/rtbwire/rtbwire/internal/timing"
	"github.com/rtbwire/rtbwire/lab/published/job"
)

func main() {
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "published:", err)
		os.Exit(3)
	}
}

// serve does one job.
func serve(in io.Reader, out io.Writer) error {
	var j job.Job
	if err := json.NewDecoder(in).Decode(&j); err != nil {
		return fmt.Errorf("reading a job: %w", err)
	}
	var a job.Answer
	if err := do(&j, &a); err != nil {
		a.Err = err.Error()
	}
	return json.NewEncoder(out).Encode(a)
}

func do(j *job.Job, a *job.Answer) (err error) {
	documents, err := documents()
	if err != nil {
		return err
	}
	if j.Kind == job.About {
		about(documents, a)
		return nil
	}
	e, ok := find(j.Engine)
	if !ok {
		return fmt.Errorf("no engine %q", j.Engine)
	}
	d, ok := documents[j.Document]
	if !ok {
		return fmt.Errorf("no document %q", j.Document)
	}
	operation, err := e.operation(d)
	if err != nil {
		return err
	}
	switch j.Kind {
	case job.Check:
		a.Wrong = wrong(&e, d)
	case job.Time:
		a.Sample, err = measure(j, operation)
	case job.Serve:
		ops := make([]func(int) error, j.Service.Workers)
		for i := range ops {
			ops[i] = operation
		}
		a.Service, err = timing.Serve(j.Service, ops, 1)
	case job.Profile:
		err = profile(j, operation)
	default:
		err = fmt.Errorf("no job %q", j.Kind)
	}
	return err
}

// wrong says what an engine reads otherwise than encoding/json, "" for nothing.
func wrong(e *engine, d document) string {
	want := d.new()
	if err := json.Unmarshal(d.text, want); err != nil {
		return "encoding/json: " + err.Error()
	}
	for range 2 { // the second time memory is used again
		got, err := e.decode(d)
		if err != nil {
			return "refused: " + err.Error()
		}
		if !reflect.DeepEqual(got, want) {
			return "it reads something else than encoding/json"
		}
		if e.release != nil {
			e.release(got)
		}
	}
	return ""
}

// measure takes the time of decodes.
func measure(j *job.Job, operation func(int) error) (s timing.Sample, err error) {
	if j.Goroutines > 0 {
		ops := make([]func(int) error, j.Goroutines)
		for i := range ops {
			ops[i] = operation
		}
		return timing.Together(ops, 1, j.N)
	}
	// One processor, so that the collector's work counts and no other core does it.
	runtime.GOMAXPROCS(1)
	if j.Core != nil {
		if _, err := timing.OnCore(*j.Core); err != nil {
			return s, err
		}
	}
	if j.N == 0 {
		if j.N, err = timing.Calibrate(operation, 1, j.Budget); err != nil {
			return s, err
		}
	}
	return timing.Once(operation, 1, j.N)
}

// profile writes a CPU profile. Processor time counts, so that a busy machine gets as many samples.
func profile(j *job.Job, operation func(int) error) (err error) {
	if err := operation(0); err != nil { // without what happens only once
		return err
	}
	f, err := os.Create(j.File)
	if err != nil {
		return err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return err
	}
	start := time.Now()
	begin, counted := timing.CPUTime()
	for took := time.Duration(0); took < j.Budget && err == nil; {
		for i := 0; i < 100 && err == nil; i++ {
			err = operation(0)
		}
		if took = time.Since(start); counted {
			now, _ := timing.CPUTime()
			took = now - begin
		}
	}
	pprof.StopCPUProfile()
	if closing := f.Close(); err == nil {
		err = closing
	}
	return err
}

func about(documents map[string]document, a *job.Answer) {
	a.Documents, a.Versions = map[string]int{}, map[string]string{"go": runtime.Version()}
	for name, d := range documents {
		a.Documents[name] = len(d.text)
	}
	for _, e := range engines {
		a.Engines = append(a.Engines, e.name)
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Replace == nil {
				a.Versions[m.Path] = m.Version
			}
		}
	}
}
