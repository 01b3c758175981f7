package main

import (
	"encoding/json"

	"github.com/rtbwire/rtbwire/lab/figures"
	"github.com/rtbwire/rtbwire/openrtb"
)

var symbols = experiment{
	section: 15, name: "symbols", title: "Profiling concrete bottlenecks",
	says: "A CPU profile of JSON work shows seven symbols, each with its fix; a profile of allocations is dominated by json.indirect, " +
		"json.encodeState.marshal or a custom marshaler. runtime.mapassign near the top means map[string]any.",
	method: "Profiles of this program while it writes the struct of six fields and 64 KiB of events, reads a bid request into its " +
		"struct and into a map[string]any, and writes a slice of amounts with a MarshalJSON. A symbol shows up if a hundredth of the samples of " +
		"one of these went through it. Allocations are all counted, not sampled.",
	values: append(append(symbolLabels(cpuSymbols, "CPU time"), symbolLabels(allocSymbols, "allocations")...),
		label{"mapassign-into-struct/cpu", "runtime.mapassign while reading into a struct: share of CPU time"},
		label{"growslice-warm/cpu", "runtime.growslice while writing the struct of six fields: share of CPU time"},
		label{"string-today/cpu", "json.appendString, the string pass of today: largest share of CPU time"}),
	keys: []string{
		"reflect-value-field/cpu", "reflect-value-interface/cpu", "mapassign/cpu", "formatbits/cpu", "growslice/cpu", "string/cpu", "mallocgc/cpu",
		"indirect/allocated", "marshal/allocated", "custom-marshaler/allocated",
	},
	claims: append(symbolClaims(),
		claim{"mapassign means a map: into a struct it does not show up", "you see runtime.mapassign and ask for its cause", "mapassign-into-struct/cpu", atMost(0.01)}),
	untested: "The remedies of its table, which are those of sections 3, 4, 9, 14 and 18.",
	seconds:  [2]float64{20, 5},
	run: func(t *trial) error {
		loads, err := profiled()
		if err != nil {
			return err
		}
		cpu, allocated := map[string]stacks{}, map[string]stacks{}
		for _, l := range loads {
			t.say("profiles of " + l.name)
			if cpu[l.name], err = t.cpuProfile(l.do); err != nil {
				return err
			}
			if allocated[l.name], err = allocProfile(l.do, t.pick(50, 20, 2)); err != nil {
				return err
			}
		}
		most := func(profiles map[string]stacks, symbol string) (f figures.Figure) {
			f.Unit = "share"
			for _, l := range loads {
				if g := profiles[l.name].passing(named(symbol)); g.Value > f.Value {
					f = g
				}
			}
			return f
		}
		for _, s := range cpuSymbols {
			t.set(s.name+"/cpu", most(cpu, s.symbol))
		}
		for _, s := range allocSymbols {
			t.set(s.name+"/allocated", most(allocated, s.symbol))
		}
		t.set("string-today/cpu", most(cpu, "json.appendString"))
		t.set("mapassign-into-struct/cpu", cpu["reading a struct"].passing(named("runtime.mapassign")))
		t.set("growslice-warm/cpu", cpu["writing a struct"].passing(named("runtime.growslice")))
		return nil
	},
}

// symbol is a function that section 15 names, as the beginning of the name that profiles have.
type symbol struct{ name, listed, symbol string }

var cpuSymbols = []symbol{
	{"reflect-value-field", "reflect.Value.Field", "reflect.Value.Field"},
	{"reflect-value-interface", "reflect.Value.Interface", "reflect.Value.Interface"},
	{"mapassign", "runtime.mapassign", "runtime.mapassign"},
	{"formatbits", "strconv.formatBits", "strconv.formatBits"},
	{"growslice", "runtime.growslice", "runtime.growslice"},
	{"string", "encoding/json.encodeState.string", "json.encodeState.string"},
	{"mallocgc", "runtime.mallocgc", "runtime.mallocgc"},
}

var allocSymbols = []symbol{
	{"indirect", "json.indirect", "json.indirect"},
	{"marshal", "json.encodeState.marshal", "json.encodeState.marshal"},
	{"custom-marshaler", "a custom marshaler's []byte", "main.amount.MarshalJSON"},
}

func symbolLabels(list []symbol, of string) (labels []label) {
	kind := map[string]string{"CPU time": "/cpu", "allocations": "/allocated"}[of]
	for _, s := range list {
		labels = append(labels, label{s.name + kind, s.listed + ": largest share of " + of + " that went through it"})
	}
	return labels
}

func symbolClaims() (list []claim) {
	for _, s := range cpuSymbols {
		list = append(list, claim{s.listed + " shows up (1% or more)", "you look for " + s.listed, s.name + "/cpu", atLeast(0.01)})
	}
	for _, s := range allocSymbols {
		list = append(list, claim{s.listed + " dominates allocations somewhere (half or more)", "you look for " + s.listed + " among allocations",
			s.name + "/allocated", atLeast(0.5)})
	}
	return list
}

// profiled is what is profiled.
func profiled() ([]way, error) {
	text, err := benchDocument("app")
	if err != nil {
		return nil, err
	}
	events, err := eventsOfSize(64 << 10)
	if err != nil {
		return nil, err
	}
	amounts := make([]amount, 100)
	for i := range amounts {
		amounts[i] = amount(i * 99991)
	}
	write := func(v any) func() error { return func() error { _, err := json.Marshal(v); return err } }
	return []way{
		{name: "writing a struct", do: func() error { _, err := json.Marshal(someUser); return err }},
		{name: "writing events", do: write(events)},
		{name: "reading a struct", do: decodeAs[openrtb.BidRequest]("", text).do},
		{name: "reading a map", do: decodeAs[map[string]any]("", text).do},
		{name: "writing amounts", do: write(amounts)},
	}, nil
}
