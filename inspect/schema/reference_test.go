package schema

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

// pair is a checker and one that takes the slow way with every document.
type pair struct {
	name       string
	fast, slow *Checker
}

// allPairs has each preset, and each rule of the text layer alone: with others on, the notes that
// they ask for hide that one is missing.
func allPairs(t testing.TB) (list []pair) {
	add := func(name string, opts ...Option) {
		x := pair{name, strict(t, opts...), strict(t, opts...)}
		x.slow.slow = true
		list = append(list, x)
	}
	for _, preset := range Presets() {
		add(string(preset), WithPreset(preset))
		add(string(preset)+", lenient", WithPreset(preset), WithLenient(true))
	}
	add("any.later-version", WithSeverity("*", Off), WithSeverity("any.later-version", Warn), WithVersion("2.5"))
	for _, r := range Rules() {
		if r.Object == "*" && r.Undecidable == "" {
			add(r.ID, WithSeverity("*", Off), WithSeverity(r.ID, Warn))
		}
	}
	return list
}

// compare checks a document in both ways, as a request and as a response.
func (x *pair) compare(t *testing.T, data []byte) {
	t.Helper()
	for kind, check := range map[string]func(*Checker) Report{
		"request":  func(c *Checker) Report { return c.Request(data) },
		"response": func(c *Checker) Report { return c.Response(data) },
	} {
		got, want := check(x.fast), check(x.slow)
		if !slices.Equal(got.Findings, want.Findings) || got.Counts != want.Counts || got.Dropped != want.Dropped {
			t.Fatalf("%s, as a %s: %q\nfast:%s\nslow:%s", x.name, kind, data, describe(got), describe(want))
		}
	}
}

// TestReference compares the fast way with the slow one, on documents as they are and on mutated
// ones. RTBWIRE_LONG=1 makes it ten million.
func TestReference(t *testing.T) {
	docs := slices.Concat(testkit.Requests(t), testkit.Responses(t))
	for _, base := range append(bases, "answer") {
		docs = append(docs, clean(t, base))
	}
	all := allPairs(t)
	for _, doc := range docs {
		for i := range all {
			all[i].compare(t, doc)
		}
	}
	rng := testkit.Rand(testkit.Seed(t))
	n := testkit.Scale(t, 2_000, 20_000, 10_000_000)
	for i := range n {
		doc := docs[rng.IntN(len(docs))]
		if len(doc) > 1<<14 {
			continue
		}
		for range 1 + rng.IntN(3) {
			doc = mutated(rng, doc)
		}
		all[i%len(all)].compare(t, doc)
	}
	t.Logf("%d documents, %d mutated ones", len(docs), n)
}

// TestWatchingBegins gives a checker an engine that needs more of its decoders than the one before.
func TestWatchingBegins(t *testing.T) {
	admission, docs := strict(t, WithPreset(Admission)), [][]byte{
		[]byte(`{"id":"1","imp":[{"id":"1","ext":{"a":1,"a":2}}]}`),
		[]byte(`{"id":"1","seatbid":[{"bid":[{"id":"1","impid":"1","price":1,"ext":{"a":1,"a":2}}]}]}`),
		[]byte(`{"id":"1","imp":[{"id":"1","native":{"request":"{\"assets\":[{\"id\":1,\"ext\":{\"a\":1,\"a\":2}}]}"}}]}`),
	}
	for _, check := range []func(*Checker, []byte) Report{(*Checker).Request, (*Checker).Response} {
		for _, doc := range docs {
			c := strict(t, WithPreset(Permissive))
			check(c, doc)
			c.engine = admission.engine
			got, want := check(c, doc), check(admission, doc)
			if !slices.Equal(got.Findings, want.Findings) {
				t.Errorf("%s\ngot:%s\nwant:%s", doc, describe(got), describe(want))
			}
		}
	}
	if r := admission.Request(docs[0]); !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Number == uint16(ruleAnyExtDuplicateKey) }) {
		t.Errorf("no finding about a key inside ext:%s", describe(r))
	}
}

// FuzzReference compares the two ways on any text.
func FuzzReference(f *testing.F) {
	for _, base := range append(bases, "answer") {
		f.Add(clean(f, base))
	}
	for _, doc := range fuzzSeeds {
		f.Add([]byte(doc))
	}
	all := allPairs(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<14 {
			return
		}
		for i := range all {
			all[i].compare(t, data)
		}
	})
}

// mutated returns a document with one change of those that the text layer is about.
func mutated(rng *rand.Rand, doc []byte) []byte {
	keys := keysOf(doc)
	if len(keys) == 0 {
		return append(slices.Clone(doc), '}')
	}
	key := keys[rng.IntN(len(keys))] // the span of a key, quotes included
	values := []string{`null`, `""`, `[]`, `{}`, `1`, `"x"`, `[null]`, `[""]`, `1.5`, `true`, `[{}]`, `{"a":1,"a":2}`, `[{"b":{"c":1,"\u0063":1}}]`, `"\ud800"`, `"x\u0000"`, `"\\u0000"`, `["\u0000"]`, `{"a\u0000":"\u0000"}`}
	value := values[rng.IntN(len(values))]
	name := string(doc[key[0]:key[1]])
	switch rng.IntN(12) {
	case 10: // two letter cases
		return splice(doc, key[0], key[0], strings.ToUpper(name[:2])+name[2:]+":"+value+",")
	case 9: // NUL
		return splice(doc, key[1]-1, key[1]-1, `\u0000`)
	case 0: // another member of the same object, before it
		return splice(doc, key[0], key[0], name+":"+value+",")
	case 1: // a member with the name of any other one
		other := keys[rng.IntN(len(keys))]
		return splice(doc, key[0], key[0], string(doc[other[0]:other[1]])+": "+value+" , ")
	case 2: // letter case
		if other := strings.NewReplacer("k", "\u212a", "s", "\u017f").Replace(name); other != name {
			return splice(doc, key[0], key[1], other)
		}
		return splice(doc, key[0], key[1], strings.ToUpper(name[:2])+name[2:])
	case 3: // an escape
		if name[1] >= 'a' && name[1] <= 'z' {
			return splice(doc, key[0], key[1], `"\u00`+string("67"[(name[1]>>4)&1])+string("0123456789abcdef"[name[1]&15])+name[2:])
		}
		return splice(doc, key[0], key[0], `"\n":0,`)
	case 4: // an unknown member, twice sometimes
		n := 1 + rng.IntN(2)
		return splice(doc, key[0], key[0], strings.Repeat(`"x_`+string("ab"[rng.IntN(2)])+`":`+value+`,`, n))
	case 8: // the first copy leaves no trace
		return splice(doc, key[0], key[0], name+":"+[]string{`null`, `""`}[rng.IntN(2)]+",")
	case 5: // another value: of the next key, cut off where a comma or a brace follows
		end := key[1]
		for end < len(doc) && doc[end] != ',' && doc[end] != '}' {
			end++
		}
		return splice(doc, key[1], end, ":"+value)
	case 6: // a byte
		i := rng.IntN(len(doc))
		return splice(doc, i, i+1, string(rune(rng.IntN(256))))
	case 7: // white space
		return splice(doc, key[0], key[0], " \n\t ")
	}
	return doc[:rng.IntN(len(doc)+1)]
}

func splice(doc []byte, from, to int, text string) []byte {
	return slices.Concat(doc[:from], []byte(text), doc[to:])
}

// keysOf finds what looks like a key.
func keysOf(doc []byte) (spans [][2]int) {
	for i := 0; i < len(doc); {
		end := bytes.Index(doc[i:], []byte(`":`))
		if end < 0 {
			break
		}
		end += i + 1
		if start := bytes.LastIndexByte(doc[i:end-1], '"'); start >= 0 && i+start+2 < end {
			spans = append(spans, [2]int{i + start, end})
		}
		i = end
	}
	return spans
}
