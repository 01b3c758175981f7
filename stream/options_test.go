package stream

import (
	"strings"
	"testing"
	"time"
)

func TestOptions(t *testing.T) {
	valid := func() Options {
		return Options{Topics: []string{"in"}, Group: "g", Accepted: "ok", DeadLetters: "dead"}
	}
	for _, tt := range []struct {
		name string
		set  func(*Options)
		want string // "" if valid
	}{
		{"valid", func(*Options) {}, ""},
		{"no topic", func(o *Options) { o.Topics = nil }, "no topic to read"},
		{"no group", func(o *Options) { o.Group = "" }, "no group"},
		{"no dead letters", func(o *Options) { o.DeadLetters = "" }, "no topic for dead letters"},
		{"no destination", func(o *Options) { o.Accepted = "" }, "no destination"},
		{"two destinations", func(o *Options) { o.Upstream = &destination{} }, "both a topic"},
		{"responses", func(o *Options) { o.Responses = "r" }, "without an upstream"},
		{"exactly once to an upstream", func(o *Options) { o.Accepted, o.Upstream, o.ExactlyOnce = "", &destination{}, true }, "at least once"},
		{"a loop", func(o *Options) { o.Accepted = "in" }, "both read and written"},
		{"one topic for two", func(o *Options) { o.DeadLetters = "ok" }, "two purposes"},
		{"interval", func(o *Options) { o.ExactlyOnce, o.CommitInterval = true, 2*time.Second }, "at most 1s"},
		{"session", func(o *Options) { o.SessionTimeout = 99 * time.Millisecond }, "SessionTimeout is 99ms (want 0 for the default, or at least 100ms)"},
		{"negative", func(o *Options) { o.DrainTimeout = -1 }, "DrainTimeout"},
		{"in flight", func(o *Options) { o.MaxInFlight = 1000 }, "MaxInFlight is 1000 (want 0 for the default, or 1048576 to 1073741824)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := valid()
			tt.set(&o)
			_, err := New(o)
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
