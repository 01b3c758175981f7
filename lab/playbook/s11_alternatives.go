package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bytedance/sonic"
	gojson "github.com/goccy/go-json"
	jsoniter "github.com/json-iterator/go"

	"github.com/rtbwire/rtbwire/lab/data"
	"github.com/rtbwire/rtbwire/lab/easygen"
	"github.com/rtbwire/rtbwire/lab/engine"
	"github.com/rtbwire/rtbwire/lab/figures"
	"github.com/rtbwire/rtbwire/lab/measure"
)

var alternatives = experiment{
	section: 11, name: "alternatives", title: "Alternatives outside the standard library",
	says: "go-json is often 2 to 3 times as fast as the standard library, sonic often the fastest on amd64 Linux, easyjson the fastest " +
		"option for fixed schemas, json-iterator faster with fewer allocations but behind go-json and sonic. The order changes with " +
		"the shape of the data.",
	method: "The struct of six fields, a bid request of 804 bytes and one of 5 kB, read and written by encoding/json, go-json, " +
		"json-iterator in its compatible configuration, sonic in its compatible and its fastest one, and easyjson (requests " +
		"only, in a program of its own, because its methods change what the others do). Requests are checked against encoding/json first.",
	cases:  alternativeCases(),
	values: alternativeValues(),
	keys: []string{
		"banner-read-encoding-json/over-banner-read-gojson", "user-write-encoding-json/over-user-write-gojson",
		"banner-read-sonic-fastest/over-best-other", "banner-read-easyjson/over-best-other",
		"banner-read-encoding-json/over-banner-read-jsoniter", "orders",
	},
	claims:   alternativeClaims(),
	untested: "ffjson, which the section itself advises against. Platforms that sonic does not compile for. What a migration costs.",
	seconds:  [2]float64{60, 12},
	run: func(t *trial) error {
		bench, err := benchOf("banner", "app")
		if err != nil {
			return err
		}
		var easy measure.Measurer
		if t.level != tiny { // it is built first
			root, err := data.Root()
			if err != nil {
				return err
			}
			t.say("building easyjson as a separate program")
			if err := easygen.Write(filepath.Join(root, "..", "lab")); err != nil {
				return err
			}
			p, stop, err := startWorker(easygen.Worker, "", "--testdata", root)
			if err != nil {
				return err
			}
			defer stop()
			easy = p
		}
		orders := map[string]bool{}
		for _, s := range shapes {
			if err := t.compare(s.ways(bench, easy)...); err != nil {
				return err
			}
			base := s.name + "-encoding-json"
			for _, l := range s.libraries(easy != nil)[1:] {
				t.over(base, s.name+"-"+l.name)
			}
			for _, name := range []string{"sonic-fastest", "easyjson"} {
				if _, there := t.timings[s.name+"-"+name]; there {
					t.overBest(s, name)
				}
			}
			orders[t.orderOf(s)] = true
		}
		for _, shape := range []string{"user-read", "banner-read"} {
			t.allocsOver(shape+"-jsoniter", shape+"-encoding-json")
		}
		t.over("banner-read-jsoniter", "banner-read-gojson")
		t.set("orders", figures.Exactly(float64(len(orders)), "orders"))
		for name, write := range map[string]func(any) ([]byte, error){"sonic": sonic.Marshal, "gojson": gojson.Marshal, "jsoniter": jsoniter.Marshal} {
			text, err := write("<b>")
			if err != nil {
				return err
			}
			t.flag(name+"/escapes-html", !bytes.Contains(text, []byte("<")))
		}
		return nil
	},
}

// library is what section 11 names.
type library struct {
	name, title string
	read        func([]byte, any) error
	write       func(any) ([]byte, error)
}

var libraries = []library{
	{"encoding-json", "encoding/json", json.Unmarshal, json.Marshal},
	{"gojson", "go-json", gojson.Unmarshal, gojson.Marshal},
	{"jsoniter", "json-iterator", jsoniter.ConfigCompatibleWithStandardLibrary.Unmarshal, jsoniter.ConfigCompatibleWithStandardLibrary.Marshal},
	{"sonic-std", "sonic, compatible", sonic.ConfigStd.Unmarshal, sonic.ConfigStd.Marshal},
	{"sonic-fastest", "sonic, fastest", sonic.ConfigFastest.Unmarshal, sonic.ConfigFastest.Marshal},
	{name: "easyjson", title: "easyjson"},
}

// shape is a kind of data, read or written.
type shape struct {
	name, title, when string
	set               string // "" for the struct of six fields
	op                measure.Op
}

var shapes = []shape{
	{"user-read", "the struct, read", "to read small structs", "", measure.Decode},
	{"user-write", "the struct, written", "to write small structs", "", measure.Encode},
	{"banner-read", "request of 804 bytes, read", "to read bid requests", "banner", measure.Decode},
	{"banner-write", "request of 804 bytes, written", "to write bid requests", "banner", measure.Encode},
	{"app-read", "request of 5 kB, read", "to read bid requests", "app", measure.Decode},
	{"app-write", "request of 5 kB, written", "to write bid requests", "app", measure.Encode},
}

// libraries returns those that are measured with the shape. Code is generated for requests only.
func (s *shape) libraries(easy bool) []library {
	if s.set == "" || !easy {
		return libraries[:len(libraries)-1]
	}
	return libraries
}

func (s *shape) ways(bench measure.Local, easy measure.Measurer) (list []way) {
	text := []byte(userText)
	for _, l := range s.libraries(easy != nil) {
		w := way{name: s.name + "-" + l.name}
		switch {
		case s.set == "" && s.op == measure.Decode:
			w.do = func() error { return l.read(text, new(user)) }
		case s.set == "":
			w.do = func() error { _, err := l.write(someUser); return err }
		case l.name == "easyjson":
			w.by, w.task = easy, measure.Task{Engine: l.name, Set: s.set, Op: s.op}
		default:
			w.by, w.task = bench, measure.Task{Engine: l.name, Set: s.set, Op: s.op}
		}
		list = append(list, w)
	}
	return list
}

// benchOf has the engines of this process and documents of testdata/bench.
func benchOf(names ...string) (measure.Local, error) {
	b := &measure.Bench{Engines: engine.All(), Core: core}
	for _, name := range names {
		text, err := benchDocument(name)
		if err != nil {
			return measure.Local{}, err
		}
		b.Sets = append(b.Sets, data.Set{Name: name, Docs: [][]byte{text}})
	}
	return measure.Local{Bench: b}, nil
}

// overBest records the time of a library as a multiple of that of the fastest other one. The two
// configurations of sonic are one library.
func (t *trial) overBest(s shape, name string) {
	own := t.timings[s.name+"-"+name]
	var best []float64
	for _, l := range libraries {
		if strings.HasPrefix(name, "sonic") == strings.HasPrefix(l.name, "sonic") && (l.name == name || strings.HasPrefix(name, "sonic")) {
			continue
		}
		if m := t.timings[s.name+"-"+l.name].rounds; m != nil && (best == nil || median(m, "").Value < median(best, "").Value) {
			best = m
		}
	}
	t.set(s.name+"-"+name+"/over-best-other", quotients(own.rounds, best))
}

// orderOf returns the names of the libraries that every shape has, the fastest first.
func (t *trial) orderOf(s shape) string {
	var names []string
	for _, l := range s.libraries(false) {
		names = append(names, l.name)
	}
	ns := func(name string) float64 { return t.found[t.prefix+s.name+"-"+name+"/ns"].Value }
	slices.SortFunc(names, func(a, b string) int {
		if ns(a) < ns(b) {
			return -1
		}
		return 1
	})
	return strings.Join(names, " ")
}

func alternativeCases() (list []label) {
	for _, s := range shapes {
		for _, l := range s.libraries(true) {
			list = append(list, label{s.name + "-" + l.name, s.title + ": " + l.title})
		}
	}
	return list
}

func alternativeValues() (list []label) {
	for _, s := range shapes {
		for _, l := range s.libraries(true)[1:] {
			list = append(list, label{s.name + "-encoding-json/over-" + s.name + "-" + l.name, s.title + ": time of encoding/json / " + l.title})
		}
		list = append(list, label{s.name + "-sonic-fastest/over-best-other", s.title + ": time of sonic, fastest / the fastest other library"})
		if s.set != "" {
			list = append(list, label{s.name + "-easyjson/over-best-other", s.title + ": time of easyjson / the fastest other library"})
		}
	}
	return append(list,
		label{"banner-read-jsoniter/over-banner-read-gojson", "request of 804 bytes, read: time of json-iterator / go-json"},
		label{"user-read-jsoniter/allocs-over-user-read-encoding-json", "the struct, read: allocations, json-iterator / encoding/json"},
		label{"banner-read-jsoniter/allocs-over-banner-read-encoding-json", "request of 804 bytes, read: allocations, json-iterator / encoding/json"},
		label{"orders", "different orders of the libraries by speed, in six comparisons"},
		label{"sonic/escapes-html", "sonic.Marshal escapes HTML"},
		label{"gojson/escapes-html", "go-json's Marshal escapes HTML"},
		label{"jsoniter/escapes-html", "json-iterator's Marshal escapes HTML"})
}

func alternativeClaims() (list []claim) {
	for _, s := range shapes {
		list = append(list, claim{"go-json is 2 to 3 times as fast as encoding/json (2 or more)", "you take go-json " + s.when,
			s.name + "-encoding-json/over-" + s.name + "-gojson", atLeast(2)})
	}
	for _, s := range shapes {
		list = append(list, claim{"sonic is the fastest", "you take sonic " + s.when, s.name + "-sonic-fastest/over-best-other", atMost(1)})
	}
	for _, s := range shapes[2:] {
		list = append(list, claim{"easyjson is the fastest for fixed schemas", "you take easyjson " + s.when, s.name + "-easyjson/over-best-other", atMost(1)})
	}
	return append(list,
		claim{"json-iterator is faster than encoding/json", "you take json-iterator for speed", "banner-read-encoding-json/over-banner-read-jsoniter", atLeast(1.05)},
		claim{"json-iterator is slower than go-json", "you take json-iterator for speed", "banner-read-jsoniter/over-banner-read-gojson", atLeast(1)},
		claim{"json-iterator allocates less", "you take json-iterator for fewer allocations, to read small structs",
			"user-read-jsoniter/allocs-over-user-read-encoding-json", atMost(0.95)},
		claim{"json-iterator allocates less", "you take json-iterator for fewer allocations, to read bid requests", "banner-read-jsoniter/allocs-over-banner-read-encoding-json", atMost(0.95)},
		claim{"the order changes with the shape", "you measure your own shapes", "orders", atLeast(2)},
		claim{"sonic differs in HTML escapes", "you look out for HTML escapes", "sonic/escapes-html", atMost(0)})
}
