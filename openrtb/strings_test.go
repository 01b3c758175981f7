package openrtb_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/internal/simd/jsonindex"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// TestEveryString has strings of every length from 0 to 200 with something special at each place, wherever a string may
// stand: what ends a string, and what needs a closer look, is found in blocks of 64 bytes, and every border counts.
func TestEveryString(t *testing.T) {
	special := []struct{ text, value string }{
		{`\n`, "\n"}, {`\u00e9`, "é"}, {`\ud83d\ude00`, "😀"}, {"é", "é"}, {"😀", "😀"}, {`\"`, `"`}, {`\\`, `\`},
	}
	step := 1
	if testing.Short() {
		step = 5
	}
	defer setLevel(jsonindex.Levels()[0])()
	levels := jsonindex.Levels()
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
		_, err := d.Decode([]byte(in))
		if e, ok := err.(*wire.Error); !ok || *e != (wire.Error{Code: code, Offset: at, Path: path}) { //nolint:errorlint // Decode returns nothing else
			t.Fatalf("%q: %v, want %s at %d in %q", in, err, code.String(), at, path)
		}
	}
	a := strings.Repeat("a", 200)
	for n := 0; n <= 200; n++ {
		for i, l := range levels {
			setLevel(l)
			check(a[:n], a[:n])
			for at := (n + i) % step; at <= n; at += step {
				// One kernel after the other, and every kernel at each place of the last lengths.
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

// TestEveryWhiteSpace moves values through the blocks with white space of every length, in each of its places.
func TestEveryWhiteSpace(t *testing.T) {
	defer setLevel(jsonindex.Levels()[0])()
	d := openrtb.NewDecoder()
	const template = `?{?"id"?:?"1"?,?"at"?:?7?,?"cur"?:?[?"a"?,?"b"?]?,?"imp"?:?[?{?"instl"?:?1?}?,?null?]?,?"x"?:?{?"y"?:?[?{?}?,?1?]?}?,?"ext"?:?true?}?`
	places := strings.Count(template, "?")
	for _, l := range jsonindex.Levels() {
		setLevel(l)
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

// TestZeroCopy checks by address where strings live: in the text, unless they had escapes or the text was copied.
func TestZeroCopy(t *testing.T) {
	if !mem.ZeroCopy {
		t.Skip("this build copies strings")
	}
	data := []byte(`{"id":"plain","cur":["USD","a\nb"],"ext":{"a":1},"site":{"name":"\u00e9","page":"p"}}`)
	v, err := openrtb.ParseFast(data)
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]bool{
		"id":        inside(data, v.ID),
		"cur/0":     inside(data, v.Cur[0]),
		"site/page": inside(data, v.Site.Page),
		"ext":       inside(data, string(v.Ext)) || &data[bytes.Index(data, []byte(`{"a"`))] == &v.Ext[0],
	} {
		if !got {
			t.Errorf("%s was copied", name)
		}
	}
	if inside(data, v.Cur[1]) || inside(data, v.Site.Name) {
		t.Error("a string with an escape points into the text")
	}
	if cap(v.Ext) != len(v.Ext) {
		t.Errorf("ext has room for %d bytes more: appending to it would change the text", cap(v.Ext)-len(v.Ext))
	}
	if cap(v.Cur) != len(v.Cur) {
		t.Error("cur has room: appending to it would change what comes after it in the arena")
	}
	v, err = openrtb.Parse(data)
	if err != nil || inside(data, v.ID) || &v.Ext[0] == &data[bytes.Index(data, []byte(`{"a"`))] {
		t.Errorf("Parse has left something in the text of the caller: %v", err)
	}
}
