package migrate

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bytedance/sonic"
	jsoniter "github.com/json-iterator/go"

	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
	"github.com/rtbwire/rtbwire/wire/splice"
)

var update = flag.Bool("update", false, "write the tables and programs into the document")

const document = "../docs/migration.md"

// reader is one column of the first table.
type reader struct {
	name   string
	decode func(data []byte) (*openrtb.BidRequest, error)
}

func reflective(unmarshal func([]byte, any) error) func([]byte) (*openrtb.BidRequest, error) {
	return func(data []byte) (*openrtb.BidRequest, error) {
		v := new(openrtb.BidRequest)
		return v, unmarshal(data, v)
	}
}

func decoder(option wire.Option) func([]byte) (*openrtb.BidRequest, error) {
	return func(data []byte) (*openrtb.BidRequest, error) { return openrtb.NewDecoder(option).Decode(data) }
}

var readers = []reader{
	{"encoding/json", reflective(json.Unmarshal)},
	{"json-iterator", reflective(jsoniter.ConfigCompatibleWithStandardLibrary.Unmarshal)},
	{"sonic", reflective(sonic.Unmarshal)},
	{"sonic.ConfigStd", reflective(sonic.ConfigStd.Unmarshal)},
	{"rtbwire", openrtb.Parse},
	{"wire.Strict", decoder(wire.Strict())},
	{"wire.Lenient", decoder(wire.Lenient())},
}

// reading is one row: a document, and what to look at in the value.
type reading struct {
	what, text string
	show       func(*openrtb.BidRequest) string
	shown      string // the document as the table shows it, if not text
}

func id(r *openrtb.BidRequest) string   { return quote(r.ID) }
func tmax(r *openrtb.BidRequest) string { return number(r.TMax) }
func ext(r *openrtb.BidRequest) string {
	if r.Ext == nil {
		return "absent"
	}
	return "`" + string(r.Ext) + "`"
}
func accepted(*openrtb.BidRequest) string { return "accepted" }

func quote(s string) string {
	if s == "" {
		return "absent"
	}
	return fmt.Sprintf("`%+q`", s)
}

func number[T any](p *T) string {
	if p == nil {
		return "absent"
	}
	return fmt.Sprintf("`%v`", *p)
}

var readings = []reading{
	{"key in another case", `{"ID":"1"}`, id, ""},
	{"unknown key", `{"new":1}`, accepted, ""},
	{"key twice", `{"id":"1","id":"2"}`, id, ""},
	{"object twice", `{"device":{"ua":"a"},"device":{"ip":"b"}}`, func(r *openrtb.BidRequest) string {
		return "ua " + quote(r.Device.UA) + ", ip " + quote(r.Device.IP)
	}, ""},
	{"null for a number", `{"tmax":null}`, tmax, ""},
	{"null for `ext`", `{"ext":null}`, ext, ""},
	{"null for the document", `null`, accepted, ""},
	{"half a surrogate pair", `{"id":"\ud800"}`, id, ""},
	{"not UTF-8", "{\"id\":\"\xff\"}", id, `{"id":"(byte FF)"}`},
	{"raw control character", "{\"id\":\"a\tb\"}", id, `{"id":"a(tab)b"}`},
	{"fraction for an integer", `{"tmax":300.0}`, tmax, ""},
	{"exponent for an integer", `{"tmax":3e2}`, tmax, ""},
	{"integer beyond 64 bits", `{"tmax":9223372036854775808}`, tmax, ""},
	{"float beyond 64 bits", `{"imp":[{"bidfloor":1e999}]}`, func(r *openrtb.BidRequest) string {
		return number(r.Imp[0].BidFloor)
	}, ""},
	{"leading zero", `{"tmax":01}`, tmax, ""},
	{"leading zero in `ext`", `{"ext":{"a":01}}`, ext, ""},
	{"number in quotes", `{"tmax":"300"}`, tmax, ""},
	{"number for a string", `{"id":1}`, id, ""},
	{"true for a flag", `{"test":true}`, func(r *openrtb.BidRequest) string { return number(r.Test) }, ""},
	{"value for an array", `{"cur":"USD"}`, func(r *openrtb.BidRequest) string { return fmt.Sprintf("`%q`", r.Cur) }, ""},
	{"byte order mark", "\ufeff{}", accepted, `(BOM){}`},
	{"more after the document", `{} {}`, accepted, ""},
	{"1,500 levels in `ext`", `{"ext":` + strings.Repeat("[", 1499) + strings.Repeat("]", 1499) + `}`, accepted, `{"ext":[[[…]]]}`},
}

func readingTable() string {
	var b strings.Builder
	head := []string{"", "document"}
	for _, r := range readers {
		head = append(head, r.name)
	}
	row(&b, head)
	row(&b, strings.Split(strings.Repeat("---,", len(head)-1)+"---", ","))
	for _, c := range readings {
		shown := c.shown
		if shown == "" {
			shown = c.text
		}
		cells := []string{c.what, "`" + shown + "`"}
		for _, r := range readers {
			v, err := r.decode([]byte(c.text))
			if err != nil {
				cells = append(cells, "refused")
			} else {
				cells = append(cells, c.show(v))
			}
		}
		row(&b, cells)
	}
	return b.String()
}

func row(b *strings.Builder, cells []string) { fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | ")) }

// writings are the rows of the second table.
var writings = []struct {
	what  string
	value openrtb.BidRequest
}{
	{"empty string, nil", openrtb.BidRequest{ID: "", Cur: nil}},
	{"pointer to 0", openrtb.BidRequest{TMax: new(0)}},
	{"empty array", openrtb.BidRequest{Cur: []string{}}},
	{"`<`, `&`, U+2028", openrtb.BidRequest{ID: "<&\u2028"}},
	{"not UTF-8", openrtb.BidRequest{ID: "\xff"}},
	{"white space in `ext`", openrtb.BidRequest{Ext: json.RawMessage(`{ "a": 1 }`)}},
	{"`ext` that is not JSON", openrtb.BidRequest{Ext: json.RawMessage(`{"a":`)}},
	{"`ext` of length 0", openrtb.BidRequest{Ext: json.RawMessage{}}},
	{"NaN", openrtb.BidRequest{Imp: []openrtb.Imp{{BidFloor: new(math.NaN())}}}},
	{"1e21", openrtb.BidRequest{Imp: []openrtb.Imp{{BidFloor: new(1e21)}}}},
}

var writers = []struct {
	name   string
	encode func(*openrtb.BidRequest) ([]byte, error)
}{
	{"encoding/json", func(v *openrtb.BidRequest) ([]byte, error) { return json.Marshal(v) }},
	{"json-iterator", func(v *openrtb.BidRequest) ([]byte, error) {
		return jsoniter.ConfigCompatibleWithStandardLibrary.Marshal(v)
	}},
	{"sonic", func(v *openrtb.BidRequest) ([]byte, error) { return sonic.Marshal(v) }},
	{"sonic.ConfigStd", func(v *openrtb.BidRequest) ([]byte, error) { return sonic.ConfigStd.Marshal(v) }},
	{"rtbwire", func(v *openrtb.BidRequest) ([]byte, error) { return v.AppendJSON(nil) }},
}

func writingTable() string {
	var b strings.Builder
	head := []string{"value"}
	for _, w := range writers {
		head = append(head, w.name)
	}
	row(&b, head)
	row(&b, strings.Split(strings.Repeat("---,", len(head)-1)+"---", ","))
	for _, c := range writings {
		cells := []string{c.what}
		for _, w := range writers {
			text, err := w.encode(&c.value)
			if err != nil {
				cells = append(cells, "error")
			} else {
				shown := strings.NewReplacer("\u2028", "(U+2028)", "\xff", "(byte FF)", "\ufffd", "(U+FFFD)").Replace(string(text))
				cells = append(cells, "`"+shown+"`")
			}
		}
		row(&b, cells)
	}
	return b.String()
}

// TestOwnership changes the text after decoding.
func TestOwnership(t *testing.T) {
	check := func(name string, decode func([]byte) (*openrtb.BidRequest, error), owns bool) {
		text := []byte(`{"id":"1","ext":{"a":1}}`)
		v, err := decode(text)
		if err != nil {
			t.Fatal(err)
		}
		clear(text)
		if got := v.ID == "1" && string(v.Ext) == `{"a":1}`; got != owns {
			t.Errorf("%s: owns its memory: %v, want %v", name, got, owns)
		}
	}
	for _, r := range readers[:5] {
		check(r.name, r.decode, true)
	}
	check("ParseFast", openrtb.ParseFast, false)
}

// TestSentences holds what the document says outside of its tables.
func TestSentences(t *testing.T) {
	var b bytes.Buffer
	response := openrtb.BidResponse{ID: "1"}
	if _, err := response.WriteTo(&b); err != nil || b.String() != `{"id":"1"}` {
		t.Errorf("WriteTo: %q, %v", &b, err)
	}
	b.Reset()
	if err := json.NewEncoder(&b).Encode(&response); err != nil || b.String() != "{\"id\":\"1\"}\n" {
		t.Errorf("encoding/json: %q, %v", &b, err)
	}

	engine, err := schema.New()
	if err != nil {
		t.Fatal(err)
	}
	for text, rule := range map[string]string{
		`{"device":{"IP":"1.2.3.4"}}`:                   "any.key-case",
		`{"vendor":1}`:                                  "any.custom-in-ext",
		`{"imp":[{"video":{"protocol":2}}]}`:            "Video.removed",
		`{"imp":[{"video":{"placement":1,"plcmt":1}}]}`: "Video.placement.deprecated",
		`{"regs":{"ext":{"gdpr":1}}}`:                   "Regs.legacy",
		`{"source":{"ext":{"schain":{"complete":1}}}}`:  "Source.schain.legacy",
		`{"imp":[{"banner":{"wmin":1,"hmin":1}}]}`:      "Banner.removed",
		`{"site":{"content":{"videoquality":1}}}`:       "Content.removed",
		`{"user":{"yob":1990}}`:                         "User.yob.deprecated",
		`{"imp":[{"video":{"sequence":1}}]}`:            "Video.sequence.deprecated",
	} {
		found := slices.ContainsFunc(engine.NewChecker().Request([]byte(text)).Findings, func(f schema.Finding) bool { return f.ID == rule })
		if !found {
			t.Errorf("%s: no finding of %s", text, rule)
		}
		v, err := openrtb.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		again, err := v.AppendJSON(nil)
		if kept := string(again) == text; err != nil || kept == strings.HasPrefix(rule, "any.") {
			t.Errorf("%s: written as %s, %v", text, again, err)
		}
	}

	out, err := openrtb.ConvertTo26(nil, []byte(`{"regs":{"ext":{"gdpr":1}},"user":{"ext":{"consent":"C"}}}`))
	if want := `{"regs":{"gdpr":1},"user":{"consent":"C"}}`; err != nil || string(out) != want {
		t.Errorf("ConvertTo26: %s, %v", out, err)
	}
	found, err := splice.Find([]byte(`{"ext":{"a":{"b":7}}}`), "/ext/a/b")
	if err != nil || len(found) != 1 || string(found[0].Value) != "7" {
		t.Errorf("splice.Find: %v, %v", found, err)
	}
}

// section is a part of the document between two marks.
var section = regexp.MustCompile(`(?s)(<!-- (\S+): written by [^>]*-->\n)(.*?)(<!-- /(\S+) -->)`)

// TestDocument compares the tables and programs of the document with what the libraries do and
// what compiles.
func TestDocument(t *testing.T) {
	if sonic.APIKind == sonic.UseStdJSON {
		t.Skip("sonic calls encoding/json on this platform or Go version")
	}
	old, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	text := section.ReplaceAllStringFunc(string(old), func(s string) string {
		m := section.FindStringSubmatch(s)
		name := m[2]
		if name != m[5] || shown[name] {
			t.Fatalf("section %s ends as %s, or comes twice", name, m[5])
		}
		shown[name] = true
		return m[1] + content(t, name) + m[4]
	})
	programs, err := filepath.Glob("bidder/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range programs {
		if name := filepath.Base(file); name != "doc.go" && !strings.HasSuffix(name, "_test.go") && !shown[name] {
			t.Errorf("the document does not show %s", file)
		}
	}
	if !shown["reading"] || !shown["writing"] {
		t.Error("the document does not show both tables")
	}
	if text == string(old) {
		return
	}
	if !*update {
		t.Fatal("lab/docs/migration.md is out of date: run go -C lab test ./migrate -update")
	}
	if err := os.WriteFile(document, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// content returns what the document has in a section.
func content(t *testing.T, name string) string {
	switch name {
	case "reading":
		return readingTable()
	case "writing":
		return writingTable()
	}
	program, err := os.ReadFile(filepath.Join("bidder", name))
	if err != nil {
		t.Fatal(err)
	}
	return "```go\n" + string(program) + "```\n"
}
