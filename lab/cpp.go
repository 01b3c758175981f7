package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/rtbwire/rtbwire/lab/engine"
	"github.com/rtbwire/rtbwire/lab/measure"
	"github.com/rtbwire/rtbwire/lab/report"
)

// typedProgram does the Go decoder's job in C++. "make cpp ARGS=bench" builds it, and it takes
// turns with the engines.
const typedProgram = "../cpp/build/release/bench/typed_bench"

// typed measures the C++ program, which reads the banner request only.
type typed struct {
	program, document string
	core              int // that it runs on
}

// addTyped adds the program, if it has been built.
func (l *lab) addTyped() error {
	if !l.wanted(cppName) {
		return nil
	}
	t := typed{program: l.typed, core: l.core}
	if t.program == "" {
		t.program = typedProgram
	}
	if _, err := os.Stat(t.program); err != nil {
		if l.typed != "" {
			return fmt.Errorf("--typed: %w", err)
		}
		l.results.Missing = append(l.results.Missing, report.Missing{Name: cppName, Reason: "not built: make cpp ARGS=bench"})
		return nil
	}
	root, err := l.testdataFolder()
	if err != nil {
		return err
	}
	t.document = filepath.Join(root, "bench", "banner.json")
	infos, err := t.List()
	if err != nil {
		return err
	}
	l.addEngine(infos[0], t)
	return nil
}

const cppName = "cpp-simdjson"

// googleRun is what Google Benchmark writes.
type googleRun struct {
	Context    map[string]any
	Benchmarks []struct {
		Name       string
		Iterations int
		CPUTime    float64 `json:"cpu_time"`
		RealTime   float64 `json:"real_time"`
		TimeUnit   string  `json:"time_unit"`
		Error      string  `json:"error_message"`
	}
}

func (t typed) run(seconds float64) (*googleRun, error) {
	if t.core >= 0 { // a process inherits the cores that it may run on
		undo, err := measure.OnCore(t.core)
		if err != nil {
			return nil, err
		}
		defer undo()
	}
	// Seconds without a unit, for old releases of the library.
	out, err := exec.Command(t.program, t.document, "--benchmark_filter=typed_simdjson_ondemand/banner",
		fmt.Sprintf("--benchmark_min_time=%.4f", seconds), "--benchmark_format=json").Output()
	if err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			return nil, fmt.Errorf("%s: %w: %s", t.program, err, lastLine(string(exit.Stderr)))
		}
		return nil, err
	}
	b := new(googleRun)
	if err := json.Unmarshal(out, b); err != nil {
		return nil, err
	}
	if len(b.Benchmarks) != 1 || b.Benchmarks[0].Error != "" || b.Benchmarks[0].TimeUnit != "ns" {
		return nil, fmt.Errorf("%s: not one result in nanoseconds: %s", t.program, out)
	}
	return b, nil
}

// List describes the program.
func (t typed) List() ([]measure.Info, error) {
	b, err := t.run(0.001)
	if err != nil {
		return nil, err
	}
	return []measure.Info{{
		Name: cppName, Module: "simdjson (C++)", Version: fmt.Sprint(b.Context["simdjson"]),
		Config: fmt.Sprintf("On-Demand, %v: cpp/bench/typed_simdjson.cpp fills structs of the fields in the banner request, which is copied to padded memory first", b.Context["implementation"]),
		Source: "doc/performance.md: Reusing the parser for maximum efficiency",
		Note:   "C++; reads the banner request only; its memory is not counted",
		Safety: engine.Safety{Copies: engine.No, UTF8: engine.Yes, CaseSensitive: engine.Yes},
		Ops:    map[measure.Op]bool{measure.Decode: true},
	}}, nil
}

// Check leaves the check to the program, which refuses to run if a field is not read.
func (t typed) Check(_, set string, op measure.Op) (string, error) {
	if set != "banner" || op != measure.Decode {
		return measure.Unsupported, nil
	}
	return "", nil
}

// Run measures once.
func (t typed) Run(task measure.Task) (measure.Sample, error) {
	if task.Goroutines > 1 {
		return measure.Sample{}, errors.New("one thread only")
	}
	b, err := t.run(task.Budget.Seconds())
	if err != nil {
		return measure.Sample{}, err
	}
	r := b.Benchmarks[0]
	return measure.Sample{N: r.Iterations, NS: r.CPUTime, CPU: true, Wall: r.RealTime}, nil
}

// Service fails: there is no service in C++.
func (t typed) Service(measure.ServiceTask) (measure.ServiceResult, error) {
	return measure.ServiceResult{}, errors.New("no service in C++")
}
