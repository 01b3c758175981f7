package main

import (
	"bytes"
	"encoding/json"

	"github.com/rtbwire/rtbwire/lab/figures"
	"github.com/rtbwire/rtbwire/openrtb"
)

var indenting = experiment{
	section: 10, name: "indent", title: "MarshalIndent performance",
	says: "MarshalIndent costs about twice what Marshal does; SetIndent on an Encoder expresses the choice better. To indent existing " +
		"text, json.Indent is far cheaper than Unmarshal and MarshalIndent.",
	method: "The struct of six fields, a bid request of 5 kB and 64 KiB of events, written compact and indented. The text of each " +
		"indented by json.Indent, and read into an any, or into its type, and written again.",
	cases: append(append(indentLabels("small", "the struct"), indentLabels("request", "a request")...), indentLabels("events", "64 KiB")...),
	values: append(append(append([]label{}, indentRatios("small", "the struct")...), indentRatios("request", "a request")...),
		indentRatios("events", "64 KiB")...),
	keys: []string{
		"small-marshal-indent/over-small-marshal", "request-marshal-indent/over-request-marshal",
		"events-marshal-indent/over-events-marshal", "request-indent/over-request-any-again", "request-indent/over-request-typed-again",
	},
	claims: []claim{
		{"indenting costs about twice (1.6 to 2.5 times)", "you write small structs", "small-marshal-indent/over-small-marshal", between(1.6, 2.5)},
		{"indenting costs about twice (1.6 to 2.5 times)", "you write requests of some kB", "request-marshal-indent/over-request-marshal", between(1.6, 2.5)},
		{"indenting costs about twice (1.6 to 2.5 times)", "you write long arrays", "events-marshal-indent/over-events-marshal", between(1.6, 2.5)},
		{"json.Indent is far cheaper than reading and writing again (half or less)", "you indent existing text", "request-indent/over-request-any-again", atMost(0.5)},
		{"json.Indent is far cheaper than reading and writing again (half or less)", "you indent existing text", "events-indent/over-events-any-again", atMost(0.5)},
		{"json.Indent is far cheaper than reading and writing again (half or less)", "you indent existing text", "request-indent/over-request-typed-again", atMost(0.5)},
		{"json.Indent builds no values (10 allocations at most)", "you indent existing text", "request-indent/allocs", atMost(10)},
	},
	seconds: [2]float64{20, 3},
	run: func(t *trial) error {
		text, err := benchDocument("app")
		if err != nil {
			return err
		}
		var request openrtb.BidRequest
		if err := json.Unmarshal(text, &request); err != nil {
			return err
		}
		events, err := eventsOfSize(t.pick(64<<10, 64<<10, 1<<10))
		if err != nil {
			return err
		}
		for _, c := range []struct {
			name  string
			value any
			fresh func() any
		}{
			{"small", someUser, func() any { return new(user) }},
			{"request", &request, func() any { return new(openrtb.BidRequest) }},
			{"events", events, func() any { return new([]event) }},
		} {
			if err := t.indentWays(c.name+"-", c.value, c.fresh); err != nil {
				return err
			}
		}
		return nil
	},
}

func indentLabels(name, what string) []label {
	return []label{
		{name + "-marshal", what + ", Marshal"}, {name + "-marshal-indent", what + ", MarshalIndent"},
		{name + "-set-indent", what + ", Encoder with SetIndent"}, {name + "-indent", "text of " + what + ", json.Indent"},
		{name + "-any-again", "text of " + what + ", Unmarshal to an any and MarshalIndent"},
		{name + "-typed-again", "text of " + what + ", Unmarshal to its type and MarshalIndent"},
	}
}

func indentRatios(name, what string) []label {
	return []label{
		{name + "-marshal-indent/over-" + name + "-marshal", what + ": time of MarshalIndent / Marshal"},
		{name + "-set-indent/over-" + name + "-marshal", what + ": time of SetIndent / Marshal"},
		{name + "-indent/over-" + name + "-any-again", "text of " + what + ": time of json.Indent / reading into an any and writing"},
		{name + "-indent/over-" + name + "-typed-again", "text of " + what + ": time of json.Indent / reading into its type and writing"},
		{name + "/indented-over-compact", what + ": length of the text, indented / compact"},
	}
}

// indentWays measures one value.
func (t *trial) indentWays(prefix string, value any, fresh func() any) error {
	compact, err := json.Marshal(value)
	if err != nil {
		return err
	}
	indented, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	again := func(fresh func() any) func() error {
		return func() error {
			v := fresh()
			if err := json.Unmarshal(compact, v); err != nil {
				return err
			}
			_, err := json.MarshalIndent(v, "", "  ")
			return err
		}
	}
	e := json.NewEncoder(discard)
	e.SetIndent("", "  ")
	if err := t.compare(
		marshal(prefix+"marshal", value),
		way{name: prefix + "marshal-indent", do: func() error { _, err := json.MarshalIndent(value, "", "  "); return err }},
		way{name: prefix + "set-indent", do: func() error { return e.Encode(value) }},
		way{name: prefix + "indent", do: func() error {
			var pretty bytes.Buffer
			return json.Indent(&pretty, compact, "", "  ")
		}},
		way{name: prefix + "any-again", do: again(func() any { return new(any) })},
		way{name: prefix + "typed-again", do: again(fresh)},
	); err != nil {
		return err
	}
	t.over(prefix+"marshal-indent", prefix+"marshal")
	t.over(prefix+"set-indent", prefix+"marshal")
	t.over(prefix+"indent", prefix+"any-again")
	t.over(prefix+"indent", prefix+"typed-again")
	t.set(prefix[:len(prefix)-1]+"/indented-over-compact", figures.Exactly(float64(len(indented))/float64(len(compact)), ""))
	return nil
}
