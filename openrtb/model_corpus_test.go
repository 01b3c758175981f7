package openrtb_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/spec"
	"github.com/rtbwire/rtbwire/wire"
)

// parse decodes a document.
func parse(d testkit.Document) error {
	if d.Response {
		_, err := openrtb.ParseResponse(d.Text)
		return err
	}
	_, err := openrtb.Parse(d.Text)
	return err
}

// parseLenient decodes a document in lenient mode.
func parseLenient(d testkit.Document) error {
	if d.Response {
		_, err := openrtb.NewResponseDecoder(wire.Lenient()).Decode(d.Text)
		return err
	}
	_, err := openrtb.NewDecoder(wire.Lenient()).Decode(d.Text)
	return err
}

// typeFaults lists the places where a value has a JSON type that the specification's data does not
// allow. It uses the data alone, and no code of the decoder.
func typeFaults(t *testing.T, d testkit.Document) map[string]bool {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(d.Text))
	dec.UseNumber()
	var root any
	if err := dec.Decode(&root); err != nil {
		t.Fatalf("%s: %v", d.Name, err)
	}
	faults := map[string]bool{}
	name := "BidRequest"
	if d.Response {
		name = "BidResponse"
	}
	objectFaults(spec.OpenRTB(), spec.OpenRTB().Object(name), root, "", faults)
	return faults
}

// objectFaults adds the faults of one object.
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

// valueFaults adds the faults of one value that is not null.
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

// TestCorpus parses real traffic and the specification's examples. A document is refused only for a
// type that the specification's data does not allow at that place. testdata/refused.txt lists the
// refused documents, so a change shows in a diff.
func TestCorpus(t *testing.T) {
	var refused strings.Builder
	counts := map[bool]int{}
	for _, d := range testkit.Documents(t) {
		faults := typeFaults(t, d)
		err := parse(d)
		counts[err == nil]++
		if (err == nil) != (len(faults) == 0) {
			t.Errorf("%s: %v, want a refusal at one of the wrong types %v", d.Name, err, faults)
			continue
		}
		if err == nil {
			continue
		}
		var e *wire.Error
		if !errors.As(err, &e) || !faults[e.Path] {
			t.Errorf("%s: %v, want a refusal at one of the wrong types %v", d.Name, err, faults)
			continue
		}
		mark := "lenient mode reads it"
		if err := parseLenient(d); err != nil {
			mark = "lenient mode refuses it too"
		}
		fmt.Fprintf(&refused, "%s: %s at %s; %s\n", d.Name, e.Code.String(), e.Path, mark)
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

// TestFragments parses the specification's examples of parts of a message.
func TestFragments(t *testing.T) {
	for _, d := range testkit.Fragments(t) {
		if faults, err := typeFaults(t, d), parse(d); (err == nil) != (len(faults) == 0) {
			t.Errorf("%s: %v, want a refusal at one of the wrong types %v", d.Name, err, faults)
		}
		if err := parseLenient(d); err != nil {
			t.Errorf("%s: lenient: %v", d.Name, err)
		}
	}
}
