package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/lab/report"
)

// TestTyped reads the output of a program that writes like Google Benchmark.
func TestTyped(t *testing.T) {
	program := filepath.Join(t.TempDir(), "typed")
	say := func(text string) {
		t.Helper()
		if err := os.WriteFile(program, []byte("#!/bin/sh\ncat <<'END'\n"+text+"\nEND\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	p := typed{program, "banner.json", anyCore}
	const good = `{"context":{"simdjson":"9.9.9","implementation":"haswell"},"benchmarks":[{"name":"typed_simdjson_ondemand/banner","iterations":7,"cpu_time":12.5,"time_unit":"ns"}]}`
	say(good)
	infos, err := p.List()
	if err != nil || infos[0].Version != "9.9.9" || !strings.Contains(infos[0].Config, "haswell") {
		t.Errorf("%+v, %v", infos, err)
	}
	for _, bad := range []string{`{`, `{"benchmarks":[]}`, strings.Replace(good, `"ns"`, `"us"`, 1), strings.Replace(good, `"name"`, `"error_message":"not read","name"`, 1)} {
		say(bad)
		if _, err := p.List(); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}

func TestReadScanner(t *testing.T) {
	file := filepath.Join(t.TempDir(), "bench.json")
	text := `{"context":{"date":"2026-01-02T03:04:05+00:00"},"benchmarks":[
{"name":"a/corpus/threads:2","run_type":"iteration","threads":2,"cpu_time":500,"time_unit":"ns","bytes_per_second":2e9,"heap":0,"arena":64},
{"name":"b/three/threads:1","run_type":"iteration","threads":1,"cpu_time":100,"time_unit":"ns","error_occurred":true}]}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := report.ReadScanner(file)
	if err != nil || len(s) != 1 || s[0] != (report.ScannerRow{Name: "a", Set: "corpus", Threads: 2, NS: 500, GBPerSecond: 4, Arena: 64}) {
		t.Errorf("%+v, %v", s, err)
	}
	for _, bad := range []string{"{", `{"benchmarks":[{"name":"a","time_unit":"ns"}]}`, `{"benchmarks":[{"name":"a/b","time_unit":"ms"}]}`} {
		if err := os.WriteFile(file, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := report.ReadScanner(file); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}
