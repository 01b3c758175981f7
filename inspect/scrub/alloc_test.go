package scrub_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/rtbwire/rtbwire/inspect/scrub"
	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
	"github.com/rtbwire/rtbwire/wire/splice"
)

// busy has a second spec that reaches into arrays and makes pseudonyms.
var busy = scrub.Spec{
	Hash:    []string{"/user/ext/eids/*/uids/*/id", "/device/ifa", "/imp/*/id"},
	Remove:  []string{"/imp/*/ext", "/app/bundle"},
	Replace: []scrub.Replacement{{"/source/tid", []byte(`""`)}},
	Key:     testKey,
}

// TestAllocations checks that a warm scratch allocates nothing.
func TestAllocations(t *testing.T) {
	if !mem.ZeroCopy {
		t.Skip("strings are copied")
	}
	p := mustCompile(t, privacy, busy)
	m := new(scrub.Scratch)
	var edits []wire.Edit
	docs := append(testkit.Requests(t), []byte(`{"device":{"ip":"192.0.2.1","i\u0070":"192.0.2.2"},"user":{"Id":"x","id":"y"}}`))
	run := func(doc []byte) {
		var err error
		if edits, err = p.Append(edits[:0], doc, m, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, doc := range docs {
		run(doc)
	}
	made := 0
	for _, doc := range docs {
		if n := testkit.Allocs(func() { run(doc) }); n != 0 && !testkit.Race {
			t.Fatalf("%v allocations for %s", n, doc)
		}
		made += len(edits)
	}
	if made < len(docs) {
		t.Errorf("only %d edits", made)
	}
}

// TestKeepsLittle checks that a large request does not leave its memory to the scratch.
func TestKeepsLittle(t *testing.T) {
	const ids = 100_000
	body := append(append([]byte(`{"user":{"eids":[{"uids":[{"id":"x"}`), bytes.Repeat([]byte(`,{"id":"x"}`), ids-1)...), `]}]}}`...)
	p := mustCompile(t, scrub.Spec{Hash: []string{"/user/eids/*/uids/*/id"}, Key: testKey})
	m := new(scrub.Scratch)
	edits, err := p.Append(nil, body, m, nil)
	if err != nil || len(edits) != ids || edits[ids-1].Path != "/user/eids/0/uids/99999/id" {
		t.Fatalf("%d edits, %v", len(edits), err)
	}
	if kept := scrub.Retained(m); kept > 1<<20 {
		t.Errorf("%d bytes are kept", kept)
	}
	if out, err := splice.Apply(nil, body, edits...); err != nil || bytes.Contains(out, []byte(`"x"`)) {
		t.Errorf("%v", err)
	}
}

// BenchmarkScrub measures finding the edits of the spec of the documentation, and applying them.
func BenchmarkScrub(b *testing.B) {
	p := mustCompile(b, privacy)
	for _, name := range []string{"banner", "app"} {
		body, err := os.ReadFile(testkit.Path(b, "testdata/bench/"+name+".json"))
		if err != nil {
			b.Fatal(err)
		}
		m := new(scrub.Scratch)
		var edits []wire.Edit
		var out []byte
		find := func(b *testing.B) {
			if edits, err = p.Append(edits[:0], body, m, nil); err != nil {
				b.Fatal(err)
			}
		}
		run := func(what string, do func(b *testing.B)) {
			b.Run(name+"/"+what, func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(len(body)))
				for b.Loop() {
					do(b)
				}
				b.ReportMetric(float64(len(edits)), "edits")
			})
		}
		run("edits", find)
		decoder := openrtb.NewDecoder()
		run("decode", func(b *testing.B) { // for comparison
			if _, err := decoder.Decode(body); err != nil {
				b.Fatal(err)
			}
		})
		run("both", func(b *testing.B) {
			find(b)
			if out, err = splice.Apply(out[:0], body, edits...); err != nil {
				b.Fatal(err)
			}
		})
	}
}
