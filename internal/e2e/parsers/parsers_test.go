package parsers

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
)

// engine returns the engine of a configuration, or the default one.
func engine(t *testing.T, configuration string) *inspect.Engine {
	t.Helper()
	file := filepath.Join(t.TempDir(), "rtbwire.yaml")
	if err := os.WriteFile(file, []byte("version: 1\n"+configuration), 0o600); err != nil {
		t.Fatal(err)
	}
	s, problems := config.Open(file, config.OpenOptions{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return s.Engine
}

// batchSize is the number of documents that readers have at once.
const batchSize = 1000

// item is a document for the readers, with what rtbwire reads.
type item struct {
	doc  *document
	text []byte
	want []value
	line string // want as text
	// scrubbed says that scrubs have been applied.
	scrubbed bool
}

// TestReaders compares what rtbwire reads in forwarded documents with what other parsers read.
// RTBWIRE_DOCUMENTS sets how many are forwarded.
func TestReaders(t *testing.T) {
	count := testkit.Number(t, "RTBWIRE_DOCUMENTS", testkit.Scale(t, 300, 2000, 20000))
	g, readers := newGenerator(t), allReaders(t)
	w, asked := engine(t, "").NewWorker(), newRules(t)
	log := ledger{count: map[string]map[string]int{}, unknown: map[string]int{}}
	for log.forwarded < count {
		var items []item
		for len(items) < batchSize && log.forwarded < count {
			doc := g.next(t)
			verdict := w.Inspect(doc.text, inspect.Facts{})
			if verdict.Action != inspect.ActionForward {
				log.refused++
				continue
			}
			if doc.fault {
				t.Errorf("document %d, %v: forwarded, must be refused: %q", doc.n, doc.mutations, doc.text)
				continue
			}
			log.forwarded++
			for _, name := range doc.mutations {
				g.forwarded[name]++
			}
			if len(verdict.Edits) > 0 {
				t.Fatalf("%v: edits without a configuration: %v", doc.mutations, verdict.Edits)
			}
			want := read(w.Request(), legacyValue)
			items = append(items, item{doc: &doc, text: doc.text, want: want, line: lineOf(want)})
			if text := asked.judge(t, &doc, want); text != nil {
				items = append(items, scrubbed(t, &doc, text))
			}
		}
		if log.compare(t, readers, items); log.broken {
			t.FailNow()
		}
	}
	log.report(t, g, readers)
}

// scrubbed reads what scrubs made of a document. It must have no value that they remove.
func scrubbed(t *testing.T, doc *document, text []byte) item {
	t.Helper()
	r, err := openrtb.Parse(text)
	if err != nil {
		t.Fatalf("%v: %v: %s", doc.mutations, err, text)
	}
	want := read(r, legacyValue)
	for i := range places {
		if p := places[i].pointer; isRemoved(p) && want[i].kind != '-' {
			t.Errorf("%v: %s is still there after scrubs: %s", doc.mutations, p, text)
		}
	}
	return item{doc, text, want, lineOf(want), true}
}

// ledger counts documents and differences.
type ledger struct {
	forwarded, refused int
	mutex              sync.Mutex
	count              map[string]map[string]int // documents by reader and kind
	unknown            map[string]int            // by reader
	broken             bool                      // a reader has ended
}

// compare has all readers read the items.
func (l *ledger) compare(t *testing.T, readers []reader, items []item) {
	t.Helper()
	texts := make([][]byte, len(items))
	for i := range items {
		texts[i] = items[i].text
	}
	var group sync.WaitGroup
	for i := range readers {
		group.Go(func() {
			r := &readers[i]
			lines, err := r.lines(texts)
			if err != nil {
				t.Errorf("reader %s: %v", r.name, err)
				l.mutex.Lock()
				l.broken = true
				l.mutex.Unlock()
				return
			}
			for i := range items {
				l.compareOne(t, r, &items[i], lines[i])
			}
		})
	}
	group.Wait()
}

// shownMost is the number of unknown differences that are shown of each reader.
const shownMost = 5

// compareOne compares the line of a reader with what rtbwire reads.
func (l *ledger) compareOne(t *testing.T, r *reader, x *item, line string) {
	t.Helper()
	if line == x.line {
		return
	}
	kinds := map[string]bool{}
	add := func(f *finding) {
		kind := ""
		d := kindOf(f)
		leak := f.place != nil && x.scrubbed && isRemoved(f.place.pointer) && !absent.same(f.got)
		if d != nil && !leak {
			kind = d.kind
		}
		kinds[kind] = true
		l.mutex.Lock()
		defer l.mutex.Unlock()
		if kind != "" {
			return
		}
		if l.unknown[r.name]++; l.unknown[r.name] > shownMost {
			t.Fail()
			return
		}
		if f.place == nil {
			t.Errorf("document %d, %v: forwarded, and %s refuses it: %q", x.doc.n, x.doc.mutations, r.name, x.text)
			return
		}
		after := ""
		if x.scrubbed {
			after = " after scrubs"
		}
		t.Errorf("document %d, %v%s: rtbwire reads %s at %s, %s reads %s: %q",
			x.doc.n, x.doc.mutations, after, f.want.show(), f.place.pointer, r.name, f.got.show(), x.text)
	}
	if line == refused {
		add(&finding{text: x.text, reader: r})
	} else {
		cells := strings.Split(line, "\t")
		if len(cells) != len(places) {
			t.Errorf("reader %s has %d values, want %d: %s", r.name, len(cells), len(places), line)
			return
		}
		for i, cell := range cells {
			got, err := parseValue(cell)
			if err != nil {
				t.Errorf("reader %s: %v", r.name, err)
				return
			}
			if got = places[i].reading.as(got); !x.want[i].same(got) {
				add(&finding{text: x.text, reader: r, place: &places[i], want: x.want[i], got: got})
			}
		}
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for kind := range kinds {
		if l.count[kind] == nil {
			l.count[kind] = map[string]int{}
		}
		l.count[kind][r.name]++
	}
}

// report logs what was compared.
func (l *ledger) report(t *testing.T, g *generator, readers []reader) {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d: %d documents forwarded, %d refused\n\nmutation, documents, forwarded:\n", g.seed, l.forwarded, l.refused)
	for _, name := range slices.Sorted(maps.Keys(g.made)) {
		fmt.Fprintf(&b, "  %-24s %7d %7d\n", name, g.made[name], g.forwarded[name])
	}
	fmt.Fprintf(&b, "\nreaders: ")
	for _, r := range readers {
		fmt.Fprintf(&b, "%s ", r.name)
	}
	fmt.Fprintf(&b, "\ndifferences by kind and reader, in documents:\n")
	for _, kind := range slices.Sorted(maps.Keys(l.count)) {
		for _, name := range slices.Sorted(maps.Keys(l.count[kind])) {
			fmt.Fprintf(&b, "  %-24s %-22s %7d\n", kind, name, l.count[kind][name])
		}
	}
	t.Log(b.String())
	for i := range known {
		// A small run needs not have all of them.
		if d := &known[i]; len(l.count[d.kind]) == 0 && !d.version && os.Getenv("RTBWIRE_READERS") != "" && l.forwarded >= enough {
			t.Errorf("known differences: none of kind %s occurred: remove it", d.kind)
		}
	}
	for _, m := range append(slices.Clone(mutations), faults...) {
		if g.made[m.name] == 0 && l.forwarded >= enough {
			t.Errorf("mutation %s was never possible", m.name)
		}
	}
}

// enough is the number of documents that have every mutation and every known difference.
const enough = 20000
