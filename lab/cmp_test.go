package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rtbwire/rtbwire/openrtb"
)

// TestCompare compares values in arenas with values of their own by go-cmp, which panics for types
// with fields that it can't see. The test is here because users of the library inherit no module of
// its tests.
func TestCompare(t *testing.T) {
	compared := compare(t, "requests", openrtb.Parse, openrtb.ParseFastArena, openrtb.ReleaseArena) +
		compare(t, "responses", openrtb.ParseResponse, openrtb.ParseResponseFastArena, openrtb.ReleaseResponseArena)
	if compared < 2500 {
		t.Errorf("only %d messages were compared", compared)
	}
}

func compare[T any](t *testing.T, name string, own, arena func([]byte) (*T, error), release func(*T)) (compared int) {
	t.Helper()
	text, err := os.ReadFile("../testdata/corpus/" + name + ".ndjson")
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		want, wantErr := own(line)
		got, err := arena(line)
		if diff := cmp.Diff(want, got); diff != "" || (err == nil) != (wantErr == nil) {
			t.Errorf("%.100s: %v, %v\n%s", line, err, wantErr, diff)
		}
		if err == nil {
			compared++
			release(got)
		}
	}
	return compared
}
