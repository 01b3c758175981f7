package openrtb_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
)

// TestConvert shows what moves. Nothing else does.
func TestConvert(t *testing.T) {
	for _, c := range []struct{ v25, v26 string }{
		{`{"id":"1"}`, `{"id":"1"}`},
		{`{ "regs" : { "ext" : { "gdpr" : 1 , "x" : 2.50 } } }`, `{ "regs" : { "ext" : { "x" : 2.50 },"gdpr":1 } }`},
		{`{"regs":{"ext":{"gdpr":1,"us_privacy":"1YNN","gpp":"x","gpp_sid":[2]}}}`, `{"regs":{"gpp_sid":[2],"gpp":"x","us_privacy":"1YNN","gdpr":1}}`},
		{`{"source":{"tid":"t","ext":{"schain":{"ver":"1.0"}}}}`, `{"source":{"tid":"t","schain":{"ver":"1.0"}}}`},
		{`{"user":{"ext":{"consent":"C","eids":[{"source":"a"}]}}}`, `{"user":{"eids":[{"source":"a"}],"consent":"C"}}`},
		{`{"imp":[{"id":"1"},{"id":"2","ext":{"prebid":{"is_rewarded_inventory":1}}}]}`, `{"imp":[{"id":"1"},{"id":"2","rwdd":1}]}`},
		{`{"imp":[{"ext":{"prebid":{"is_rewarded_inventory":1},"tid":"t"}}]}`, `{"imp":[{"ext":{"tid":"t"},"rwdd":1}]}`},
		{`{"user":{"data":[{"id":"d","ext":{"cids":["c"]}}]},"app":{"content":{"data":[{"ext":{"cids":["e"]}}]}}}`, `{"user":{"data":[{"id":"d","cids":["c"]}]},"app":{"content":{"data":[{"cids":["e"]}]}}}`},
	} {
		up, err := openrtb.ConvertTo26([]byte("<"), []byte(c.v25))
		if err != nil || string(up) != "<"+c.v26 {
			t.Errorf("to 2.6: %s, %v, want %s", up, err, c.v26)
		}
		down, err := openrtb.ConvertTo25(nil, []byte(c.v26))
		if err != nil || !sameJSON(t, down, []byte(c.v25)) {
			t.Errorf("to 2.5: %s, %v, want %s", down, err, c.v25)
		}
	}
	for _, c := range []struct{ from, to string }{ // one way only
		{`{"ext":{"schain":{"ver":"1.0"}}}`, `{"source":{"schain":{"ver":"1.0"}}}`},                                                                              // 2.4
		{`{"ext":{"schain":{"ver":"a"},"x":1},"source":{"ext":{"schain":{"ver":"b"}}}}`, `{"ext":{"schain":{"ver":"a"},"x":1},"source":{"schain":{"ver":"b"}}}`}, // 2.4 and 2.5
		{`{"regs":{"gdpr":0,"ext":{"gdpr":1}}}`, `{"regs":{"gdpr":0,"ext":{"gdpr":1}}}`},
		{`{"regs":{"gdpr":null,"ext":{"gdpr":1}}}`, `{"regs":{"gdpr":1}}`},
		{`{"regs":{"ext":{"gdpr":null}}}`, `{"regs":{"ext":{"gdpr":null}}}`},
		{`{"regs":{"ext":"gdpr"}}`, `{"regs":{"ext":"gdpr"}}`},
		// Values that the field can't have.
		{`{"regs":{"ext":{"gdpr":"1","us_privacy":1,"gpp":"x","gpp_sid":["2"]}}}`, `{"regs":{"ext":{"gdpr":"1","us_privacy":1,"gpp_sid":["2"]},"gpp":"x"}}`},
		{`{"regs":{"ext":{"gdpr":1.5}},"user":{"ext":{"eids":{},"consent":["C"]}}}`, `{"regs":{"ext":{"gdpr":1.5}},"user":{"ext":{"eids":{},"consent":["C"]}}}`},
		{`{"user":{"ext":{"eids":[{"source":1}]}},"ext":{"schain":"1.0"}}`, `{"user":{"ext":{"eids":[{"source":1}]}},"ext":{"schain":"1.0"}}`},
		{`{"imp":[{"ext":{"prebid":{"is_rewarded_inventory":"1"}}},{"ext":{"prebid":{"is_rewarded_inventory":1}}}]}`, `{"imp":[{"ext":{"prebid":{"is_rewarded_inventory":"1"}}},{"rwdd":1}]}`},
		{`{"ext":{"schain":{"ver":"a"}},"source":{"ext":{"schain":7}}}`, `{"source":{"ext":{"schain":7},"schain":{"ver":"a"}}}`},
	} {
		if up, err := openrtb.ConvertTo26(nil, []byte(c.from)); err != nil || string(up) != c.to {
			t.Errorf("to 2.6: %s, %v, want %s", up, err, c.to)
		}
	}
	if down, err := openrtb.ConvertTo25(nil, []byte(`{"regs":{"gdpr":0,"ext":{"gdpr":1}}}`)); err != nil || string(down) != `{"regs":{"ext":{"gdpr":0}}}` {
		t.Errorf("to 2.5: %s, %v", down, err)
	}
}

// TestConvertKeepsRequestsValid converts requests that are read, with each legacy value of each
// type.
func TestConvertKeepsRequestsValid(t *testing.T) {
	for _, place := range []string{
		`{"ext":{"schain":#}}`, `{"source":{"ext":{"schain":#}}}`, `{"regs":{"ext":{"gdpr":#}}}`, `{"regs":{"ext":{"us_privacy":#}}}`,
		`{"user":{"ext":{"consent":#}}}`, `{"user":{"ext":{"eids":#}}}`, `{"imp":[{"ext":{"prebid":{"is_rewarded_inventory":#}}}]}`,
		`{"regs":{"ext":{"gpp":#}}}`, `{"regs":{"ext":{"gpp_sid":#}}}`, `{"site":{"ext":{"inventorypartnerdomain":#}}}`,
		`{"user":{"data":[{"ext":{"cids":#}}]}}`,
	} {
		for _, value := range []string{`1`, `1.5`, `-1e99`, `"x"`, `true`, `null`, `[]`, `[1]`, `["x"]`, `[{}]`, `{}`, `{"nodes":[{"hp":"x"}]}`} {
			text := []byte(strings.ReplaceAll(place, "#", value))
			if _, err := openrtb.Parse(text); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			up, err := openrtb.ConvertTo26(nil, text)
			if err != nil {
				t.Errorf("%s: %v", text, err)
			} else if _, err := openrtb.Parse(up); err != nil {
				t.Errorf("%s becomes %s: %v", text, up, err)
			}
		}
	}
}

// sameJSON reports whether two texts have the same value; numbers are compared by their text.
func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y any
	for text, v := range map[*[]byte]*any{&a: &x, &b: &y} {
		d := json.NewDecoder(bytes.NewReader(*text))
		d.UseNumber()
		if err := d.Decode(v); err != nil {
			t.Fatalf("%s: %v", *text, err)
		}
	}
	return reflect.DeepEqual(x, y)
}

// TestConvertThereAndBack converts the corpus to 2.5 and back. Two differences are known: an empty
// ext is lost, and so is the value in ext of a field that had two values.
func TestConvertThereAndBack(t *testing.T) {
	moved, changed := 0, 0
	for _, d := range testkit.Requests(t) {
		if _, err := openrtb.Parse(d); err != nil {
			continue
		}
		at26, err := openrtb.ConvertTo26(nil, d)
		if err != nil {
			t.Fatal(err)
		}
		at25, err := openrtb.ConvertTo25(nil, at26)
		if err != nil {
			t.Fatal(err)
		}
		again, err := openrtb.ConvertTo26(nil, at25)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(at26, at25) {
			moved++
		}
		if !sameJSON(t, at26, again) {
			changed++
			emptyExt := bytes.Contains(at26, []byte(`"ext":{}`))
			if bothPlaces := bytes.Contains(at26, []byte(`"gpp":"overwritten"`)); !emptyExt && !bothPlaces {
				t.Errorf("%s\nat 2.5 %s\nbecomes %s", at26, at25, again)
			}
		}
	}
	t.Logf("%d requests have fields that move, %d changed", moved, changed)
	if moved < 200 || changed > 3 {
		t.Errorf("%d requests have fields that move, want at least 200; %d changed, want at most 3", moved, changed)
	}
}
