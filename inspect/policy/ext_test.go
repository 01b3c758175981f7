package policy

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// withExt is the sample with a text as the ext of its site.
func withExt(tb testing.TB, text string) *rule.Input {
	tb.Helper()
	in := input(tb, sample)
	in.Facts = sampleFacts()
	in.Request.Site.Ext = []byte(text)
	return in
}

// TestExtEscapes reads strings and keys with every kind of escape.
func TestExtEscapes(t *testing.T) {
	for _, text := range []string{
		`""`,
		`"plain"`,
		`"\""`,
		`"\\"`,
		`"\/"`,
		`"\b\f\n\r\t"`,
		`"a\nb"`,
		`"\u0041"`,
		`"\u00e9"`,
		`"\u00E9"`,
		`"\u65e5\u672c"`,
		`"\ud83d\ude00"`,
		`"x\ud83d\ude00y"`,
		`"\u0000"`,
		`"\\u0041"`,
		`"\\\\n"`,
		`"é\u00e9日"`,
		`"ends in a backslash\\"`,
		`"{\"a\":[1]}"`,
		`"` + strings.Repeat(`\t`, 200) + `"`,
	} {
		var want string
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		quoted := celQuote(want)
		hold(t, withExt(t, `{"before":"x\"y","s":`+text+`,"after":1}`), []condition{
			{"site.ext.s == " + quoted, "true"},
			{`site.ext["s"] == ` + quoted, "true"},
			{"site.ext.s != " + quoted, "false"},
			{fmt.Sprintf("size(site.ext.s) == %d", len([]rune(want))), "true"},
			{"site.ext.after == 1", "true"},
			{`site.ext.before == "x\"y"`, "true"},
		})
		hold(t, withExt(t, `{"first":0,`+text+`:{`+text+`:2},"z":3}`), []condition{
			{"site.ext[" + quoted + "][" + quoted + "] == 2", "true"},
			{quoted + " in site.ext", "true"},
			{"site.ext.exists(k, k == " + quoted + ")", "true"},
			{"site.ext.z == 3", "true"},
		})
	}
}

// celQuote writes a string as a literal of CEL.
func celQuote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		if r < ' ' || r == '"' || r == '\\' || r > '~' {
			fmt.Fprintf(&b, `\U%08x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String() + `"`
}

// TestExtNumbers reads numbers as ints where they have room in one, and as doubles otherwise.
func TestExtNumbers(t *testing.T) {
	for _, text := range []string{
		"0", "-0", "1", "-1", "12345678901234567", "999999999999999999", "-99999999999999999", "9223372036854775807", "-9223372036854775807",
		"9223372036854775808", "-9223372036854775809", "123456789012345678901234567890", "0.0", "-0.0", "1.0", "1.5", "-2.25", "1e3", "1E3", "1e+3",
		"1e-3", "1.5e2", "0.1", "1e308", "2e-308", "3.141592653589793",
	} {
		want := text
		if _, err := strconv.ParseInt(text, 10, 64); err != nil {
			f, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			if want = strconv.FormatFloat(f, 'e', -1, 64); !strings.Contains(want, ".") {
				want = strings.Replace(want, "e", ".0e", 1)
			}
		}
		hold(t, withExt(t, `{"n":`+text+`,"l":[`+text+`, `+text+` ]}`), []condition{
			{"site.ext.n == (" + want + ")", "true"},
			{"site.ext.n <= (" + want + ") && site.ext.n >= (" + want + ")", "true"},
			{"site.ext.l == [(" + want + "), (" + want + ")]", "true"},
			{"(" + want + ") in site.ext.l", "true"},
			{"site.ext.n == site.ext.l[1]", "true"},
			{`site.ext.n == "` + text + `"`, "false"},
		})
	}
}

// TestExtShapes finds members and elements in any white space and order.
func TestExtShapes(t *testing.T) {
	for _, text := range []string{
		`{"a":{"b":[10,{"c":"x"},[]]},"n":null,"t":true,"f":false}`,
		` { "a" : { "b" : [ 10 , { "c" : "x" } , [ ] ] } , "n" : null , "t" : true , "f" : false } `,
		"{\n\t\"f\":false,\r\n\t\"t\":true,\n\t\"n\":null,\n\t\"a\":{\n\t\t\"b\":[\n\t\t\t10,\n\t\t\t{\"c\":\"x\"},\n\t\t\t[]\n\t\t]\n\t}\n}",
		`{"\u0061":{"\u0062":[10,{"\u0063":"x"},[]]},"\u006e":null,"\u0074":true,"\u0066":false}`,
		`{"a":1,"t":0,"a":{"b":[10,{"c":"x"},[]]},"n":null,"t":true,"f":false}`, // of a repeated key the last one counts
		`{"ab":{"b":1},"aa":"a","b":{"a":1},"a":{"bb":[],"b":[10,{"cc":"y","c":"x"},[]]},"n":null,"t":true,"f":false}`,
		`{"s":"\"a\":{\"b\":1}","a":{"b":[10,{"c":"x"},[]]},"n":null,"t":true,"f":false}`, // a string that looks like members
	} {
		hold(t, withExt(t, text), []condition{
			{`site.ext.a.b[0] == 10`, "true"},
			{`site.ext.a.b[0.0 + 0.0] == 10`, "true"}, // an index that is a double
			{`site.ext.a.b[0.5 + 0.0] == 10`, "index"},
			{`site.ext.a.b[1].c == "x"`, "true"},
			{`site.ext["a"]["b"][1]["c"] == "x"`, "true"},
			{`site.ext.a.b[2] == []`, "true"},
			{`size(site.ext.a.b) == 3`, "true"},
			{`site.ext.a.b[3] == 1`, "index"},
			{`site.ext.a.b[-1] == 1`, "index"},
			{`site.ext.a.b["0"] == 1`, "type"},
			{`site.ext.a[0] == 1`, "type"},
			{`site.ext.a.b.c == 1`, "type"},
			{`site.ext.a.b[0].c == 1`, "type"},
			{`site.ext.t.x == 1`, "type"},
			{`site.ext.a.x == null`, "true"},
			{`site.ext.a.x.y.z == null`, "true"},
			{`site.ext.n == null`, "true"},
			{`site.ext.n.x == null`, "true"},
			{`site.ext.t == true && site.ext.f == false`, "true"},
			{`site.ext.t && !site.ext.f`, "true"},
			{`site.ext.a && true`, "type"},
			{`site.ext.n || false`, "type"},
			{`has(site.ext.a)`, "true"},
			{`has(site.ext.a.b)`, "true"},
			{`has(site.ext.n)`, "false"},
			{`has(site.ext.x)`, "false"},
			{`has(site.ext.x.y)`, "false"},
			{`has(site.ext.f)`, "true"},
			{`"a" in site.ext && "b" in site.ext.a`, "true"},
			{`"n" in site.ext`, "true"}, // the key is there, with null
			{`"x" in site.ext`, "false"},
			{`10 in site.ext.a.b`, "true"},
			{`11 in site.ext.a.b`, "false"},
			{`[] in site.ext.a.b`, "true"},
			{`10 in site.ext.t`, "type"},
			{`site.ext.a == site.ext.a`, "true"},
			{`site.ext.a == site.ext.a.b`, "false"},
			{`site.ext.a.b == [10, site.ext.a.b[1], []]`, "true"},
			{`site.ext.a.exists(k, k == "b")`, "true"},
			{`site.ext.a.b.exists(x, x == 10)`, "true"},
			{`site.ext.a.b.all(x, x == 10)`, "false"},
			{`site.ext.a.b.filter(x, x == 10) == [10]`, "true"},
			{`site.ext.a.b.exists_one(x, x == [])`, "true"},
			{`site.ext.a.b.map(x, x == 10) == [true, false, false]`, "true"},
			{`site.ext.t.exists(x, true)`, "type"},
		})
	}
	for _, text := range []string{"", "null"} { // no ext
		hold(t, withExt(t, text), []condition{
			{`has(site.ext)`, "false"},
			{`has(site.ext.a)`, "false"},
			{`site.ext == null`, "true"},
			{`site.ext.a.b == null`, "true"},
			{`site.ext.a == 1`, "false"},
			{`site.ext.a < 1`, "type"},
			{`size(site.ext.a) == 0`, "type"},
			{`"a" in site.ext`, "type"},
			{`site.ext.a.all(x, true)`, "type"},
		})
	}
}

// TestExtLetterCase finds members in any letter case, as readers do that ignore it.
func TestExtLetterCase(t *testing.T) {
	for _, text := range []string{
		`{"siteId":1,"o":{"KEY":"x"}}`, `{"SITEID":1,"O":{"key":"x"}}`, `{"siteid":1,"o":{"\u212aey":"x"}}`, `{"\u0053iteId":1,"o":{"K\u0045y":"x"}}`,
		`{"siteId":0,"siteId":1,"o":{"key":"x"},"os":1,"Osx":2}`, `{"ſiteId":1,"o":{"key":"x"}}`, `{"siteid\u0000":1,"o":{"key":"x"}}`,
	} {
		hold(t, withExt(t, text), []condition{
			{`site.ext.siteId == 1`, "true"},
			{`site.ext.siteid == 1`, "true"},
			{`site.ext["SiteID"] == 1`, "true"},
			{`"siteId" in site.ext && "KEY" in site.ext.o`, "true"},
			{`has(site.ext.o.key) && site.ext.o.Key == "x"`, "true"},
			{`site.ext.site == null`, "true"},
		})
	}
	for _, text := range []string{
		`{"siteId":1,"siteid":1}`, `{"SITEID":1,"Siteid":1}`, `{"siteid":1,"\u017fiteid":1}`, `{"siteid":1,"siteid\u0000x":1}`, `{"siteid":1,"siteId":null,"siteid":1}`,
	} {
		hold(t, withExt(t, text), []condition{
			{`site.ext.siteid == 1`, "case"},
			{`site.ext["siteId"] == 1`, "case"},
			{`"siteid" in site.ext`, "case"},
			{`has(site.ext.siteid)`, "case"},
			{`site.ext.siteid == 1 || true`, "true"},
			{`site.ext.exists(k, k.startsWith("s") || k.startsWith("S"))`, "true"},
			{`site.ext == site.ext`, "true"},
			{`has(site.ext.x)`, "false"},
		})
	}
}

// TestExtRandom compares random documents with what encoding/json reads: each value at its path,
// the keys of each object and the size of each array.
func TestExtRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	documents := testkit.Scale(t, 20, 60, 2000)
	checked := 0
	for range documents {
		value := map[string]any{"a": randomValue(r, 3), "b c": randomValue(r, 3), "é\"": randomValue(r, 2)}
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		var conditions []condition
		describe("site.ext", value, &conditions)
		checked += len(conditions)
		hold(t, withExt(t, string(text)), conditions)
	}
	if checked < 10*documents {
		t.Errorf("%d documents give only %d conditions", documents, checked)
	}
}

// randomValue returns a value as encoding/json decodes it, of some depth at most.
func randomValue(r *rand.Rand, depth int) any {
	switch kind := r.IntN(8); {
	case kind == 0:
		return nil
	case kind == 1:
		return r.IntN(2) == 0
	case kind == 2:
		return float64(r.IntN(2000)-1000) / 4
	case kind <= 4 || depth == 0:
		letters := []rune("ab\"\\/\n\té日😀 {}[],:")
		var b strings.Builder
		for range r.IntN(6) {
			b.WriteRune(letters[r.IntN(len(letters))])
		}
		return b.String()
	case kind == 5:
		list := make([]any, r.IntN(4))
		for i := range list {
			list[i] = randomValue(r, depth-1)
		}
		return list
	}
	object := map[string]any{}
	for range r.IntN(4) {
		object[fmt.Sprint("k", r.IntN(5))] = randomValue(r, depth-1)
	}
	return object
}

// describe appends conditions that hold for a value at a path.
func describe(path string, value any, to *[]condition) {
	add := func(format string, args ...any) {
		*to = append(*to, condition{path + fmt.Sprintf(format, args...), "true"})
	}
	switch v := value.(type) {
	case nil:
		add(" == null")
	case bool:
		add(" == %v", v)
		add(" != %v", !v)
	case float64:
		text := strconv.FormatFloat(v, 'f', -1, 64)
		add(" == (%s)", text)
		add(" < (%s) + 1%s", text, fraction(text))
	case string:
		add(" == %s", celQuote(v))
	case []any:
		*to = append(*to, condition{fmt.Sprintf("size(%s) == %d", path, len(v)), "true"},
			condition{fmt.Sprintf("%s[%d] == 1", path, len(v)), "index"})
		for i := range v {
			describe(fmt.Sprintf("%s[%d]", path, i), v[i], to)
		}
	case map[string]any:
		*to = append(*to, condition{fmt.Sprintf("size(%s) == %d", path, len(v)), "true"})
		for _, name := range slices.Sorted(maps.Keys(v)) {
			*to = append(*to, condition{celQuote(name) + " in " + path, "true"})
			describe(path+"["+celQuote(name)+"]", v[name], to)
		}
		add(".never == null")
	}
}

// fraction returns what makes the literal 1 a number of the same type as a text.
func fraction(text string) string {
	if strings.Contains(text, ".") {
		return ".0"
	}
	return ""
}
