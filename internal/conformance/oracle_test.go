package conformance

import (
	"testing"

	"github.com/rtbwire/rtbwire/internal/oracle"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/wire"
)

// expect returns what the oracle makes of a document.
func expect(e *entry, data []byte, o oracle.Options) oracle.Outcome {
	o.Mode = e.mode
	want := oracle.Outcome{Value: e.zero()}
	want.Fault, want.Saved = oracle.Decode(data, want.Value, o)
	want.Saved = want.Saved[:min(len(want.Saved), wire.SavedMax)]
	return want
}

// against compares one decoding with the oracle.
func against(tb testing.TB, e *entry, data []byte, o oracle.Options) {
	tb.Helper()
	if s := e.differs(data, expect(e, data, o)); s != "" {
		tb.Errorf("%s of %s: %s", e.name, testkit.Abridged(data), s)
	}
}

// everywhere compares every way to decode, with every kernel, with the oracle.
func everywhere(tb testing.TB, list []*entry, data []byte) {
	tb.Helper()
	var known [2][3]*oracle.Outcome // by type and mode
	for _, l := range testkit.Levels() {
		undo := testkit.SetLevel(l)
		for _, e := range list {
			want := &known[e.kind()][e.mode]
			if *want == nil {
				*want = new(expect(e, data, oracle.Options{}))
			}
			if s := e.differs(data, **want); s != "" {
				tb.Errorf("%v: %s of %s: %s", l, e.name, testkit.Abridged(data), s)
			}
		}
		undo()
	}
}
