package profile

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/rtbwire/rtbwire/lab/data"
	"github.com/rtbwire/rtbwire/lab/engine"
	"github.com/rtbwire/rtbwire/lab/measure"
)

func bench(t *testing.T) *measure.Bench {
	t.Helper()
	sets, err := data.Load("")
	if err != nil {
		t.Fatal(err)
	}
	return &measure.Bench{Engines: engine.All(), Sets: sets}
}

// TestRun takes a profile of each kind: it has the functions that decode, and not those that made
// the data.
func TestRun(t *testing.T) {
	b := bench(t)
	for _, kind := range Kinds {
		out := filepath.Join(t.TempDir(), "p")
		o := Options{Engine: "encoding-json", Set: "app", Op: "decode", Kind: kind, For: 300 * time.Millisecond, Out: out, Top: 400}
		var text bytes.Buffer
		if err := Run(b, o, &text); err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		if !strings.Contains(text.String(), "encoding/json.") || !strings.Contains(text.String(), "fix: ") {
			t.Errorf("%s: nothing of encoding/json in\n%s", kind, &text)
		}
		if kind == "cpu" && !strings.Contains(text.String(), "indirect: for every value") {
			t.Errorf("nothing about indirect, which matters by what it calls, in\n%s", &text)
		}
		for _, strange := range []string{"lab/data.", "MarshalIndent"} {
			if strings.Contains(text.String(), strange) {
				t.Errorf("%s: %s in\n%s", kind, strange, &text)
			}
		}
		file, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := profile.ParseData(file); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// TestLookup: decoding into structs writes no map, so its look-ups are those of field names.
func TestLookup(t *testing.T) {
	b := bench(t)
	o := Options{Engine: "encoding-json", Set: "app", Op: "decode", Kind: "cpu", For: time.Second, Out: filepath.Join(t.TempDir(), "p"), Top: 400}
	var text bytes.Buffer
	if err := Run(b, o, &text); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "a table of the type's field names") {
		t.Errorf("nothing about the look-up of field names in\n%s", &text)
	}
	if strings.Contains(text.String(), "objects become map[string]any") {
		t.Errorf("a decoder of structs is said to write maps in\n%s", &text)
	}
}

// TestRender prints each function where it belongs, most first.
func TestRender(t *testing.T) {
	var text bytes.Buffer
	render(&text, []line{
		{"rtbwire/lab/profile.take", 0, 100}, {"encoding/json.(*decodeState).object", 5, 80}, {"runtime.memmove", 20, 20}, {"x.y", 0, 50},
	}, 100, 3)
	flat, cum, _ := strings.Cut(text.String(), "(cum):")
	for _, want := range []struct {
		text  string
		names []string
	}{
		{flat, []string{" 20.0%  20.0%  runtime.memmove", "  5.0%  80.0%  encoding/json.(*decodeState).object"}},
		{cum, []string{"  5.0%  80.0%  encoding/json.(*decodeState).object", "  0.0%  50.0%  x.y", " 20.0%  20.0%  runtime.memmove"}},
	} {
		at := -1
		for _, name := range want.names {
			i := strings.Index(want.text, name)
			if i <= at {
				t.Errorf("%q is missing or not in order in\n%s", name, want.text)
			}
			at = i
		}
	}
	if strings.Contains(text.String(), "profile.take") || strings.Contains(flat, "x.y") {
		t.Errorf("a frame of the lab, or a function that takes nothing, in\n%s", &text)
	}
}

func TestRunRefuses(t *testing.T) {
	b := bench(t)
	good := Options{Engine: "encoding-json", Set: "banner", Op: "decode", Kind: "cpu"}
	for want, change := range map[string]func(*Options){
		"no engine":         func(o *Options) { o.Engine = "no" },
		"no data set":       func(o *Options) { o.Set = "no" },
		"can not":           func(o *Options) { o.Op = "no" },
		"no profile":        func(o *Options) { o.Kind = "no" },
		"gjson can not dec": func(o *Options) { o.Engine = "gjson" },
	} {
		o := good
		change(&o)
		if err := Run(b, o, new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestExplain(t *testing.T) {
	for name, want := range map[string]string{
		"runtime.growslice":                                      "growing",
		"reflect.growslice":                                      "growing",
		"reflect.Value.Set":                                      "reflection",
		"reflect.unsafe_New":                                     "allocation",
		"runtime.mapassign_faststr":                              "map writing",
		"internal/runtime/maps.(*Map).PutSlot":                   "map writing",
		"internal/runtime/maps.(*Map).putSlotSmallFastStr":       "map writing",
		"internal/runtime/maps.(*table).rehash":                  "map writing",
		"runtime.mapaccess1_faststr":                             "map look-up",
		"runtime.mapaccess2_faststr":                             "map look-up",
		"internal/runtime/maps.(*Map).getWithoutKeySmallFastStr": "map look-up",
		"internal/runtime/maps.ctrlGroup.matchH2":                "map look-up",
		"internal/runtime/maps.(*Map).directoryAt":               "map look-up",
		"encoding/json.appendString[go.shape.string]":            "string escaping",
		"encoding/json.checkValid":                               "validation pass",
		"encoding/json.stateInString":                            "validation pass",
		"encoding/json.indirect":                                 "indirect",
		"encoding/json.unquoteBytes":                             "unquoting",
		"runtime.madvise":                                        "page return",
		"runtime.mallocgcSmallScanNoHeader":                      "allocation",
		"runtime.scanObject":                                     "garbage collection",
		"runtime.memmove":                                        "copying",
		"strconv.ParseFloat":                                     "numbers",
		"github.com/rtbwire/rtbwire/wire.(*Reader).Find":         "",
	} {
		got := ""
		if h := explain(name); h != nil {
			got = h.what
		}
		if !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestShares(t *testing.T) {
	location := func(names ...string) *profile.Location {
		l := new(profile.Location)
		for _, name := range names {
			l.Line = append(l.Line, profile.Line{Function: &profile.Function{Name: name}})
		}
		return l
	}
	p := &profile.Profile{SampleType: make([]*profile.ValueType, 2), Sample: []*profile.Sample{
		{Value: []int64{1, 10}, Location: []*profile.Location{location("f"), location("main")}},
		{Value: []int64{1, 20}, Location: []*profile.Location{location("g", "f"), location("f"), location("main")}},
		{Value: []int64{1, 70}, Location: []*profile.Location{location("main")}},
	}}
	if flat, cumulative := Shares(p, regexp.MustCompile("^f$")); flat != 0.1 || cumulative != 0.3 {
		t.Errorf("got %v and %v, want 0.1 and 0.3", flat, cumulative)
	}
}
