package grammar_test

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/internal/grammar"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// fault is an entry of testdata/faults.json.
type fault struct {
	Fault, Meaning, Section, Wire, Rule string
	Examples                            []example
}

type example struct {
	Text, Hex string
	Offset    int
}

func (x *example) bytes(t *testing.T) []byte {
	t.Helper()
	if x.Hex == "" {
		return []byte(x.Text)
	}
	data, err := hex.DecodeString(x.Hex)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestFaultTable: a fault has one name, number and place in the grammar, in the decoder, and in
// the rule engine. The C++ scanner has a test of its own for the same table.
func TestFaultTable(t *testing.T) {
	data, err := os.ReadFile("../../testdata/faults.json")
	if err != nil {
		t.Fatal(err)
	}
	var table []fault
	if err := json.Unmarshal(data, &table); err != nil {
		t.Fatal(err)
	}
	codes := map[string]wire.Code{}
	for code := wire.Code(1); !strings.HasPrefix(code.String(), "Code("); code++ {
		codes[code.String()] = code
	}
	engine, err := schema.New()
	if err != nil {
		t.Fatal(err)
	}
	checker := engine.NewChecker()
	for i := range table {
		f := &table[i]
		code, known := codes[f.Fault]
		if !known || !strings.EqualFold(f.Wire, "Code"+f.Fault) {
			t.Errorf("%s: package wire has no code of this name, or another constant than %s", f.Fault, f.Wire)
			continue
		}
		delete(codes, f.Fault)
		if f.Rule != "" && engine.Severity(f.Rule) == schema.Off {
			t.Errorf("%s: there is no rule %s", f.Fault, f.Rule)
		}
		for _, x := range f.Examples {
			doc := x.bytes(t)
			if got, at := inGrammar(doc); got != 0 && (wire.Code(got) != code || at != x.Offset) {
				t.Errorf("%s: %.60q: the grammar says %v at %d, want %d", f.Fault, doc, wire.Code(got), at, x.Offset)
			} else if got == 0 && code < wire.CodeType {
				t.Errorf("%s: %.60q: the grammar accepts it", f.Fault, doc)
			}
			var refused *wire.Error
			if _, err := openrtb.Parse(doc); !errors.As(err, &refused) || refused.Code != code || refused.Offset != x.Offset {
				t.Errorf("%s: %.60q: the decoder says %v, want byte %d", f.Fault, doc, err, x.Offset)
			}
			report := checker.Request(doc)
			if !slices.ContainsFunc(report.Findings, func(found schema.Finding) bool {
				return found.ID == f.Rule && found.Offset == x.Offset
			}) {
				t.Errorf("%s: %.60q: no finding of %s at %d in %v", f.Fault, doc, f.Rule, x.Offset, report.Findings)
			}
		}
	}
	for name := range codes {
		t.Errorf("%s: not in the table", name)
	}
}

// inGrammar returns what is wrong with a document without a look at its types.
func inGrammar(doc []byte) (grammar.Fault, int) {
	if grammar.HasBOM(doc) {
		return grammar.ByteOrderMark, 0
	}
	return grammar.Check(doc, grammar.DepthMax, false)
}
