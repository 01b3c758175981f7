package schema

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/openrtb"
)

var update = flag.Bool("update", false, "rewrite the golden files and docs/reference/rules.md")

// shared is the folder of the test data that all packages use.
const shared = "../../testdata/"

// strict returns a checker without a practical limit of findings.
func strict(t testing.TB, opts ...Option) *Checker {
	t.Helper()
	e, err := New(append([]Option{WithMaxFindings(1 << 20)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	return e.NewChecker()
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.FromSlash(path))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// clean reads one of the documents without findings.
func clean(t testing.TB, name string) []byte {
	t.Helper()
	if data, ok := cleanTexts.Load(name); ok {
		return data.([]byte)
	}
	data := readFile(t, "testdata/clean/"+name+".json")
	cleanTexts.Store(name, data)
	return data
}

var cleanTexts sync.Map // by name; read-only

// corpus reads the documents of testdata/corpus, one per line.
func corpus(t testing.TB, name string) [][]byte {
	t.Helper()
	return bytes.Split(bytes.TrimSpace(readFile(t, shared+"corpus/"+name+".ndjson")), []byte("\n"))
}

// golden compares text with a file of testdata, or writes it with -update.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; go test ./inspect/schema -update writes it", err)
	}
	if string(want) == got {
		return
	}
	g, w := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range max(len(g), len(w)) {
		if at(g, i) != at(w, i) {
			t.Fatalf("%s is not up to date, line %d:\n got %s\nwant %s\ngo test ./inspect/schema -update writes it", path, i+1, at(g, i), at(w, i))
		}
	}
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(end of file)"
}

// ids returns the sorted set of the ids of findings.
func ids(r Report) []string {
	set := map[string]bool{}
	for _, f := range r.Findings {
		set[f.ID] = true
	}
	return slices.Sorted(maps.Keys(set))
}

func has(r Report, id string) bool { return slices.Contains(ids(r), id) }

func describe(r Report) string {
	var b strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "\n\t%v %s %v %q at %d: %s", f.Severity.Level(), f.ID, f.Doc, f.Path, f.Offset, f.Message)
	}
	if b.Len() == 0 {
		return " nothing"
	}
	return b.String()
}

// decodeAny decodes a document without a schema. Numbers stay as they are written.
func decodeAny(t testing.TB, data []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return v
}

// edited applies changes to a document: "/imp/0/id = 5" sets a member or an element, creating
// objects on the way; "- /imp/0/id" removes one; "copy /imp/0 /imp/-" sets one to another value of
// the document.
func edited(t testing.TB, doc []byte, changes ...string) []byte {
	t.Helper()
	root := decodeAny(t, doc)
	for _, change := range changes {
		if paths, ok := strings.CutPrefix(change, "copy "); ok {
			from, to, _ := strings.Cut(paths, " ")
			root = edit1(t, root, splitPointer(to), decodeAny(t, encode(t, lookup(root, from))), true)
			continue
		}
		pointer, value, set := strings.Cut(change, " = ")
		if !set {
			pointer, value = strings.TrimPrefix(change, "- "), ""
			if pointer == change {
				t.Fatalf("change %q has neither = nor -", change)
			}
		}
		var v any
		if set {
			v = decodeAny(t, []byte(value))
		}
		root = edit1(t, root, splitPointer(pointer), v, set)
	}
	return encode(t, root)
}

// encode writes a value as compact JSON with sorted keys.
func encode(t testing.TB, v any) []byte {
	t.Helper()
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSpace(out.Bytes())
}

// lookup returns the value that a pointer leads to, or nil.
func lookup(root any, pointer string) any {
	for _, part := range splitPointer(pointer) {
		switch at := root.(type) {
		case map[string]any:
			root = at[part]
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i >= len(at) {
				return nil
			}
			root = at[i]
		default:
			return nil
		}
	}
	return root
}

func edit1(t testing.TB, at any, path []string, v any, set bool) any {
	t.Helper()
	if len(path) == 0 {
		return v
	}
	switch at := at.(type) {
	case nil:
		return edit1(t, map[string]any{}, path, v, set)
	case map[string]any:
		if len(path) == 1 && !set {
			if _, ok := at[path[0]]; !ok {
				t.Fatalf("no member %q to remove", path[0])
			}
			delete(at, path[0])
			return at
		}
		at[path[0]] = edit1(t, at[path[0]], path[1:], v, set)
		return at
	case []any:
		i, err := strconv.Atoi(path[0])
		if path[0] == "-" {
			i, at = len(at), append(at, nil)
		} else if err != nil || i >= len(at) {
			t.Fatalf("no element %q", path[0])
		}
		if len(path) == 1 && !set {
			return slices.Delete(at, i, i+1)
		}
		at[i] = edit1(t, at[i], path[1:], v, set)
		return at
	}
	t.Fatalf("%v has no members", at)
	return nil
}

var unescapePointer = strings.NewReplacer("~1", "/", "~0", "~")

func splitPointer(p string) []string {
	if p == "" {
		return nil
	}
	parts := strings.Split(p[1:], "/")
	for i := range parts {
		parts[i] = unescapePointer.Replace(parts[i])
	}
	return parts
}

// places holds the offsets of everything in a document, found with encoding/json: a reference for
// the text layer's nodes. Of a repeated key the last one counts.
type places struct {
	data   []byte
	values map[string]int   // by pointer
	former map[string][]int // of values whose key is repeated later
	keys   map[string][]int
}

var escapePointer = strings.NewReplacer("~", "~0", "/", "~1")

func placesOf(t testing.TB, data []byte) *places {
	t.Helper()
	p := &places{data, map[string]int{}, map[string][]int{}, map[string][]int{}}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	p.value(t, d, "")
	return p
}

// next returns the offset of the next token.
func (p *places) next(d *json.Decoder) int {
	at := int(d.InputOffset())
	for at < len(p.data) && strings.IndexByte(" \t\r\n,:", p.data[at]) >= 0 {
		at++
	}
	return at
}

func (p *places) value(t testing.TB, d *json.Decoder, pointer string) {
	t.Helper()
	if _, again := p.values[pointer]; again { // the earlier value of the key does not count
		for other, at := range p.values {
			if strings.HasPrefix(other+"/", pointer+"/") {
				p.former[other] = append(p.former[other], at)
				delete(p.values, other)
			}
		}
	}
	p.values[pointer] = p.next(d)
	token, err := d.Token()
	if err != nil {
		t.Fatal(err)
	}
	switch token {
	case json.Delim('{'):
		for d.More() {
			start := p.next(d)
			key, err := d.Token()
			if err != nil {
				t.Fatal(err)
			}
			member := pointer + "/" + escapePointer.Replace(key.(string))
			p.keys[member] = append(p.keys[member], start)
			p.value(t, d, member)
		}
		_, _ = d.Token()
	case json.Delim('['):
		for i := 0; d.More(); i++ {
			p.value(t, d, pointer+"/"+strconv.Itoa(i))
		}
		_, _ = d.Token()
	}
}

// of returns where a finding about a pointer belongs: at the value, or at the innermost value
// around it.
func (p *places) of(pointer string) int {
	for {
		if at, ok := p.values[pointer]; ok {
			return at
		}
		pointer = pointer[:strings.LastIndexByte(pointer, '/')]
	}
}

// aboutKeys reports whether the findings of a rule are at a key.
func aboutKeys(id string) bool {
	return id == "any.key-case" || id == "any.duplicate-key" || id == "any.custom-in-ext" || id == "any.ext.duplicate-key" ||
		id == "any.ext.key-case" || id == "any.key-escape" || id == "any.later-version"
}

// checkPlaces compares the offset of each finding with what encoding/json finds for its path.
// It skips keys that a path can't show (control characters, truncated ones).
func checkPlaces(t *testing.T, r Report, request, response []byte) {
	t.Helper()
	var known [2]*places
	for i := range r.Findings {
		f := &r.Findings[i]
		data := [...][]byte{request, response}[f.Doc]
		if known[f.Doc] == nil {
			known[f.Doc] = placesOf(t, data)
		}
		p := known[f.Doc]
		if inPayload(*f) {
			path, _, _ := strings.Cut(f.Path, "#")
			if want := p.of(path); f.Offset != want {
				t.Errorf("%s of %q is at byte %d, the string at %d", f.ID, f.Path, f.Offset, want)
			}
			continue
		}
		if f.ID == "any.nul" && strings.Contains(f.Path, "?") {
			continue
		}
		if aboutKeys(f.ID) {
			if strings.Contains(f.Path, "?") || strings.HasSuffix(f.Path, "...") {
				continue
			}
			if keys := p.keys[f.Path]; !slices.Contains(keys, f.Offset) {
				t.Errorf("%s of %q is at byte %d, the key at %v", f.ID, f.Path, f.Offset, keys)
			}
			continue
		}
		if f.ID == "any.utf8" || strings.HasPrefix(f.ID, "json.") && f.ID != "json.number" {
			continue // at a byte inside the value
		}
		if want := p.of(f.Path); f.Offset != want && !(inTextLayer(f.ID) && slices.Contains(p.former[f.Path], f.Offset)) {
			t.Errorf("%s of %q is at byte %d, want %d", f.ID, f.Path, f.Offset, want)
		}
	}
	if !slices.IsSortedFunc(r.Findings, func(a, b Finding) int { return cmp.Or(cmp.Compare(a.Doc, b.Doc), cmp.Compare(a.Offset, b.Offset)) }) {
		t.Errorf("findings are not in the order of the text:%s", describe(r))
	}
}

// checkCounts checks the invariants of a report.
func checkCounts(t *testing.T, r Report) {
	t.Helper()
	kept := [Error + 1]int{}
	for _, f := range r.Findings {
		kept[f.Severity]++
		rule, ok := RuleByID(f.ID)
		if !ok || rule != rules[f.Number] {
			t.Errorf("finding of the unknown rule %q", f.ID)
		}
		if f.Message == "" || !utf8.ValidString(f.Message) {
			t.Errorf("%s has the message %q", f.ID, f.Message)
		}
	}
	all := 0
	for s, n := range r.Counts {
		all += n
		if kept[s] > n || r.Dropped == 0 && kept[s] != n {
			t.Errorf("%d findings of severity %v, counted %d, dropped %d", kept[s], Severity(s), n, r.Dropped)
		}
	}
	if all != len(r.Findings)+r.Dropped {
		t.Errorf("counted %d, kept %d and dropped %d", all, len(r.Findings), r.Dropped)
	}
	if r.Valid() != (r.Counts[Error] == 0) {
		t.Error("Valid is wrong")
	}
}

// lines splits a table into its lines, without empty ones.
func lines(table string) (out []string) {
	for line := range strings.SplitSeq(table, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

func mustRequest(t testing.TB, data []byte) *openrtb.BidRequest {
	t.Helper()
	r, err := openrtb.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func mustResponse(t testing.TB, data []byte) *openrtb.BidResponse {
	t.Helper()
	r, err := openrtb.ParseResponse(data)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
