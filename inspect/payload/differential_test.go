package payload

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/simd/literals"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// TestDifferential compares verdicts with those of the command rtbwire-scan, which is the C++
// scanner. RTBWIRE_SCAN names it, by default cpp/build/test/tool/rtbwire-scan, which
// "scripts/cpp.sh tool" builds; without it the test is skipped. RTBWIRE_PAYLOAD_DIFFERENTIAL is the
// number of documents, for each set of layers and each kernel.
func TestDifferential(t *testing.T) {
	command := os.Getenv("RTBWIRE_SCAN")
	if command == "" {
		command = testkit.Path(t, "cpp/build/test/tool/rtbwire-scan")
	}
	if _, err := os.Stat(command); err != nil {
		t.Skipf("no C++ scanner (%v): scripts/cpp.sh tool builds it", err)
	}
	count := testkit.Number(t, "RTBWIRE_PAYLOAD_DIFFERENTIAL", testkit.Scale(t, 1000, 5000, 100000))
	for _, layers := range []Layers{NoLayers, AllLayers, Percent | Squeeze, Entity | Fullwidth | Twice} {
		for _, level := range literals.Levels() {
			t.Run(fmt.Sprintf("layers=%s/level=%v", layerNames(layers), level), func(t *testing.T) {
				defer setLevel(level)()
				compare(t, command, layers, count)
			})
		}
	}
}

func layerNames(layers Layers) string {
	var names []string
	for i, name := range []string{"percent", "entity", "fullwidth", "twice", "squeeze"} {
		if layers>>i&1 != 0 {
			names = append(names, name)
		}
	}
	if names == nil {
		return "none"
	}
	return strings.Join(names, ",")
}

// cppVerdict is a line that rtbwire-scan prints.
type cppVerdict struct {
	Verdict      string
	Pattern      string
	Patterns     []string
	PatternCount int `json:"pattern_count"`
	Offset       int
	Layered      bool
	Pointer      *string
	Truncated    bool `json:"pointer_truncated"`
	In           string
}

// compare pipes documents through both scanners.
func compare(t *testing.T, command string, layers Layers, count int) {
	scan := exec.Command(command, "--ndjson", "--show", "all", "--summary", "none", "--threads", "1",
		"--layers", layerNames(layers))
	in, err := scan.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := scan.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	scan.Stderr = os.Stderr
	if err := scan.Start(); err != nil {
		t.Fatal(err)
	}
	bodies := make(chan []byte, 1<<14)
	go func() {
		defer close(bodies)
		defer in.Close()
		w := bufio.NewWriterSize(in, 1<<16)
		defer w.Flush()
		d := newDocuments(t, testkit.Seed(t))
		for range count {
			body := d.next()
			bodies <- body
			if _, err := w.Write(append(slices.Clip(body), '\n')); err != nil {
				return
			}
		}
	}()
	s := newScanner(t, Options{Layers: layers})
	lines := bufio.NewReaderSize(out, 1<<16)
	var matches []Match
	found, failures := 0, 0
	for body := range bodies {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			t.Fatalf("rtbwire-scan ended: %v", err)
		}
		var want cppVerdict
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		var verdict Verdict
		matches, verdict = s.Scan(matches[:0], body)
		if problem := differs(s, body, matches, verdict, &want); problem != "" {
			t.Errorf("%s\nin %s\nrtbwire-scan: %s", problem, testkit.Abridged(body), line)
			if failures++; failures == 10 {
				_ = scan.Process.Kill()
				go func() {
					for range bodies {
					}
				}()
				break
			}
		}
		if verdict == Found {
			found++
		}
	}
	_, _ = io.Copy(io.Discard, lines)
	_ = scan.Wait() // the status says that something was refused
	t.Logf("%d documents, %d with a pattern", count, found)
	if failures == 0 && found < count/20 {
		t.Errorf("only %d of %d documents had a pattern: the test shows too little", found, count)
	}
}

// differs says how a verdict differs from that of the C++ scanner.
func differs(s *Scanner, body []byte, matches []Match, verdict Verdict, want *cppVerdict) string {
	if (want.Verdict == "malicious") != (verdict == Found) || verdict == Exhausted {
		return fmt.Sprintf("the verdict is %v", verdict)
	}
	if verdict != Found {
		return ""
	}
	first := matches[0]
	if id := s.Pattern(first.Pattern).ID; id != want.Pattern || first.Offset != want.Offset || first.Layered != want.Layered {
		return fmt.Sprintf("the first match is %s at %d, layered %v", id, first.Offset, first.Layered)
	}
	var numbers []int
	for _, m := range matches {
		numbers = append(numbers, m.Pattern)
	}
	slices.Sort(numbers)
	if len(want.Patterns) < len(numbers) && want.PatternCount == len(numbers) {
		numbers = numbers[:len(want.Patterns)] // it lists the first ones
	}
	var ids []string
	for _, n := range numbers {
		ids = append(ids, s.Pattern(n).ID)
	}
	if !slices.Equal(ids, want.Patterns) {
		return fmt.Sprintf("the patterns are %q", ids)
	}
	place, ok := Locate(body, first.Offset)
	if ok != (want.Pointer != nil) {
		return fmt.Sprintf("the place is %+v, %v", place, ok)
	}
	if !ok {
		return ""
	}
	// The C++ scanner writes keys as they are in the document, with their escapes.
	if place.Key != (want.In == "key") || !want.Truncated && !strings.Contains(*want.Pointer, `\`) && place.Pointer != *want.Pointer {
		return fmt.Sprintf("the place is %+v", place)
	}
	return ""
}

// makesDocuments makes documents at random: real ones, patterns in every disguise, mutations of
// both, and such as are made to be slow.
type makesDocuments struct {
	testing.TB
	random interface{ IntN(int) int }
	real   [][]byte
	texts  []string // of patterns
	pieces []string // what escapes, layers and grammar are made of
}

func newDocuments(t testing.TB, seed uint64) *makesDocuments {
	d := &makesDocuments{TB: t, random: testkit.Rand(seed)}
	for _, name := range []string{"corpus/requests.ndjson", "corpus/responses.ndjson"} {
		data, err := os.ReadFile(testkit.Path(t, "testdata/"+name))
		if err != nil {
			t.Fatal(err)
		}
		d.real = append(d.real, bytes.Split(bytes.TrimSpace(data), []byte("\n"))...)
	}
	suite, _ := filepath.Glob(testkit.Path(t, "testdata/jsontestsuite") + "/*/*.json")
	for _, name := range suite {
		if data, err := os.ReadFile(name); err == nil && len(data) < 1<<12 {
			d.real = append(d.real, data)
		}
	}
	data, err := os.ReadFile(testkit.Path(t, "testdata/payload/patterns.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list []vector
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	for _, v := range list {
		d.texts = append(d.texts, v.Literal)
		d.texts = append(d.texts, v.Found...)
		d.texts = append(d.texts, v.Layered...)
		d.texts = append(d.texts, v.Absent...)
	}
	d.pieces = []string{
		`"`, `\`, `\\`, `\"`, `\/`, `\n`, `\t`, `\u`, `\u00`, `\u0000`, `\u003c`, `\\u003c`, `\\\\u003C`, `\x3c`, `\\x3c`,
		`\ud83d`, `\ude00`, `\ud83d\ude00`, `\q`, "%", "%3c", "%253c", "%25", "%u003c", "&", "&lt;", "&lt", "&amp;lt;", "&#60;",
		"&#x3c", "&#0000060;", "&AMP;", "&quot;", "&NewLine;", "＜", "ｓ", "\xef\xbc", "\xef", "/*", "*/", "/**/", "/*!50000", "/*x*/",
		"\t", "\v", " ", "  ", "\x00", "\x7f", "\xff", "\xfe", "\xc0\xaf", "é", "{", "}", "[", "]", ":", ",", "null", "1e9", "'", "--",
	}
	return d
}

func (d *makesDocuments) oneOf(list []string) string { return list[d.random.IntN(len(list))] }

// next returns a document, which is a line and not blank.
func (d *makesDocuments) next() []byte {
	for {
		body := slices.Clone(d.make())
		for i, c := range body {
			if c == '\n' {
				body[i] = ' '
			}
		}
		if body = bytes.TrimRight(body, "\r"); len(bytes.TrimSpace(body)) > 0 && len(body) < 65000 {
			return body
		}
	}
}

func (d *makesDocuments) make() []byte {
	switch d.random.IntN(10) {
	case 0:
		return d.real[d.random.IntN(len(d.real))]
	case 1, 2:
		return d.mutate(d.real[d.random.IntN(len(d.real))])
	case 3:
		return d.slow()
	case 4, 5:
		return d.mutate(d.object())
	}
	return d.object()
}

// object returns an object with some members, texts of patterns among them.
func (d *makesDocuments) object() []byte {
	b := []byte("{")
	for i := range 1 + d.random.IntN(4) {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, d.string()...), ':'), d.string()...)
	}
	return append(b, '}')
}

// string returns a JSON string.
func (d *makesDocuments) string() string {
	var text string
	switch d.random.IntN(4) {
	case 0:
		text = "plain text"
	case 1:
		text = d.oneOf(d.texts)
	case 2:
		text = d.oneOf(d.texts) + d.oneOf(d.pieces) + d.oneOf(d.texts)
	case 3:
		text = d.disguised(d.oneOf(d.texts))
	}
	if d.random.IntN(8) == 0 {
		text = quote(text, d.random.IntN(2) == 0) // JSON in JSON
	}
	if d.random.IntN(3) == 0 {
		text = upper(text)
	}
	return quote(text, d.random.IntN(4) == 0)
}

// disguised writes some characters of a text in another way.
func (d *makesDocuments) disguised(text string) string {
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		if d.random.IntN(3) > 0 {
			b.WriteByte(c)
			continue
		}
		switch d.random.IntN(9) {
		case 0:
			fmt.Fprintf(&b, "%%%02x", c)
		case 1:
			fmt.Fprintf(&b, "&#%d;", c)
		case 2:
			fmt.Fprintf(&b, "&#x%X", c)
		case 3:
			fmt.Fprintf(&b, `\u%04x`, c)
		case 4:
			fmt.Fprintf(&b, "%%25%02x", c)
		case 5:
			b.WriteRune(rune(c) - 0x20 + 0xff00)
		case 6:
			b.WriteString(d.oneOf([]string{"/**/", "\x00", "\t", "/*a*/", "/*!1"}))
			b.WriteByte(c)
		case 7:
			b.WriteByte(c)
			b.WriteString(d.oneOf(d.pieces))
		case 8:
			b.WriteString(strings.Repeat(string(c), 2))
		}
	}
	return b.String()
}

// mutate changes a document in some places.
func (d *makesDocuments) mutate(body []byte) []byte {
	body = slices.Clone(body)
	for range 1 + d.random.IntN(4) {
		at := d.random.IntN(len(body) + 1)
		switch d.random.IntN(6) {
		case 0:
			body = slices.Insert(body, at, []byte(d.oneOf(d.pieces))...)
		case 1:
			body = slices.Insert(body, at, []byte(d.oneOf(d.texts))...)
		case 2:
			body = slices.Insert(body, at, []byte(d.string())...)
		case 3:
			body = slices.Delete(body, at, min(len(body), at+1+d.random.IntN(4)))
		case 4:
			if at < len(body) {
				body[at] = byte(d.random.IntN(256))
			}
		case 5:
			body = body[:at]
		}
	}
	return body
}

// slow returns a document that repeats something.
func (d *makesDocuments) slow() []byte {
	unit := d.oneOf(d.texts)
	if d.random.IntN(2) == 0 {
		unit = d.oneOf(d.pieces) + unit[:d.random.IntN(len(unit)+1)]
	}
	if unit == "" {
		unit = "a"
	}
	text := strings.Repeat(unit, 1+d.random.IntN(1+1500/len(unit)))
	if d.random.IntN(3) == 0 {
		return []byte(`{"a":"` + text + `"}`)
	}
	return []byte(`{"a":` + quote(text+d.oneOf(d.texts), false) + "}")
}
