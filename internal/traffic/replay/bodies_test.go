package replay

import (
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/batch"
	"github.com/rtbwire/rtbwire/internal/record"
)

// TestLoadCapture loads the requests of a capture, of which the last line is cut.
func TestLoadCapture(t *testing.T) {
	want := []string{`{"id":"1"}`, "{\n \"id\": \"2\"}", `not JSON`}
	var text []byte
	for _, request := range want {
		var err error
		if text, err = record.Append(text, &record.Record{Request: []byte(request), Expect: record.Decision{Action: "forward"}}); err != nil {
			t.Fatal(err)
		}
	}
	b, err := Load([]batch.Input{batch.From("x", strings.NewReader(string(text)+`{"capture":1,"name":"cut`))}, LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if b.Len() != len(want) || b.Cut() != 1 {
		t.Fatalf("%d requests, %d cut", b.Len(), b.Cut())
	}
	for i := range want {
		if string(b.At(i)) != want[i] {
			t.Errorf("request %d is %q, want %q", i, b.At(i), want[i])
		}
	}
}
