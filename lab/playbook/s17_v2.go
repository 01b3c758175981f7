package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"

	"github.com/rtbwire/rtbwire/lab/measure"
	"github.com/rtbwire/rtbwire/openrtb"
)

var versionTwo = experiment{
	section: 17, name: "v2", title: "encoding/json/v2",
	says: "Version 2 is a proposal with lower allocations, streaming first, and a more compact cache of types. As of 2026 it is not in " +
		"the standard library; when it comes, it is another import path, and version 1 stays.",
	method: "The struct of six fields, a bid request of 5 kB into its struct and into an any, read and written by this build's " +
		"encoding/json, and in a program built with GOEXPERIMENT=jsonv2 by encoding/json/v2 and by encoding/json, " +
		"which is implemented by version 2 there. Structs of six fields whose type is new, and 1,000 of them in turn once they are warm.",
	cases: versionCases(),
	values: append(versionRatios(),
		label{"v2-new-types/bytes-over-v1-new-types", "first call for a type: bytes, encoding/json/v2 / encoding/json"},
		label{"importable/default", "encoding/json/v2 can be imported in a usual build"},
		label{"importable/experiment", "encoding/json/v2 can be imported with GOEXPERIMENT=jsonv2"}),
	keys: []string{
		"v2-any-read/allocs-over-v1-any-read", "v2-request-read/allocs-over-v1-request-read", "v2-request-read/over-v1-request-read",
		"v2-small-write/over-v1-small-write", "on-v2-request-read/over-v1-request-read", "importable/experiment",
	},
	claims: []claim{
		{"allocations are lower where an any is read (5% or more)", "you read into an any", "v2-any-read/allocs-over-v1-any-read", atMost(0.95)},
		{"allocations are lower for common types (5% or more)", "you read structs", "v2-small-read/allocs-over-v1-small-read", atMost(0.95)},
		{"allocations are lower for common types (5% or more)", "you read structs", "v2-request-read/allocs-over-v1-request-read", atMost(0.95)},
		{"allocations are lower for common types (5% or more)", "you write structs", "v2-small-write/allocs-over-v1-small-write", atMost(0.95)},
		{"the plan of a type is found and used faster: reading takes less time", "you read structs", "v2-request-read/over-v1-request-read", atMost(0.95)},
		{"the plan of a type is found and used faster: writing takes less time", "you write structs and count time", "v2-small-write/over-v1-small-write", atMost(0.95)},
		{"the plan of a type is more compact: its first call allocates fewer bytes", "you count what a new type costs",
			"v2-new-types/bytes-over-v1-new-types", atMost(0.95)},
		{"the plan of a type is found faster", "many types are in use in turn", "v2-warm-types/over-v1-warm-types", atMost(0.95)},
		{"version 2 is not in the standard library", "you build without the experiment", "importable/default", atMost(0)},
		{"version 2 is not in the standard library", "you build with GOEXPERIMENT=jsonv2", "importable/experiment", atMost(0)},
		{"version 1 stays as it is (times within 5%)", "you keep encoding/json in a build with GOEXPERIMENT=jsonv2",
			"on-v2-request-read/over-v1-request-read", between(0.95, 1.05)},
	},
	untested: "Options for each call and the package jsontext, which are about the form of programs.",
	seconds:  [2]float64{20, 6},
	run: func(t *trial) error {
		ways, err := versionWays("v1", json.Unmarshal, json.Marshal)
		if err != nil {
			return err
		}
		if t.level == tiny { // other programs are built first
			return t.compare(ways...)
		}
		t.flag("importable/default", importable(""))
		t.flag("importable/experiment", importable("jsonv2"))
		t.say("building with GOEXPERIMENT=jsonv2")
		p, stop, err := startWorker("./playbook", "jsonv2", "worker")
		if err != nil {
			return err
		}
		defer stop()
		for i := range ways {
			for _, version := range []string{"on-v2", "v2"} {
				name := version + ways[i].name[len("v1"):]
				ways = append(ways, way{name: name, by: p, task: measure.Task{Engine: name, Op: measure.Decode}})
			}
		}
		if err := t.compare(ways...); err != nil {
			return err
		}
		fresh := []way{newTypes("v1", json.Marshal)}
		for _, version := range []string{"on-v2", "v2"} {
			name := version + "-new-types"
			fresh = append(fresh, way{name: name, by: p, task: measure.Task{Engine: name, Op: measure.Decode}})
		}
		if err := t.firstOfTypes(fresh); err != nil {
			return err
		}
		for _, k := range versionKinds {
			for _, version := range []string{"v2", "on-v2"} {
				t.over(version+"-"+k.name, "v1-"+k.name)
				t.allocsOver(version+"-"+k.name, "v1-"+k.name)
			}
		}
		t.bytesOver("v2-new-types", "v1-new-types")
		return nil
	},
}

// importable reports whether a build with that experiment has encoding/json/v2.
func importable(experiment string) bool {
	list := exec.Command("go", "list", "encoding/json/v2")
	list.Env = append(os.Environ(), "GOEXPERIMENT="+experiment)
	return list.Run() == nil
}

// versionKinds is what is read and written.
var versionKinds = []label{
	{"small-read", "the struct of six fields, read"},
	{"small-write", "the struct of six fields, written"},
	{"request-read", "a request, read"},
	{"request-write", "a request, written"},
	{"any-read", "a request, read into an any"},
	{"any-write", "a request, written from an any"},
	{"warm-types", "structs of 1,000 types in turn, written"},
	{"new-types", "a struct whose type is new, written"},
}

// typesKept is how many types are in use in turn, and how many new ones there are: more than all
// first calls together.
const typesKept = 1000

// newTypes is a way that writes a struct of another new type each time. The types are made with the
// first call, which is not measured.
func newTypes(version string, write func(any) ([]byte, error)) way {
	var subjects []*subject
	turn := 0
	return way{name: version + "-new-types", do: func() error {
		if subjects == nil {
			subjects = makeSubjects(typesKept, 6)
		}
		if turn == len(subjects) {
			return fmt.Errorf("all %d types have been used", typesKept)
		}
		turn++
		_, err := write(subjects[turn-1].value)
		return err
	}}
}

// warmTypes is a way that writes structs of many types in turn, which it has written before.
func warmTypes(version string, write func(any) ([]byte, error)) way {
	var subjects []*subject
	turn := 0
	return way{name: version + "-warm-types", do: func() error {
		if subjects == nil {
			subjects = makeSubjects(typesKept, 6)
			for _, s := range subjects {
				if _, err := write(s.value); err != nil {
					return err
				}
			}
		}
		turn++
		_, err := write(subjects[turn%len(subjects)].value)
		return err
	}}
}

// firstOfTypes measures first calls, as many in each round.
func (t *trial) firstOfTypes(ways []way) error {
	timings := make([]timing, len(ways))
	for range t.rounds {
		for i, w := range ways {
			t.say(w.name)
			by := w.by
			if by == nil {
				by = local([]way{w})
			}
			s, err := by.Run(measure.Task{Engine: w.name, Op: measure.Decode, N: typesKept / t.rounds / 2})
			if err != nil {
				return err
			}
			timings[i].rounds = append(timings[i].rounds, s.NS)
			timings[i].bytes, timings[i].allocs = s.Bytes, s.Allocs
		}
	}
	for i, w := range ways {
		t.record(w.name, timings[i])
	}
	return nil
}

// versionWays is the same with any version.
func versionWays(version string, read func([]byte, any) error, write func(any) ([]byte, error)) ([]way, error) {
	text, err := benchDocument("app")
	if err != nil {
		return nil, err
	}
	var request openrtb.BidRequest
	var tree any
	if err := json.Unmarshal(text, &request); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &tree); err != nil {
		return nil, err
	}
	writes := func(v any) func() error { return func() error { _, err := write(v); return err } }
	return []way{
		{name: version + "-small-read", do: func() error { return read([]byte(userText), new(user)) }},
		{name: version + "-small-write", do: writes(someUser)},
		{name: version + "-request-read", do: func() error { return read(text, new(openrtb.BidRequest)) }},
		{name: version + "-request-write", do: writes(&request)},
		{name: version + "-any-read", do: func() error { return read(text, new(any)) }},
		{name: version + "-any-write", do: writes(tree)},
		warmTypes(version, write),
	}, nil
}

var versionTitles = []label{
	{"v1", "encoding/json"}, {"v2", "encoding/json/v2"}, {"on-v2", "encoding/json built on version 2"},
}

func versionCases() (list []label) {
	for _, k := range versionKinds {
		for _, v := range versionTitles {
			list = append(list, label{v.name + "-" + k.name, k.text + ": " + v.text})
		}
	}
	return list
}

func versionRatios() (list []label) {
	for _, k := range versionKinds {
		for _, v := range versionTitles[1:] {
			list = append(list,
				label{v.name + "-" + k.name + "/over-v1-" + k.name, k.text + ": time of " + v.text + " / encoding/json"},
				label{v.name + "-" + k.name + "/allocs-over-v1-" + k.name, k.text + ": allocations, " + v.text + " / encoding/json"})
		}
	}
	return list
}

// serveVersions is the worker of a build with the experiment: the ways have the place of engines.
func serveVersions(pin int) error {
	if pin >= 0 {
		core = &pin
	}
	all, err := ownVersions()
	if err != nil {
		return err
	}
	return measure.Serve(local(all).Bench, os.Stdin, os.Stdout)
}
