package conformance

import (
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/oracle"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// TestEveryString decodes strings of every length from 0 to 200, with an escape, a wide character
// or a fault at each place, in every position of a string. The index finds these in blocks of 64
// bytes, so every border counts.
func TestEveryString(t *testing.T) {
	special := []struct{ text, value string }{
		{`\n`, "\n"}, {`\u00e9`, "é"}, {`\ud83d\ude00`, "😀"}, {"é", "é"}, {"😀", "😀"}, {`\"`, `"`}, {`\\`, `\`},
	}
	step := testkit.Scale(t, 5, 1, 1)
	defer testkit.SetLevel(testkit.Levels()[0])()
	levels := testkit.Levels()
	d := openrtb.NewDecoder()
	var doc []byte
	check := func(text, value string) {
		t.Helper()
		doc = append(doc[:0], `{"id":"`...)
		doc = append(doc, text...)
		doc = append(doc, `","x`...)
		doc = append(doc, text...)
		doc = append(doc, `":"`...)
		doc = append(doc, text...)
		doc = append(doc, `","cur":["`...)
		doc = append(doc, text...)
		doc = append(doc, `",""],"ext":"`...)
		doc = append(doc, text...)
		doc = append(doc, `"}`...)
		v, err := d.Decode(doc)
		switch {
		case err != nil:
			t.Fatalf("%s: %v", doc, err)
		case v.ID != value || len(v.Cur) != 2 || v.Cur[0] != value || v.Cur[1] != "":
			t.Fatalf("%s: id is %q, cur %q", doc, v.ID, v.Cur)
		case string(v.Ext) != `"`+text+`"`:
			t.Fatalf("%s: ext is %s", doc, v.Ext)
		}
	}
	refuse := func(in string, at int, code wire.Code, path string) {
		t.Helper()
		v, err := d.Decode([]byte(in))
		if s := outcome(v, nil, err).Diff(oracle.Outcome{Fault: new(fault(code, at, path))}); s != "" {
			t.Fatalf("%q: %s", in, s)
		}
	}
	a := strings.Repeat("a", 200)
	for n := 0; n <= 200; n++ {
		for i, l := range levels {
			testkit.SetLevel(l)
			check(a[:n], a[:n])
			for at := (n + i) % step; at <= n; at += step {
				// The kernels take turns; at the last lengths every kernel gets each place.
				if n < 190 && (n+at)%len(levels) != i {
					continue
				}
				for _, s := range special {
					check(a[:at]+s.text+a[at:n], a[:at]+s.value+a[at:n])
				}
				control := a[:at] + "\x1f" + a[at:n]
				refuse(`{"id":"`+control+`"}`, 7+at, wire.CodeControl, "/id")
				refuse(`{"`+control+`":0}`, 2+at, wire.CodeControl, "")
				refuse(`{"x":"`+control+`"}`, 6+at, wire.CodeControl, "/x")
				refuse(`{"ext":["`+control+`"]}`, 9+at, wire.CodeControl, "/ext/0")
				refuse(`{"cur":["","`+control+`"]}`, 12+at, wire.CodeControl, "/cur/1")
				bad := a[:at] + "\x80" + a[at:n]
				refuse(`{"id":"`+bad+`"}`, 7+at, wire.CodeUTF8, "/id")
			}
		}
	}
}

// TestEveryWhiteSpace moves values through the blocks of the index: it puts white space of every
// length into each place that may have some.
func TestEveryWhiteSpace(t *testing.T) {
	defer testkit.SetLevel(testkit.Levels()[0])()
	d := openrtb.NewDecoder()
	const template = `?{?"id"?:?"1"?,?"at"?:?7?,?"cur"?:?[?"a"?,?"b"?]?,?"imp"?:?[?{?"instl"?:?1?}?,?null?]?,?"x"?:?{?"y"?:?[?{?}?,?1?]?}?,?"ext"?:?true?}?`
	places := strings.Count(template, "?")
	for _, l := range testkit.Levels() {
		testkit.SetLevel(l)
		for n := range 150 {
			for place := range places {
				if (n+place)%3 != 0 && n > 70 {
					continue
				}
				parts := strings.SplitN(template, "?", place+2)
				in := strings.Join(parts[:place+1], "") + strings.Repeat(" \n\t\r"[place%4:place%4+1], n) + strings.ReplaceAll(parts[place+1], "?", "")
				v, err := d.Decode([]byte(in))
				if err != nil || v.ID != "1" || *v.At != 7 || len(v.Cur) != 2 || len(v.Imp) != 2 || *v.Imp[0].Instl != 1 || string(v.Ext) != "true" {
					t.Fatalf("%v: %q: %+v, %v", l, in, v, err)
				}
			}
		}
	}
}
