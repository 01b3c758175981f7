package openrtb_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/spec"
	"github.com/rtbwire/rtbwire/wire"
)

// This file parses real traffic and the specification's own examples. What is refused has to
// be refused for a type that the specification's data does not allow at that place, and is
// listed in testdata/refused.txt, so that a change of mind shows in a diff.

// document is one text with where it is from.
type document struct {
	name     string
	text     []byte
	response bool
}

func (d document) parse() error {
	if d.response {
		_, err := openrtb.ParseResponse(d.text)
		return err
	}
	_, err := openrtb.Parse(d.text)
	return err
}

// lenient decodes the document in lenient mode.
func (d document) lenient() error {
	if d.response {
		_, err := openrtb.NewResponseDecoder(wire.Lenient()).Decode(d.text)
		return err
	}
	_, err := openrtb.NewDecoder(wire.Lenient()).Decode(d.text)
	return err
}

// corpus returns the documents of the corpus and the examples that are requests or responses.
func corpus(t *testing.T) (docs []document) {
	t.Helper()
	for _, kind := range []string{"requests", "responses"} {
		f, err := os.Open(filepath.Join("../testdata/corpus", kind+".ndjson"))
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<20)
		for n := 1; lines.Scan(); n++ {
			docs = append(docs, document{fmt.Sprintf("corpus/%s.ndjson:%d", kind, n), bytes.Clone(lines.Bytes()), kind == "responses"})
		}
		if err := errors.Join(lines.Err(), f.Close()); err != nil {
			t.Fatal(err)
		}
		names, err := filepath.Glob("../testdata/spec-examples/" + kind + "/*.json")
		if err != nil || len(names) == 0 {
			t.Fatalf("no examples of %s: %v", kind, err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			docs = append(docs, document{"spec-examples/" + kind + "/" + filepath.Base(name), text, kind == "responses"})
		}
	}
	return docs
}

// typeFaults lists the places where a value has a JSON type that the specification's data
// does not allow. It is written on the data alone, and knows nothing of the decoder.
func typeFaults(t *testing.T, d document) map[string]bool {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(d.text))
	dec.UseNumber()
	var root any
	if err := dec.Decode(&root); err != nil {
		t.Fatalf("%s: %v", d.name, err)
	}
	faults := map[string]bool{}
	name := "BidRequest"
	if d.response {
		name = "BidResponse"
	}
	objectFaults(spec.OpenRTB(), spec.OpenRTB().Object(name), root, "", faults)
	return faults
}

func objectFaults(s *spec.Spec, o *spec.Object, v any, path string, faults map[string]bool) {
	members, ok := v.(map[string]any)
	if !ok {
		faults[path] = true
		return
	}
	for key, v := range members {
		f := o.Field(key)
		if f == nil || v == nil { // null is absent
			continue
		}
		here := path + "/" + key
		if !f.Array {
			valueFaults(s, f, v, here, faults)
			continue
		}
		elems, ok := v.([]any)
		if !ok {
			faults[here] = true
			continue
		}
		for i, e := range elems {
			if e != nil {
				valueFaults(s, f, e, here+"/"+strconv.Itoa(i), faults)
			}
		}
	}
}

func valueFaults(s *spec.Spec, f *spec.Field, v any, path string, faults map[string]bool) {
	ok := true
	switch {
	case f.ObjectName() != "":
		objectFaults(s, s.Object(f.ObjectName()), v, path, faults)
	case f.Type == "string":
		_, ok = v.(string)
	case f.Type == "float":
		_, ok = v.(json.Number)
	case f.Type == "integer":
		n, isNumber := v.(json.Number)
		_, err := strconv.Atoi(string(n))
		ok = isNumber && err == nil
	}
	if !ok {
		faults[path] = true
	}
}

// TestCorpus parses every document. Strict types are the default, so that 2.6 traffic written
// for lenient readers is refused; the list says which documents, and why.
func TestCorpus(t *testing.T) {
	var refused strings.Builder
	counts := map[bool]int{}
	for _, d := range corpus(t) {
		faults := typeFaults(t, d)
		err := d.parse()
		counts[err == nil]++
		if (err == nil) != (len(faults) == 0) {
			t.Errorf("%s: %v, but the places with a wrong type are %v", d.name, err, faults)
			continue
		}
		if err == nil {
			continue
		}
		var e *wire.Error
		if !errors.As(err, &e) || !faults[e.Path] {
			t.Errorf("%s: %v, but the places with a wrong type are %v", d.name, err, faults)
			continue
		}
		mark := "lenient mode reads it"
		if err := d.lenient(); err != nil {
			mark = "lenient mode refuses it too"
		}
		fmt.Fprintf(&refused, "%s: %s at %s; %s\n", d.name, e.Code.String(), e.Path, mark)
	}
	t.Logf("%d documents are read, %d refused", counts[true], counts[false])
	const golden = "testdata/refused.txt"
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got := refused.String(); got != string(want) {
		t.Errorf("%s is out of date; the refused documents are\n%s", golden, got)
	}
}

// fragments returns the examples that are parts of a message, with the message around them.
func fragments(t *testing.T) (docs []document) {
	t.Helper()
	names, err := filepath.Glob("../testdata/spec-examples/fragments/[0-9]*.json")
	if err != nil || len(names) != 22 {
		t.Fatalf("%d fragments: %v", len(names), err)
	}
	var manifest struct {
		Examples []struct{ File, Kind string }
	}
	data, err := os.ReadFile("../testdata/spec-examples/manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &manifest); err != nil {
		t.Fatal(err)
	}
	kinds := map[string]string{}
	for _, f := range manifest.Examples {
		kinds[filepath.Base(f.File)] = f.Kind
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		base := filepath.Base(name)
		d := document{name: base}
		switch kinds[base] {
		case "fragment:BidRequest":
			d.text = text
		case "fragment:Imp":
			d.text = fmt.Appendf(nil, `{"id":"1","imp":[%s]}`, text)
		case "fragment:Content":
			d.text = fmt.Appendf(nil, `{"id":"1","site":{"content":%s}}`, text)
		case "fragment:SeatBid(bid as single object)":
			d.text, d.response = fmt.Appendf(nil, `{"id":"1","seatbid":[%s]}`, text), true
		default:
			t.Errorf("%s is a %s, which this test does not know", base, kinds[base])
			continue
		}
		docs = append(docs, d)
	}
	return docs
}

// TestFragments parses the examples that are parts of a message.
func TestFragments(t *testing.T) {
	for _, d := range fragments(t) {
		if faults, err := typeFaults(t, d), d.parse(); (err == nil) != (len(faults) == 0) {
			t.Errorf("%s: %v, but the places with a wrong type are %v", d.name, err, faults)
		}
		if err := d.lenient(); err != nil {
			t.Errorf("%s: lenient: %v", d.name, err)
		}
	}
}
