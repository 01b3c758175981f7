package kafka

import (
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/stream"
)

func TestGroupOptions(t *testing.T) {
	valid := func() (o options) {
		o.GroupOptions = GroupOptions{Topics: []string{"in"}, Group: "g", Accepted: "ok", DeadLetters: "dead"}
		return o
	}
	for _, tt := range []struct {
		name string
		set  func(*options)
		want string // "" if valid
	}{
		{"valid", func(*options) {}, ""},
		{"no topic", func(o *options) { o.Topics = nil }, "no topic to read"},
		{"no group", func(o *options) { o.Group = "" }, "no group"},
		{"no dead letters", func(o *options) { o.DeadLetters = "" }, "no sink for dead letters"},
		{"no destination", func(o *options) { o.Accepted = "" }, "no destination"},
		{"two destinations", func(o *options) { o.Upstream = &destination{} }, "both a sink"},
		{"responses", func(o *options) { o.Responses = "r" }, "without an upstream"},
		{"exactly once to an upstream", func(o *options) { o.Accepted, o.Upstream, o.ExactlyOnce = "", &destination{}, true }, "at least once"},
		{"a loop", func(o *options) { o.Accepted = "in" }, "both read and written"},
		{"one topic for two", func(o *options) { o.DeadLetters = "ok" }, "two purposes"},
		{"interval", func(o *options) { o.ExactlyOnce, o.CommitInterval = true, 2*time.Second }, "at most 1s"},
		{"session", func(o *options) { o.SessionTimeout = 99 * time.Millisecond }, "SessionTimeout is 99ms (want 0 for the default, or 100ms to 1h0m0s)"},
		{"negative", func(o *options) { o.DrainTimeout = -1 }, "DrainTimeout"},
		{"in flight", func(o *options) { o.MaxInFlight = 1000 }, "MaxInFlight is 1000 (want 0 for the default, or 1MiB to 1GiB)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := valid()
			tt.set(&o)
			g, err := NewGroup(o.GroupOptions)
			if err == nil {
				err = g.Connect(&o.Options)
			}
			if err == nil {
				_, err = stream.New(o.Options)
			}
			switch {
			case tt.want == "" && err != nil, tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("New: %v", err)
			}
		})
	}
	for _, from := range []From{Earliest, Latest} {
		if got, err := ParseFrom(from.String()); got != from || err != nil {
			t.Errorf("ParseFrom(%v) = %v, %v", from, got, err)
		}
	}
	if _, err := ParseFrom("middle"); err == nil {
		t.Error("ParseFrom of an unknown name")
	}
}
