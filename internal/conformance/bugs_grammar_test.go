package conformance

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// TestBugSkippedValuesAreNotValidated: unknown values were skipped by counting brackets, so garbage
// in them was accepted.
func TestBugSkippedValuesAreNotValidated(t *testing.T) {
	list := requestEntries()
	for _, bad := range []string{
		`01`, `1.`, `-.1`, `-`, `+1`, `1e`, `.5`, `0x1`, `1_0`, `NaN`, `tru`, `nul`, `True`, `truex`, `'a'`, `a`, `,`, `:`,
		`"\x"`, `"\u12"`, `"\u12g4"`, `"\ud800"`, "\"\x01\"", "\"\n\"", "\"\xff\"", "\"\xc0\x80\"", `"a`, `"`,
		`[1,]`, `[,1]`, `[1 2]`, `[1`, `[1}`, `[}`, `[]]`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{,}`, `{1:2}`, `{a:1}`, `{"a" 1}`, `{"a"::1}`, `{"a":1 "b":2}`, `{]`, `{"a":1]`,
		`[[[1,2],[3,4,]]]`, `{"a":{"b":{"c":tru}}}`, `[{"a":[{"b":"\q"}]}]`, `1 2`, `"a" "b"`, `[] []`, `{} {}`, `//`, `/**/1`,
	} {
		for _, place := range skippedPlaces {
			for _, value := range []string{bad, `[0,` + bad + `]`, `[[` + bad + `,0]]`, `{"k":` + bad + `}`} {
				data := at(place, value)
				for _, e := range list {
					if e.accepts(data) {
						t.Errorf("%s accepts %s", e.name, data)
					}
				}
			}
		}
	}
	for _, good := range []string{`0`, `-0`, `1.5e-10`, `1e400`, `""`, `"\u0000\ud83d\ude00é"`, `[]`, `{}`, `{"":[{}]}`, `[[[[]]],{"a":{"b":null}},true,false]`} {
		for _, place := range skippedPlaces {
			for _, e := range list {
				if fault := e.refusal(at(place, good)); fault != nil {
					t.Errorf("%s of %s: refused for %v", e.name, at(place, good), *fault)
				}
			}
		}
	}
}

// TestBugIntegersSaturateOrWrap: 9223372036854775808 became the largest integer, or a negative one.
func TestBugIntegersSaturateOrWrap(t *testing.T) {
	const bits = strconv.IntSize
	most := uint64(math.MaxInt)
	good := map[string]int{"0": 0, "-0": 0, strconv.Itoa(math.MaxInt): math.MaxInt, strconv.Itoa(math.MinInt): math.MinInt, strconv.Itoa(math.MaxInt - 1): math.MaxInt - 1}
	bad := []string{
		"18446744073709551615", "18446744073709551616", "18446744073709551617", "36893488147419103233", "-18446744073709551617", "100000000000000000000", "340282366920938463463374607431768211457",
	}
	for i := range uint64(3) {
		bad = append(bad, strconv.FormatUint(most+1+i, 10), "-"+strconv.FormatUint(most+2+i, 10))
	}
	for n := 1; n < 45; n++ { // every number of digits, smallest and largest
		for _, text := range []string{strings.Repeat("9", n), "1" + strings.Repeat("0", n-1)} {
			for _, text := range []string{text, "-" + text} {
				if v, err := strconv.ParseInt(text, 10, bits); err == nil {
					good[text] = int(v)
				} else {
					bad = append(bad, text)
				}
			}
		}
	}
	lenient := openrtb.NewDecoder(wire.Lenient())
	parsers := map[string]func([]byte) (*openrtb.BidRequest, error){"Parse": openrtb.Parse, "lenient": lenient.Decode}
	for _, after := range []string{"", " "} { // white space takes another path through the code
		for text, want := range good {
			for name, parse := range parsers {
				v, err := parse([]byte(`{"tmax":` + text + after + `,"imp":[{"banner":{"api":[1,` + text + after + `]}}]}`))
				if err != nil || *v.TMax != want || int(v.Imp[0].Banner.API[1]) != want {
					t.Errorf("%s of %s: %v", name, text, err)
				}
			}
			if v, err := lenient.Decode([]byte(`{"tmax":"` + text + `"}`)); err != nil || *v.TMax != want {
				t.Errorf("lenient, quoted, of %s: %v", text, err)
			}
		}
		for _, text := range bad {
			for name, parse := range parsers {
				for _, place := range []string{`{"tmax":?}`, `{"imp":[{"banner":{"api":[1,?]}}]}`, `{"at":?}`} {
					var e *wire.Error
					if v, err := parse(at(place, text+after)); !errors.As(err, &e) || e.Code != wire.CodeRange {
						t.Errorf("%s of %s: %+v, %v, want a refusal for its range", name, at(place, text), v, err)
					}
				}
			}
			var e *wire.Error
			if v, err := lenient.Decode([]byte(`{"tmax":"` + text + `"}`)); !errors.As(err, &e) || e.Code != wire.CodeRange {
				t.Errorf("lenient, quoted, of %s: %+v, %v, want a refusal for its range", text, v, err)
			}
		}
	}
}

// TestBugNumberForms: 01, 1. and -.1 were accepted, because the number functions of Go and C accept
// them.
func TestBugNumberForms(t *testing.T) {
	list, lenient := entries(), openrtb.NewDecoder(wire.Lenient())
	for _, bad := range []string{
		"01", "00", "-01", "-00", "001.5", "01e5", "00.1", "1.", "-1.", "0.", "1.e5", "-.1", ".1", "-.", "1.-1", "1e", "1E+", "1e-", "1e5.5", "1e0x1", "-", "--1", "+1", "-+1",
		"1..2", "1.2.3", "0x10", "0X1P-2", "0b1", "0o7", "1_000", "Infinity", "-Infinity", "Inf", "NaN", "-NaN", "1f", "1.5f", "1L", "1 .5", "- 1", "1e 5", "١", "１",
	} {
		for _, place := range valuePlaces {
			data := at(place, bad)
			for _, e := range list {
				if e.accepts(data) && (!e.response || strings.Contains(place, `"x"`) || strings.Contains(place, `{"ext"`)) {
					t.Errorf("%s accepts %s", e.name, data)
				}
			}
			if strings.Contains(place, `"at"`) || strings.Contains(place, "bidfloor") || strings.Contains(place, "api") {
				if v, err := lenient.Decode(at(place, `"`+bad+`"`)); err == nil {
					t.Errorf("lenient accepts %s: %+v", at(place, `"`+bad+`"`), v)
				}
			}
		}
	}
}
