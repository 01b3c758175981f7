package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestSimulate(t *testing.T) {
	make := func(args ...string) (string, string) {
		t.Helper()
		var out, messages bytes.Buffer
		if err := simulate(args, &out, &messages); err != nil {
			t.Fatal(err)
		}
		return out.String(), messages.String()
	}
	a, _ := make("-n", "200", "-seed", "7")
	b, _ := make("-n", "200", "-seed", "7")
	c, _ := make("-n", "200", "-seed", "8")
	if a != b || a == c {
		t.Error("the seed does not decide")
	}
	valid := func(text string) (n int) {
		for line := range strings.Lines(text) {
			if json.Valid([]byte(line)) {
				n++
			}
		}
		return n
	}
	if n := valid(a); n != 200 {
		t.Errorf("%d of 200 are JSON", n)
	}
	broken, faults := make("-n", "300", "-broken", "1", "-sizes", "banner=1")
	if n := valid(broken); n > 150 || strings.Count(broken, "\n") != 300 || strings.Count(faults, "\n") != 5 {
		t.Errorf("%d are JSON all the same; faults:\n%s", n, faults)
	}
	for _, args := range [][]string{{"-n", "-1"}, {"-broken", "2"}, {"-exchanges", "0"}, {"-sizes", "x=1"}, {"-sizes", "banner=0"}, {"-sizes", "banner"}, {"more"}, {"-no"}} {
		if err := simulate(args, new(bytes.Buffer), new(bytes.Buffer)); !errors.Is(err, errUsage) {
			t.Errorf("%v: %v", args, err)
		}
	}
}
