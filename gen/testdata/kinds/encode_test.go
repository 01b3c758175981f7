package kinds_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/gen/testdata/kinds"
	"github.com/rtbwire/rtbwire/internal/oracle"
	"github.com/rtbwire/rtbwire/wire"
)

// TestEncode writes random values, and compares the text with the one of encoding/json: it has the same members, in the
// same order, and reads back as the same value.
func TestEncode(t *testing.T) {
	count := 300
	if testing.Short() {
		count = 100
	}
	r := rand.New(rand.NewPCG(11, 12))
	for range count {
		doc := document{r: r}
		doc.object(reflect.TypeFor[kinds.Root](), 7)
		v, err := kinds.ParseRoot(doc.out)
		if err != nil {
			continue
		}
		got, err := v.AppendJSON(nil)
		if err != nil {
			t.Fatalf("%.2000q: %v", doc.out, err)
		}
		var out bytes.Buffer
		if n, err := v.WriteTo(&out); err != nil || n != int64(len(got)) || !bytes.Equal(out.Bytes(), got) {
			t.Fatalf("WriteTo has written %d bytes, %v: %.2000q, want %q", n, err, out.Bytes(), got)
		}
		again, err := kinds.ParseRoot(got)
		if err != nil {
			t.Fatalf("%.2000q: %v", got, err)
		}
		want, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if s := membersDiffer(got, want); s != "" {
			t.Fatalf("%s: %.2000q\nencoding/json has %.2000q", s, got, want)
		}
		wantAgain, err := kinds.ParseRoot(want)
		if err != nil {
			t.Fatal(err)
		}
		again.Scalars.Raw = compacted(t, again.Scalars.Raw) // encoding/json leaves out white space
		if s := oracle.Diff(again, wantAgain); s != "" {
			t.Fatalf("%.2000q: %s", got, s)
		}
	}
}

func compacted(t *testing.T, raw json.RawMessage) json.RawMessage {
	t.Helper()
	if len(raw) == 0 {
		return raw
	}
	var out bytes.Buffer
	if err := json.Compact(&out, raw); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// membersDiffer compares the keys and the brackets of two texts.
func membersDiffer(a, b []byte) string {
	x, y := json.NewDecoder(bytes.NewReader(a)), json.NewDecoder(bytes.NewReader(b))
	for {
		p, errA := x.Token()
		q, errB := y.Token()
		if errA != nil || errB != nil {
			if errA != nil && errB != nil {
				return ""
			}
			return "one text goes on where the other ends"
		}
		_, numberA := p.(float64)
		_, numberB := q.(float64)
		if p != q && !(numberA && numberB) { // numbers may be spelt in two ways
			return strings.TrimSpace(strings.Join([]string{"one has", toText(p), "where the other has", toText(q)}, " "))
		}
	}
}

func toText(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// TestEncodeAbsent writes values without anything in them, and with empty arrays, which a tag may leave out.
func TestEncodeAbsent(t *testing.T) {
	for _, v := range []interface {
		AppendJSON(dst []byte) ([]byte, error)
	}{
		&kinds.Root{}, &kinds.Omitted{}, &kinds.Pointers{}, &kinds.Slices{}, &kinds.Objects{},
		&kinds.Slices{String: []string{}, Int: []int{}, Bool: []bool{}},
		&kinds.Objects{SSmall: []kinds.Small{}, SPSmall: []*kinds.Small{nil}},
		&kinds.Omitted{Empty: []int{}, Zero: []int{}, Both: []int{}, EmptyObjects: []kinds.Small{}, ZeroObjects: []*kinds.Small{}},
		&kinds.Omitted{Empty: []int{0}, Zero: []int{0}, Both: []int{0}, Object: kinds.Small{}, Pointer: new(0), ZeroPointer: new(0), Text: " ", Flag: true, Number: -1},
	} {
		got, err := v.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%+v is written as %s, by encoding/json as %s", v, got, want)
		}
	}
}

// TestEncodeCycle: a cyclic value, which would never end, is refused, and without trying 2^1024 ways through it.
func TestEncodeCycle(t *testing.T) {
	tree := &kinds.Tree{}
	tree.Others = []*kinds.Tree{tree, tree}
	if out, err := tree.AppendJSON([]byte("x")); !errors.Is(err, wire.CodeDepth) || string(out) != "x" {
		t.Errorf("%.100s, %v", out, err)
	}
}
