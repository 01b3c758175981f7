package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
