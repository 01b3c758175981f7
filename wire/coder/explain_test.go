package coder

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/wire"
)

// These tests are about what errors say was expected and found.

// wrongValues are values of each kind, and how errors call them.
var wrongValues = map[string]string{
	`"secret"`: "string", "31415926": "number", "-1": "number", `{"secret":31415926}`: "object", `["secret"]`: "array", "true": "boolean", "false": "boolean",
}

// expects checks that a reading refuses each value that is not of its kind, and names both.
func expects[T any](t *testing.T, want string, read reading[T]) {
	t.Helper()
	var r Reader
	refusals := 0
	for value, kind := range wrongValues {
		if kind == want || kind == "number" && want == "integer" {
			continue
		}
		refusals++
		for doc, place := range map[string]string{`{"v":` + value + `}`: "/v (byte 5)", `{"x":1,"v":` + "\n" + value + `}`: "/v (byte 12)"} {
			_, err := decodeHolder(&r, []byte(doc), read)
			if text := place + ": expected " + want + ", found " + kind; err == nil || err.Error() != text {
				t.Errorf("%s: %v, want %s", doc, err, text)
			}
		}
	}
	if refusals < 4 {
		t.Errorf("%s: only %d values are refused", want, refusals)
	}
	if h, err := decodeHolder(&r, []byte(`{"v":null}`), read); err != nil {
		t.Errorf("%s: null is refused: %v, %v", want, h, err)
	}
}

// TestExpected names each kind that a field takes with each kind of value.
func TestExpected(t *testing.T) {
	expects(t, "string", scalar((*Reader).AnyString))
	expects(t, "integer", scalar(plainInt))
	expects(t, "integer", scalar(Integer[uint8]))
	expects(t, "number", scalar((*Reader).Float))
	expects(t, "number", scalar((*Reader).Float32))
	expects(t, "boolean", scalar((*Reader).Bool))
	expects(t, "object", func(r *Reader, p, depth int) (int, int) {
		if r.At(p) == '{' {
			return 0, r.Skip(p, depth)
		}
		return 0, r.Null(p)
	})
	for _, array := range []func(r *Reader, p, depth int) (int, int){
		func(r *Reader, p, depth int) (int, int) { _, p = r.Strings(new(Slab[string]), p, depth); return 0, p },
		func(r *Reader, p, depth int) (int, int) { _, p = r.Ints(new(Slab[int]), p, depth); return 0, p },
		func(r *Reader, p, depth int) (int, int) { _, p = r.Floats(new(Slab[float64]), p, depth); return 0, p },
	} {
		var r Reader
		for value, kind := range wrongValues {
			_, err := decodeHolder(&r, []byte(`{"v":`+value+`}`), array)
			if text := "/v (byte 5): expected array, found " + kind; kind != "array" && (err == nil || err.Error() != text) {
				t.Errorf("%s: %v, want %s", value, err, text)
			}
		}
	}
}

// TestReasons checks the whole message of refusals that depend on more than the kind.
func TestReasons(t *testing.T) {
	ints := func(r *Reader, p, depth int) ([]int, int) { return r.Ints(new(Slab[int]), p, depth) }
	intName := "int" + strconv.Itoa(strconv.IntSize)
	check := func(value string, decode func(r *Reader, data []byte) error, want string, options ...wire.Option) {
		t.Helper()
		var r Reader
		r.Configure(options...)
		if err := decode(&r, []byte(`{"v":`+value+`}`)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", value, err, want)
		}
		// A second document does not inherit the reason.
		if err := decode(&r, []byte("{\"x\":\"\x01\"}")); err == nil || err.Error() != "/x (byte 6): unescaped control character in string" {
			t.Errorf("after %s: %v", value, err)
		}
	}
	check(`["x"]`, of(ints), "/v/0 (byte 6): expected integer, found string")
	check(`[1,{}]`, of(ints), "/v/1 (byte 8): expected integer, found object")
	check("1.0", of(scalar(plainInt)), "/v (byte 5): expected integer, found number with a fraction or an exponent")
	check("1e2", of(scalar(Integer[int8])), "/v (byte 5): expected integer, found number with a fraction or an exponent")
	check("300", of(scalar(Integer[uint8])), "/v (byte 5): number does not fit (want uint8)")
	check("-1", of(scalar(Integer[uint8])), "/v (byte 5): number does not fit (want uint8)")
	check("99999999999999999999999", of(scalar(Integer[int16])), "/v (byte 5): number does not fit (want int16)")
	check("99999999999999999999999", of(scalar(plainInt)), "/v (byte 5): number does not fit (want "+intName+")")
	check("1e400", of(scalar((*Reader).Float)), "/v (byte 5): number does not fit (want float64)")
	check("1e40", of(scalar((*Reader).Float32)), "/v (byte 5): number does not fit (want float32)")
	lenient := wire.Lenient()
	check(`"300"`, of(scalar(Integer[uint8])), "/v (byte 5): number does not fit (want uint8)", lenient)
	check(`1e30`, of(scalar(Integer[uint8])), "/v (byte 5): number does not fit (want uint8)", lenient)
	check(`"1e30"`, of(scalar(plainInt)), "/v (byte 5): number does not fit (want "+intName+")", lenient)
	check(`"1e400"`, of(scalar((*Reader).Float)), "/v (byte 5): number does not fit (want float64)", lenient)
	check(`"x"`, of(scalar(plainInt)), "/v (byte 5): expected integer or quoted integer, found string", lenient)
	check(`"x"`, of(scalar((*Reader).Float)), "/v (byte 5): expected number or quoted number, found string", lenient)
	check(`{}`, of(scalar(plainInt)), "/v (byte 5): expected integer, found object", lenient)
	check(`[]`, of(scalar((*Reader).AnyString)), "/v (byte 5): expected string, found array", lenient)
	check(`2`, of(scalar((*Reader).Bool)), "/v (byte 5): expected boolean, found number", lenient)
	check(`nul`, of(scalar((*Reader).Bool)), "/v (byte 8): expected null")
	check(`trux`, of(scalar((*Reader).Bool)), "/v (byte 8): expected true")
	check(`foo`, of(scalar((*Reader).AnyString)), "/v (byte 6): expected false")
	check(`?`, of(scalar((*Reader).AnyString)), "/v (byte 5): expected value, found invalid character")
	check(`"" ?`, of(scalar((*Reader).AnyString)), "document (byte 8): expected ',' or '}', found invalid character")
	check(`"" fal`, of(scalar((*Reader).AnyString)), "document (byte 8): expected ',' or '}', found invalid character")
	check(`"" false`, of(scalar((*Reader).AnyString)), "document (byte 8): expected ',' or '}', found boolean")
	check(`[1 2]`, of(ints), "/v (byte 8): expected ',' or ']', found number")
	check(`[1}`, of(ints), "/v (byte 7): expected ',' or ']', found '}'")
	check(`[1,]`, of(ints), "/v/1 (byte 8): expected value, found ']'")
	check(`-`, of(scalar(plainInt)), "/v (byte 6): invalid number (want digit)")
	check(`1.`, of(scalar(plainInt)), "/v (byte 7): invalid number (want digit)")
	check(`1e+`, of(scalar(plainInt)), "/v (byte 8): invalid number (want digit)")
	check(`00`, of(scalar(plainInt)), "/v (byte 6): invalid number (want no leading zero)")
	check(`"\u12g"`, of(scalar((*Reader).AnyString)), "/v (byte 10): invalid escape sequence in string (want hexadecimal digit)")
	check(`"a`, of(scalar((*Reader).AnyString)), "/v (byte 8): expected closing quote, found end of document")
	check(`[1,2]`, of(ints), "/v (byte 5): array too long (want at most 1 element)", wire.MaxElements(1))
	check(`{"x":[[]]}`, of(rawMessage), "/v/x/0 (byte 11): nested too deep (want at most 3 levels)", wire.MaxDepth(3))
}

// of drops the value of a decoded holder.
func of[T any](read reading[T]) func(r *Reader, data []byte) error {
	return func(r *Reader, data []byte) error {
		_, err := decodeHolder(r, data, read)
		return err
	}
}

// TestSyntaxIsExplained: a fault of the grammar never leaves open what was expected, so that
// expectations has all that package grammar can say.
func TestSyntaxIsExplained(t *testing.T) {
	var docs []string
	for _, value := range brokenValues {
		for _, end := range []string{"}", ",}", " }", "]}", "}}", `,"v":null}`, "", " "} {
			docs = append(docs, `{"v":`+value+end, `{"x":[`+value+end, value+end)
		}
	}
	explained := 0
	for _, doc := range docs {
		for _, r := range readers() {
			_, err := decodeHolder(r, []byte(doc), scalar((*Reader).AnyString))
			e, _ := err.(*wire.Error) //nolint:errorlint // decodeHolder wraps nothing
			if e == nil {
				continue
			}
			switch e.Code {
			case wire.CodeSyntax, wire.CodeTruncated, wire.CodeNumber:
				explained++
				if e.Expected == "" && !cutEscape(doc, e) {
					t.Errorf("%q: %v", doc, e)
				}
			}
		}
	}
	if explained < 100 {
		t.Errorf("only %d documents break the grammar", explained)
	}
}

// cutEscape reports whether the document ends in an escape, for which there are many ways to go on.
func cutEscape(doc string, e *wire.Error) bool {
	return e.Code == wire.CodeTruncated && strings.HasSuffix(doc, `\`)
}

// TestMessagesNameNoValues changes single bytes of documents whose values are markers, and looks
// for the markers in errors.
func TestMessagesNameNoValues(t *testing.T) {
	const text, number = "s3cr3t", "31415926535"
	rnd := rand.New(rand.NewPCG(1, 0))
	doc := []byte(`{"a":"` + text + `","v":"` + text + `","b":[` + number + `,"` + text + `",true,{"c":-` + number + `.5e7}],"d":{"e":"\u0041` + text + `"},"n":null}`)
	bytes := `{}[]:,"\ntf-0.eE+u` + "\x00\x01 \xff?'"
	refused := 0
	for range 20000 {
		b := append([]byte(nil), doc...)
		switch at := rnd.IntN(len(b)); rnd.IntN(3) {
		case 0:
			b[at] = bytes[rnd.IntN(len(bytes))]
		case 1:
			b = append(b[:at], b[at+1:]...)
		default:
			b = b[:at]
		}
		for _, r := range readers(wire.MaxDepth(1+rnd.IntN(4)), wire.MaxSize(len(doc)-rnd.IntN(3))) {
			var err error
			if rnd.IntN(2) == 0 {
				_, err = decodeHolder(r, b, scalar((*Reader).AnyString))
			} else {
				_, err = decodeHolder(r, b, scalar(plainInt))
			}
			if err == nil {
				continue
			}
			refused++
			if s := err.Error(); strings.Contains(s, text[2:]) || strings.Contains(s, number[2:8]) || strings.Contains(s, "\n") {
				t.Errorf("%q: %s", b, s)
			}
		}
	}
	if refused < 10000 {
		t.Errorf("only %d documents are refused", refused)
	}
}

// TestKindAt: each byte that a refusal may point to has a name of its own or none, and an offset
// beyond the text does no harm.
func TestKindAt(t *testing.T) {
	for b := range 256 {
		got := kindAt([]byte{byte(b)}, 0)
		_, begins := map[byte]bool{'"': true, '{': true, '[': true, '-': true}[byte(b)]
		begins = begins || b >= '0' && b <= '9'
		if punctuation := strings.IndexByte("}],:", byte(b)) >= 0; punctuation != strings.HasPrefix(got, "'") || begins != (Kind(byte(b)) == got) {
			t.Errorf("%q is called %q", byte(b), got)
		}
	}
	for _, at := range []int{-1, 1, 1 << 30} {
		if got := kindAt([]byte("1"), at); got != "" {
			t.Errorf("byte %d of one is %q", at, got)
		}
	}
}

// TestInvalid explains what is wrong with raw values.
func TestInvalid(t *testing.T) {
	for raw, want := range map[string]string{
		"":                                       "/x (byte 0): empty value",
		"1 2":                                    "/x (byte 2): expected end of value, found number",
		`{"a":01}`:                               "/x (byte 6): invalid number (want no leading zero)",
		"[1":                                     "/x (byte 2): expected ',' or ']', found end of value",
		"{]":                                     "/x (byte 1): expected key in double quotes, found ']'",
		strings.Repeat("[", wire.DepthDefault+1): "/x (byte 1024): nested too deep (want at most 1024 levels)",
	} {
		code, at := Validate([]byte(raw))
		if got := Invalid([]byte(raw), code, at, "/x").Error(); got != want {
			t.Errorf("%.20s: %s, want %s", raw, got, want)
		}
	}
}
