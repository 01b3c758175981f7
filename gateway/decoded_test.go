package gateway

import (
	"fmt"
	"strings"
	"testing"
)

// TestKeptID reads the id of a request after its worker was given back and has decoded another one.
// The ids have escapes, so that they are in memory of the worker.
func TestKeptID(t *testing.T) {
	t.Parallel()
	g, err := New(Options{Upstreams: At("http://127.0.0.1:9")})
	if err != nil {
		t.Fatal(err)
	}
	p := g.plan.Load()
	body := func(letter string) []byte {
		return fmt.Appendf(nil, `{"id":"\u002f%s","imp":[{"id":"1"}]}`, strings.Repeat(letter, 20))
	}
	var d decoded
	first := body("a")
	if !d.borrow(p, &g.decoding, len(first)) {
		t.Fatal("no memory")
	}
	w := d.worker
	if err := w.Decode(first); err != nil {
		t.Fatal(err)
	}
	d.keepID()
	d.giveBack(p, &g.decoding)
	for _, letter := range []string{"b", "c"} { // the worker may use two memories in turn
		if err := w.Decode(body(letter)); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := d.requestID(), "/"+strings.Repeat("a", 20); got != want {
		t.Errorf("the id is %q after others were decoded, want %q", got, want)
	}
}
