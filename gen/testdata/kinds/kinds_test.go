package kinds_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/gen/testdata/kinds"
	"github.com/rtbwire/rtbwire/internal/oracle"
	"github.com/rtbwire/rtbwire/wire"
)

// This file decodes random documents with the generated code, and compares value and error with
// encoding/json and with the oracle.

// document makes random documents for a type: mostly what its fields take, sometimes what they
// don't.
type document struct {
	r     *rand.Rand
	out   []byte
	blank bool // white space between tokens
	wrong int  // one value in so many is of another kind; 0 for none
}

func (d *document) space() {
	if d.blank {
		d.out = append(d.out, strings.Repeat([]string{" ", "\n", "\t"}[d.r.IntN(3)], d.r.IntN(4))...)
	}
}

func (d *document) put(s string) { d.out = append(d.out, s...) }

func (d *document) oneOf(list ...string) { d.put(list[d.r.IntN(len(list))]) }

// anything writes a small value of any kind.
func (d *document) anything() {
	d.oneOf("0", "-1", "1.5", "2e1", "-0", "999", `""`, `"1"`, `"a"`, `"\u0041"`, "true", "false", "null", "{}", "[]", "[1]", `["a",null]`, `[[]]`, `{"a":1}`, `[{"a":2},null]`, "1e400", "99999999999999999999")
}

func (d *document) list(n int, open, end string, element func(i int)) {
	d.put(open)
	for i := range n {
		if i > 0 {
			d.put(",")
		}
		d.space()
		element(i)
		d.space()
	}
	d.put(end)
}

// value writes a value for a Go type.
func (d *document) value(t reflect.Type, depth int) {
	if d.wrong > 0 && d.r.IntN(d.wrong) == 0 {
		d.anything()
		return
	}
	if d.r.IntN(12) == 0 {
		d.put("null")
		return
	}
	if t == reflect.TypeFor[json.RawMessage]() {
		if d.r.IntN(2) == 0 {
			d.put(`{ "a" : [1, "b"] }`)
			return
		}
		d.anything()
		return
	}
	switch t.Kind() {
	case reflect.Pointer:
		d.value(t.Elem(), depth)
	case reflect.Slice:
		n := d.r.IntN(4)
		if t.Elem().Kind() != reflect.Struct && d.r.IntN(10) == 0 {
			n = d.r.IntN(60)
		}
		d.list(n, "[", "]", func(int) { d.value(t.Elem(), depth-1) })
	case reflect.Struct:
		d.object(t, depth-1)
	case reflect.String:
		d.oneOf(`""`, `"a"`, `"é😀"`, `"a\n\u00e9\ud83d\ude00\""`, `"`+strings.Repeat("b", d.r.IntN(200))+`"`, `"{\"a\":[]}"`)
	case reflect.Bool:
		d.oneOf("true", "false")
	case reflect.Float32, reflect.Float64:
		v := math.Float64frombits(d.r.Uint64())
		if t.Kind() == reflect.Float32 || d.r.IntN(2) == 0 {
			v = float64(math.Float32frombits(d.r.Uint32()))
		}
		if math.IsNaN(v) || math.IsInf(v, 0) || d.r.IntN(3) == 0 {
			v = float64(d.r.IntN(1000)) / 8
		}
		d.put(strconv.FormatFloat(v, 'g', -1, 64))
	default:
		n := int64(d.r.Uint64()) >> (64 - t.Bits()) >> d.r.IntN(t.Bits())
		if t.Kind() >= reflect.Uint {
			d.put(strconv.FormatUint(uint64(n)&(math.MaxUint64>>(64-t.Bits())), 10))
			return
		}
		d.put(strconv.FormatInt(n, 10))
	}
}

// object writes some of a struct's fields in some order, and unknown ones between. No key comes
// twice: encoding/json merges then, where the contract replaces.
func (d *document) object(t reflect.Type, depth int) {
	keys := keysOf(t)
	if depth <= 0 {
		keys = nil
	}
	n := len(keys)
	if n > 5 && d.r.IntN(3) > 0 {
		n = d.r.IntN(n)
	}
	order := d.r.Perm(len(keys))[:n]
	if d.r.IntN(2) == 0 { // as a producer writes them
		for i := range order {
			order[i] = i
		}
	}
	unknown := 0
	d.list(n+d.r.IntN(2), "{", "}", func(i int) {
		if i == n || d.r.IntN(20) == 0 && i%2 == 1 {
			unknown++
			d.put(fmt.Sprintf(`"unknown %d":`, unknown))
			d.anything()
			return
		}
		d.key(keys[order[i]].name)
		d.space()
		d.put(":")
		d.space()
		d.value(keys[order[i]].typ, depth-1)
	})
}

// key writes a key, now and then with an escape.
func (d *document) key(name string) {
	c := []rune(name)
	if d.r.IntN(15) > 0 {
		d.put(`"` + name + `"`)
		return
	}
	at := d.r.IntN(len(c))
	d.put(fmt.Sprintf(`"%s\u%04x%s"`, string(c[:at]), c[at], string(c[at+1:])))
}

type member struct {
	name string
	typ  reflect.Type
}

// keysOf lists the members of a struct's object.
func keysOf(t reflect.Type) (list []member) {
	for f := range t.Fields() {
		tag := f.Tag.Get("json")
		name, _, _ := strings.Cut(tag, ",")
		switch {
		case tag == "-" || !f.IsExported():
		case f.Anonymous && name == "":
			list = append(list, keysOf(f.Type)...)
		case name == "":
			list = append(list, member{f.Name, f.Type})
		default:
			list = append(list, member{name, f.Type})
		}
	}
	return list
}

// ways are the ways into the generated code. Those that are used again have learned the order of
// keys from what came before; a new one has not, so that it guesses nothing before it has seen an
// object of the type.
type ways struct {
	mode  oracle.Mode
	warm  *kinds.RootDecoder
	fresh func() *kinds.RootDecoder
}

func allWays() (list []ways) {
	for mode, options := range [][]wire.Option{oracle.Default: nil, oracle.Strict: {wire.Strict()}, oracle.Lenient: {wire.Lenient()}} {
		fresh := func() *kinds.RootDecoder { return kinds.NewRootDecoder(options...) }
		list = append(list, ways{oracle.Mode(mode), fresh(), fresh})
	}
	return list
}

// check holds one document, in one mode, against the oracle: used again and guessing or not, new,
// and in memory of its own. It returns what the document is decoded to.
func (w *ways) check(t *testing.T, data []byte) (*kinds.Root, error) {
	t.Helper()
	want := new(kinds.Root)
	fault, saved := oracle.Decode(data, want, oracle.Options{Mode: w.mode})
	compare := func(way string, got *kinds.Root, repaired []wire.Saved, err error) {
		t.Helper()
		if s := differenceFrom(got, want, repaired, saved, err, fault); s != "" {
			t.Errorf("%s, %v: %.2000q: %s", way, w.mode, data, s)
		}
	}
	for _, guessing := range []bool{false, true} {
		w.warm.Guessing(guessing)
		got, err := w.warm.Decode(data)
		compare(fmt.Sprintf("guessing %v", guessing), got, w.warm.Saved(), err)
	}
	got, repaired, err := w.fresh().DecodeBundle(data)
	compare("new", got, repaired, err)
	return got, err
}

func differenceFrom(got, want *kinds.Root, saved []wire.Saved, wantSaved []oracle.Fault, err error, fault *oracle.Fault) string {
	var e *wire.Error
	switch {
	case err == nil && fault == nil:
		for i, s := range saved {
			if i >= len(wantSaved) || wantSaved[i] != (oracle.Fault{Code: s.Code.String(), Offset: s.Offset, Path: s.Path}) {
				return fmt.Sprintf("saved %v, want %v", saved, wantSaved)
			}
		}
		if len(saved) < len(wantSaved) && len(saved) < 1000 {
			return fmt.Sprintf("saved %v, want %v", saved, wantSaved)
		}
		return oracle.Diff(got, want)
	case err == nil:
		return fmt.Sprintf("accepted, want %+v", *fault)
	case !errors.As(err, &e):
		return fmt.Sprintf("%v is no *wire.Error", err)
	case fault == nil || *fault != oracle.Fault{Code: e.Code.String(), Offset: e.Offset, Path: e.Path}:
		return fmt.Sprintf("refused: %s at %d in %q, want %+v", e.Code.String(), e.Offset, e.Path, fault)
	}
	return ""
}

// againstJSON holds what default mode says of a document against encoding/json. What may differ is
// in the contract: null is absent for a RawMessage too, and -0 is 0, which encoding/json does not
// find in unsigned types.
func againstJSON(t *testing.T, data []byte, got *kinds.Root, err error) {
	t.Helper()
	want := new(kinds.Root)
	jsonErr := json.Unmarshal(data, want)
	if jsonErr != nil && strings.Contains(jsonErr.Error(), "number -0 ") {
		return
	}
	if (err == nil) != (jsonErr == nil) {
		t.Errorf("%.2000q: %v, encoding/json says %v", data, err, jsonErr)
		return
	}
	if string(want.Scalars.Raw) == "null" {
		want.Scalars.Raw = nil
	}
	if err == nil {
		if s := oracle.Diff(got, want); s != "" {
			t.Errorf("%.2000q: beside encoding/json: %s", data, s)
		}
	}
}

// TestRandomDocuments decodes documents of everything: right, with values of other kinds, and with
// broken bytes.
func TestRandomDocuments(t *testing.T) {
	count := 1000
	if testing.Short() {
		count = 150
	}
	r := rand.New(rand.NewPCG(1, 2))
	list := allWays()
	accepted := 0
	for i := range count {
		d := document{r: r, blank: i%3 == 0, wrong: []int{0, 0, 300, 60}[i%4]}
		d.object(reflect.TypeFor[kinds.Root](), 7)
		data := d.out
		broken := i%8 == 7
		if broken {
			at := r.IntN(len(data))
			data[at] = "{}[],:\"\\0-.tn \x00\xff"[r.IntN(16)]
		}
		for j := range list {
			got, err := list[j].check(t, data)
			if list[j].mode == oracle.Default && !broken { // broken bytes may make keys that differ by case, or come twice
				againstJSON(t, data, got, err)
				if err == nil {
					accepted++
				}
			}
		}
		if t.Failed() {
			return
		}
	}
	if accepted < count/4 {
		t.Errorf("only %d of %d documents are accepted: they are no test", accepted, count)
	}
}

// TestEachField has one document for each field, with each kind of value in it, at the top and
// where it may be nested.
func TestEachField(t *testing.T) {
	values := []string{
		"null", "0", "-0", "1", "-1", "127", "128", "-128", "-129", "255", "256", "32767", "32768", "65535", "65536", "2147483647", "2147483648", "4294967295", "4294967296",
		"9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616",
		"1.0", "1.5", "1e2", "9007199254740993.0", "1e400", "3.5e38", "01", "-", "1.", `""`, `"a"`, `"1"`, `"1.5"`, `"true"`, `"\u0031"`, `"\ud800"`, `"\x"`, "true", "false", "tru",
		"[]", "[null]", "[1]", `["a"]`, "[true]", "[1.5]", "[{}]", "[[]]", "[1,]", "[,1]", "{}", `{"a":1}`, `{"a":null}`, "{,}", "", "}", "[", `{"x":[{}]}`,
	}
	root := reflect.TypeFor[kinds.Root]()
	list := allWays()
	for _, group := range keysOf(root) {
		inner := group.typ
		if inner.Kind() == reflect.Pointer || inner.Kind() == reflect.Slice {
			inner = inner.Elem()
		}
		places := []string{fmt.Sprintf(`{"%s":?}`, group.name)}
		if inner.Kind() == reflect.Struct {
			for i, f := range keysOf(inner) {
				if i < 30 {
					places = append(places, fmt.Sprintf(`{"%s":{"%s":?}}`, group.name, f.name))
				}
			}
		}
		for p, place := range places {
			for v, value := range values {
				if testing.Short() && (p+v)%5 != 0 {
					continue
				}
				before := []string{"", " ", "  \n"}[(p+v)%3]
				data := []byte(strings.Replace(place, "?", before+value, 1))
				for i := range list {
					got, err := list[i].check(t, data)
					if list[i].mode == oracle.Default && value != `"\ud800"` {
						againstJSON(t, data, got, err)
					}
				}
			}
		}
		if t.Failed() {
			return
		}
	}
}

// TestReplaced: of two members with one key the last one counts, whole, in a field of each kind.
func TestReplaced(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	list := allWays()
	for _, group := range keysOf(reflect.TypeFor[kinds.Root]()) {
		for range 30 {
			d := document{r: r}
			d.put("{")
			for i := range 2 + r.IntN(2) {
				if i > 0 {
					d.put(",")
				}
				d.key(group.name)
				d.put(":")
				d.value(group.typ, 6)
			}
			d.put("}")
			for i := range list {
				if _, err := list[i].check(t, d.out); err == nil && list[i].mode == oracle.Strict {
					t.Errorf("%.2000q is accepted in strict mode", d.out)
				}
			}
		}
	}
}

// TestPrefixes: no document cut off is accepted.
func TestPrefixes(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	list := allWays()
	for range 3 {
		d := document{r: r, blank: true}
		for len(d.out) < 100 || len(d.out) > 700 {
			d.out = d.out[:0]
			d.object(reflect.TypeFor[kinds.Root](), 6)
		}
		for cut := range len(d.out) {
			for _, end := range []string{"", "}", "]}"} {
				data := append(d.out[:cut:cut], end...)
				for i := range list {
					if _, err := list[i].check(t, data); err == nil && end == "" {
						t.Errorf("%q is accepted", data)
					}
				}
			}
		}
	}
}

// TestClone: a copy has the value, and keeps it when the decoder goes on.
func TestClone(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	d := kinds.NewRootDecoder()
	for range 300 {
		doc := document{r: r}
		doc.object(reflect.TypeFor[kinds.Root](), 7)
		v, err := d.Decode(doc.out)
		if err != nil {
			continue
		}
		want := new(kinds.Root)
		if fault, _ := oracle.Decode([]byte(string(doc.out)), want, oracle.Options{}); fault != nil {
			t.Fatalf("%q: %+v", doc.out, fault)
		}
		c := v.Clone()
		clear(doc.out)
		if _, err := d.Decode([]byte(`{"many":[{"a":-7},{"a":-7}],"objects":{"ssmall":[{"a":-7}]}}`)); err != nil {
			t.Fatal(err)
		}
		if s := oracle.Diff(c, want); s != "" {
			t.Fatalf("the copy has become another value: %s", s)
		}
	}
}
