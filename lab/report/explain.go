package report

import (
	"maps"
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/lab/engine"
	"github.com/rtbwire/rtbwire/lab/measure"
)

// use is what a program has to accept to use an engine.
type use int

const (
	dropIn    use = iota // the functions of encoding/json, for any type
	generated            // code from a generator, for its own types or those of openrtb
	lookup               // looks up values; fills no structs
	yardstick            // nothing to build a service on
)

// explanation says in one line what an engine is.
type explanation struct {
	about string
	use   use
	// released is the memory that a value has to be given back to: an arena, or a pool of structs.
	// Without it, a value is left to the garbage collector.
	released string
}

const (
	arena  = "arena"
	pooled = "pooled struct"
)

var explanations = map[string]explanation{
	"rtbwire-arena":              {"rtbwire's openrtb.ParseFastArena: generated code that scans with SIMD, objects in an arena", generated, arena},
	"rtbwire-fast":               {"rtbwire's openrtb.ParseFast: the same decoder, objects on the heap", generated, ""},
	"rtbwire":                    {"rtbwire's openrtb.Parse: the same decoder, and a copy of the text that the value keeps", generated, ""},
	"handwritten":                {"the classic decoder written by hand: a switch over keys, SIMD for strings, objects in an arena", yardstick, arena},
	"handwritten-fast":           {"the same classic decoder, objects on the heap", yardstick, ""},
	"sonic-std":                  {"bytedance/sonic, which compiles machine code for each type, with the checks of encoding/json", dropIn, ""},
	"sonic-fastest":              {"bytedance/sonic with all checks off that can be", dropIn, ""},
	"sonic-pool":                 {"bytedance/sonic with all checks off, into a struct from a sync.Pool", dropIn, pooled},
	"sonic-string":               {"bytedance/sonic with all checks off, from a string, which it does not copy", dropIn, ""},
	"sonic-string-pool":          {"bytedance/sonic from a string, into a struct from a sync.Pool", dropIn, pooled},
	"gojson":                     {"goccy/go-json, which compiles instructions of its own for each type", dropIn, ""},
	"gojson-pool":                {"goccy/go-json into a struct from a sync.Pool", dropIn, pooled},
	"gojson-unsafe":              {"goccy/go-json without copies of strings, and with the first of two equal keys", dropIn, ""},
	"jsoniter":                   {"json-iterator/go, compatible with encoding/json", dropIn, ""},
	"jsoniter-pool":              {"json-iterator/go into a struct from a sync.Pool", dropIn, pooled},
	"jsoniter-fastest":           {"json-iterator/go with short floats", dropIn, ""},
	"jsoniter-contaminated":      {"a demonstration: json-iterator/go where easyjson has generated methods for the types", yardstick, ""},
	"jx":                         {"go-faster/jx: functions that read values, and generated code that calls them", generated, ""},
	"sonnet":                     {"sugawarayuuta/sonnet, the functions of encoding/json written anew without unsafe", dropIn, ""},
	"ojg":                        {"ohler55/ojg, which parses into a tree and fills structs from it", dropIn, ""},
	"jettison":                   {"wI2L/jettison, which only writes", dropIn, ""},
	"segmentio":                  {"segmentio/encoding", dropIn, ""},
	"segmentio-zerocopy":         {"segmentio/encoding without copies of strings", dropIn, ""},
	"encoding-json":              {"the standard library: what all others are compared with", dropIn, ""},
	"encoding-json-on-v2":        {"a demonstration: encoding/json in a build with GOEXPERIMENT=jsonv2", yardstick, ""},
	"encoding-json-v2":           {"encoding/json/v2, an experiment of the standard library", yardstick, ""},
	"encoding-json-v2-unchecked": {"encoding/json/v2 without the checks of names and UTF-8", yardstick, ""},
	"encoding-json-contaminated": {"a demonstration: encoding/json where easyjson has generated methods for the types", yardstick, ""},
	"easyjson":                   {"mailru/easyjson: code from a generator", generated, ""},
	"easyjson-pool":              {"mailru/easyjson into a struct from a sync.Pool", generated, pooled},
	"easyjson-nocopy":            {"mailru/easyjson without copies of strings", generated, ""},
	"ffjson":                     {"pquerna/ffjson: code from a generator", generated, ""},
	"fastjson":                   {"valyala/fastjson, which parses into a tree", lookup, ""},
	"jsonparser":                 {"buger/jsonparser, which calls back for each path", lookup, ""},
	"simdjson-go":                {"minio/simdjson-go, which parses into a tape", lookup, ""},
	"simdjson-go-foreach":        {"minio/simdjson-go, one pass over the members of each object", lookup, ""},
	"gjson":                      {"tidwall/gjson, which searches for each path", lookup, ""},
	"gjson-nested":               {"tidwall/gjson, one pass over the members of each object", lookup, ""},
	"cpp-simdjson":               {"a yardstick in C++: simdjson On-Demand fills structs", yardstick, ""},
}

// Explained lists the engines that the report can explain.
func Explained() []string { return slices.Sorted(maps.Keys(explanations)) }

// About explains an engine in one line.
func About(name string) string { return explanations[name].about }

// Marks are what a reader has to know before comparing an engine with another.
type Marks struct {
	Memory string   // "arena" or "pooled struct" where a value has to be released, "text" where it points into the text
	Skips  []string // checks that others do
}

// marks returns the marks of an engine.
func marks(e *measure.Info) Marks {
	m := Marks{Memory: explanations[e.Name].released}
	if m.Memory == "" && e.Safety.Copies == engine.No {
		m.Memory = "text"
	}
	if e.Safety.UTF8 == engine.No {
		m.Skips = append(m.Skips, "UTF-8")
	}
	for _, fault := range slices.Sorted(maps.Keys(e.Laxity.Accepted)) {
		check, ok := checkFor[fault]
		if !ok {
			check = fault
		}
		if e.Laxity.Accepted[fault] > 0 && !slices.Contains(m.Skips, check) {
			m.Skips = append(m.Skips, check)
		}
	}
	return m
}

// checkFor names the check that finds a fault. Earlier runs have other faults.
var checkFor = map[string]string{
	"a comma before the last brace":            "commas",
	"a comma too many":                         "commas",
	"a control character in a string":          "control characters",
	"a number with a leading zero":             "leading zeros",
	"a time limit in quotes":                   "types",
	"text for a number":                        "types",
	"cut off":                                  "the end",
	"text after the end":                       "the end",
	"a number that ends with its point":        "numbers",
	"invalid text in a member without a field": "unknown members",
}

// skipsText lists the checks that an engine skips, "" if none.
func (m Marks) skipsText() string { return strings.Join(m.Skips, ", ") }

// skipsNothing reports whether an engine checks what encoding/json checks.
func skipsNothing(e *measure.Info) bool { return marks(e).Skips == nil }
