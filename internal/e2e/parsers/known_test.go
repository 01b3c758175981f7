package parsers

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// finding is a difference between a reader and rtbwire, at a place or about the whole document.
type finding struct {
	text      []byte // what was read: the document, or what scrubs made of it
	reader    *reader
	place     *place // nil if the reader refuses the document
	want, got value
	nodes     []node // of the text, see [finding.values]
}

// difference is a kind of differences that are known.
type difference struct {
	kind    string
	applies func(f *finding) bool
	reason  string // why it does no harm, or what to do
	// version says that the difference depends on the version of the reader, so that a run without
	// it is no fault.
	version bool
}

// known are the differences that may occur. The first that applies counts.
var known = []difference{
	{
		kind: "legacy-key-case",
		applies: func(f *finding) bool {
			return f.place != nil && f.place.reading != plain && f.keys(func(n *node) bool {
				return foldedPrefix(f.place.pointer, n.pointer) && !strings.HasPrefix(f.place.pointer+"/", n.pointer+"/")
			})
		},
		reason: "rtbwire reads legacy names of an ext in any case of letters, because some readers do, encoding/json into structs among them. " +
			"Readers that compare keys byte for byte find less than the rules have seen. Where two copies differ, " +
			"1 wins for flags, and consent counts as absent",
	},
	{
		kind: "many-digits",
		applies: func(f *finding) bool {
			const most = 19
			return f.by("simdjson-ondemand") && f.place != nil && f.want.kind == 'n' && f.spelled(func(text string) bool {
				fraction, small := strings.CutPrefix(strings.TrimPrefix(text, "-"), "0.")
				fraction, _, _ = strings.Cut(strings.ToLower(fraction), "e")
				return small && len(strings.TrimLeft(fraction, "0")) > most
			})
		},
		reason:  "before version 3.6.3, simdjson's cursor reads 0 with more than 19 digits after the point as another number. Use a later version",
		version: true,
	},
	{
		kind: "approximate",
		applies: func(f *finding) bool {
			const places, almostMax = 2e-15, 1.7e308
			return f.by("rapidjson", "rapidjson-c-strings") && f.place != nil && f.want.kind == 'n' && f.got.kind == 'n' &&
				(math.Abs(f.got.float/f.want.float-1) < places || math.IsInf(f.got.float, 0) && math.Abs(f.want.float) > almostMax)
		},
		reason: "without kParseFullPrecisionFlag, RapidJSON's doubles may be off in the last two places, and the largest ones infinite. " +
			"That is less than any price differs",
	},
	{
		kind: "legacy-converted",
		applies: func(f *finding) bool {
			return f.place != nil && f.place.reading == text && f.want.kind == 's' && f.got.kind == '-' &&
				f.spelled(func(text string) bool { return text[0] != '"' })
		},
		reason: "rtbwire reads a number or a boolean in eids and schain of an ext as text, as lenient readers do. " +
			"The others find less than the rules have seen",
	},
	{
		kind: "double",
		applies: func(f *finding) bool {
			return f.by("go-map", "go-map-v2", "node") && f.place != nil && f.want.rounded().same(f.got)
		},
		reason: "all numbers are doubles for the reader, so it rounds integers beyond 2^53. Nothing that OpenRTB counts or lists is as large",
	},
	{
		kind: "null-element",
		applies: func(f *finding) bool {
			return f.place != nil && f.want.kind == '[' && f.want.same(f.got.filled())
		},
		reason: "null in a list of numbers is 0 for rtbwire, as for encoding/json; no list of OpenRTB gives 0 a meaning that permits something",
	},
	{
		kind: "overflow",
		applies: func(f *finding) bool {
			return f.place == nil && f.numbers(func(text string) bool {
				n, _ := strconv.ParseFloat(text, 64)
				return math.IsInf(n, 0)
			})
		},
		reason: "the reader refuses numbers that no double holds, wherever they are; rtbwire refuses them in fields alone. The core does not bid",
	},
	{
		kind: "big-integer",
		applies: func(f *finding) bool {
			return f.place == nil && f.by("simdjson", "simdjson-c-strings") && f.numbers(func(text string) bool {
				_, signed := strconv.ParseInt(text, 10, 64)
				_, unsigned := strconv.ParseUint(text, 10, 64)
				return signed != nil && unsigned != nil && !strings.ContainsAny(text, ".eE")
			})
		},
		reason: "simdjson's tree refuses integers of more than 64 bits, wherever they are. The core does not bid",
	},
	{
		kind: "many-digits-exponent",
		applies: func(f *finding) bool {
			const most = 19
			return f.place == nil && f.by("simdjson-ondemand", "rapidjson", "rapidjson-c-strings") &&
				f.numbers(func(text string) bool { return len(text) > most && strings.ContainsAny(text, "eE") })
		},
		reason:  "the reader refuses some numbers with an exponent and more digits than 64 bits hold. The core does not bid",
		version: true,
	},
	{
		kind: "long-number",
		applies: func(f *finding) bool {
			const most = 1000
			return f.place == nil && f.by("jackson") && f.numbers(func(text string) bool { return len(text) > most })
		},
		reason: "Jackson refuses numbers of more than 1,000 characters, see StreamReadConstraints. The core does not bid",
	},
}

func (f *finding) by(names ...string) bool { return slices.Contains(names, f.reader.name) }

// values are the values of the text.
func (f *finding) values() []node {
	if f.nodes == nil {
		d := draft{text: f.text}
		d.scan()
		f.nodes = d.nodes
	}
	return f.nodes
}

// spelled reports whether the text of the value at the place is as wanted.
func (f *finding) spelled(want func(text string) bool) bool {
	return slices.ContainsFunc(f.values(), func(n node) bool { return n.pointer == f.place.pointer && want(string(f.text[n.start:n.end])) })
}

// keys reports whether a key of the document is as wanted.
func (f *finding) keys(want func(n *node) bool) bool {
	return slices.ContainsFunc(f.values(), func(n node) bool { return hasKey(&n) && want(&n) })
}

// numbers reports whether a number of the document is as wanted.
func (f *finding) numbers(want func(text string) bool) bool {
	return slices.ContainsFunc(f.values(), func(n node) bool { return isNumber(&n) && want(string(f.text[n.start:n.end])) })
}

// foldedPrefix reports whether a pointer leads to a place or to a value around it, if the case of
// letters does not count.
func foldedPrefix(place, pointer string) bool {
	rest := strings.Split(place, "/")
	names := strings.Split(pointer, "/")
	return len(names) <= len(rest) && strings.EqualFold(strings.Join(rest[:len(names)], "/"), pointer)
}

// kindOf returns the kind of a difference, nil if it is not known.
func kindOf(f *finding) *difference {
	for i := range known {
		if known[i].applies(f) {
			return &known[i]
		}
	}
	return nil
}

// rounded returns a value whose numbers are doubles.
func (v value) rounded() value {
	return v.each(func(e value) value {
		e.exact = false
		return e
	})
}

// filled returns a list with 0 for what is missing.
func (v value) filled() value {
	return v.each(func(e value) value {
		if e.kind == '-' {
			return intValue(0)
		}
		return e
	})
}

// each changes a value, or the elements of a list.
func (v value) each(change func(value) value) value {
	if v.kind != '[' {
		return change(v)
	}
	list := value{kind: '['}
	for _, e := range v.list {
		list.list = append(list.list, change(e))
	}
	return list
}
