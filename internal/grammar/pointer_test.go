package grammar

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/internal/oracle"
)

// TestPointerPlaces has the pointers to the beginnings of values, to keys, and to faults: § marks
// the places.
func TestPointerPlaces(t *testing.T) {
	long := strings.Repeat("k", PointerMax)
	for _, x := range []struct {
		doc  string
		want []string
	}{
		{`§{"a": §[§1, §{"x/~y":§true}], "\u0062": §"§c"} `, []string{"", "/a", "/a/0", "/a/1", "/a/1/x~1~0y", "/b", "/b"}},
		{BOM + ` §[§[],[§1]§] `, []string{"", "/0", "/1/0", ""}},
		{`{"a":1,§"b" §2}`, []string{"", ""}},
		{`{"a":§+1}`, []string{"/a"}},
		{`{"a":[1,§]}`, []string{"/a/1"}},
		{`{"a":[1§ "x"]}`, []string{"/a"}},
		{`{"a":[1§`, []string{"/a"}},
		{`{"a":{"b":"c§`, []string{"/a/b"}},
		{`{"\ud800":§1}`, []string{"/\ufffd"}},
		{"{\"\xff\":§1}", []string{"/\ufffd"}},
		{`{"` + long + `":§1}`, []string{"/" + long[:PointerMax-len("//...")] + "/..."}},
		{"§", []string{""}},
	} {
		pieces := strings.Split(x.doc, "§")
		var offsets []int
		at := 0
		for _, piece := range pieces[:len(pieces)-1] {
			at += len(piece)
			offsets = append(offsets, at)
		}
		doc := []byte(strings.Join(pieces, ""))
		if got := pointersAt(doc, offsets); !slices.Equal(got, x.want) {
			t.Errorf("%.80s: %q, want %q", x.doc, got, x.want)
		}
	}
}

// TestEscapePointer: what is escaped can be unescaped, and unknown escapes are refused.
func TestEscapePointer(t *testing.T) {
	for name, element := range map[string]string{"": "", "a": "a", "a/b": "a~1b", "~": "~0", "~1": "~01", "/~/": "~1~0~1", "é": "é"} {
		if got := EscapePointer(name); got != element {
			t.Errorf("EscapePointer(%q) is %q, want %q", name, got, element)
		}
		if got, ok := UnescapePointer(element); !ok || got != name {
			t.Errorf("UnescapePointer(%q) is %q, %v, want %q", element, got, ok, name)
		}
	}
	for _, element := range []string{"~", "a~", "~2", "~~0", "~0~"} {
		if got, ok := UnescapePointer(element); ok {
			t.Errorf("UnescapePointer(%q) is %q", element, got)
		}
	}
}

func TestPointerIndex(t *testing.T) {
	for element, want := range map[string]int{
		"0": 0, "7": 7, "10": 10, "999999999": 999999999,
		"": -1, "00": -1, "01": -1, "-1": -1, "+1": -1, "1x": -1, "x": -1, "-": -1, "1.": -1, "/": -1, ":": -1, "1000000000": -1, "99999999999999999999": -1,
	} {
		if got := PointerIndex(element); got != want {
			t.Errorf("PointerIndex(%q) is %d, want %d", element, got, want)
		}
	}
}

// TestCutPointer: a pointer is cut between characters and between escapes.
func TestCutPointer(t *testing.T) {
	for _, piece := range []string{"a", "é", "😀", "~0", "~1", "/0"} {
		for shift := range 5 {
			for _, length := range []int{PointerMax - 1, PointerMax, PointerMax + 1, 2 * PointerMax} {
				pointer := "/" + strings.Repeat("x", shift) + strings.Repeat(piece, length/len(piece))
				got := CutPointer(pointer)
				if len(pointer) <= PointerMax {
					if got != pointer {
						t.Errorf("a pointer of %d bytes is cut", len(pointer))
					}
					continue
				}
				kept, cut := strings.CutSuffix(got, "/...")
				if !cut || len(got) > PointerMax || len(got) < PointerMax-utf8.UTFMax || !strings.HasPrefix(pointer, kept) {
					t.Errorf("%d bytes of %q become %d: ...%q", len(pointer), piece, len(got), got[len(got)-10:])
				}
				if _, ok := UnescapePointer(kept); !ok || !utf8.ValidString(kept) {
					t.Errorf("%q is cut inside a character or an escape: %q", piece, got[len(got)-10:])
				}
			}
		}
	}
}

// pointersAt returns what PointersAt finds.
func pointersAt(data []byte, offsets []int) (list []string) {
	PointersAt(data, offsets, func(pointer string) bool {
		list = append(list, pointer)
		return true
	})
	return list
}

// TestPointersAtStops: nothing is found any more once found has returned false.
func TestPointersAtStops(t *testing.T) {
	calls := 0
	PointersAt([]byte(`{"a":[1,2,3]}x`), []int{6, 8, 10, 13, 14, 20}, func(string) bool { calls++; return calls < 3 })
	if calls != 3 {
		t.Errorf("%d calls", calls)
	}
}

// TestLocate: the pointer found with a fault is the one that a second walk finds for its offset.
func TestLocate(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 0))
	faults := 0
	for range 20000 {
		data := []byte(strings.Repeat(" ", rnd.IntN(3)) + `{"a":` + oracle.RandomJSON(rnd.IntN, 4) + `,"b":` + oracle.RandomJSON(rnd.IntN, 3) + "}")
		const interesting = "{}[]\",:\\u0.e-+ \n\x00\xff"
		data[rnd.IntN(len(data))] = interesting[rnd.IntN(len(interesting))]
		data = data[:len(data)-rnd.IntN(2)*rnd.IntN(len(data))]
		depth, tolerant := 1+rnd.IntN(8), rnd.IntN(2) == 0
		fault, at, path := Locate(data, 0, depth, tolerant)
		wantFault, wantAt := Check(data, depth, tolerant)
		want := ""
		if wantFault != 0 {
			want = PointerAt(data, wantAt)
			faults++
		}
		if fault != wantFault || at != wantAt || path != want {
			t.Fatalf("%q: fault %d at %d in %q, want %d at %d in %q", data, fault, at, path, wantFault, wantAt, want)
		}
	}
	if faults < 2000 {
		t.Errorf("only %d documents have faults", faults)
	}
}
