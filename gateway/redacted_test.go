package gateway

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/netip"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/gateway/capture"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/vendor"
	"github.com/rtbwire/rtbwire/inspect/window"
)

// notShown are the fields of options that operators do not see, and why.
var notShown = map[string]string{
	"Logger": "it is a part of the program, not a setting",
}

// redactedText returns what is shown of options.
func redactedText(tb testing.TB, o Options) string {
	tb.Helper()
	text, err := json.Marshal(o.Redacted())
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}

// nobodys is a log of verdicts that keeps nothing.
type nobodys struct{}

func (nobodys) Add(Judged) {}

// silent is a service that is never asked.
type silent struct{ vendor.Vendor }

func (silent) Name() string { return "silent" }

// fill sets a field to something. It reports false if it can't.
func fill(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(4711)
	case reflect.Float64:
		v.SetFloat(0.4711)
	case reflect.String:
		v.SetString("secret-4711")
	default:
		return false
	}
	return true
}

// TestRedacted changes each field of options and of a partner, and wants what is shown to change.
func TestRedacted(t *testing.T) {
	t.Parallel()
	engine, err := inspect.New(inspect.Config{Annotate: true})
	if err != nil {
		t.Fatal(err)
	}
	writer, err := capture.Open(capture.Options{Folder: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = writer.Close(context.Background()) })
	group, err := vendor.NewGroup(vendor.Member{Vendor: silent{}})
	if err != nil {
		t.Fatal(err)
	}
	prefixes := []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}
	all := Options{
		Engine: engine, Upstreams: At("http://127.0.0.1:9"), Core: CoreFunc(nil), Partners: []Partner{{Name: "a"}}, TrustedProxies: prefixes,
		FactHeaders: []string{"X-A"}, Passthrough: []Passthrough{{Path: "/win", Method: "GET"}}, Windows: &window.Windows{}, Vendors: group,
		Inspectors: []Inspector{constant{"a", 1}}, Capture: writer, CaptureShares: Shares{0.1, 0.2}, Responses: Responses{ResponsesEnforce, 0.5},
		Logger: slog.Default(), Outlier: Outlier{Latency: 3}, HealthCheck: HealthCheck{Path: "/health"}, Tracer: nobody{}, Sampling: Sampling{Share: 0.5}, VerdictLog: nobodys{}, Candidate: inspect.NewHolder(engine),
	}
	// Shares are shown with what they are for.
	changed(t, all, Options{Capture: writer, Candidate: all.Candidate}, func(o *Options) reflect.Value { return reflect.ValueOf(o).Elem() })

	share := 0.5
	partner := Partner{
		Upstreams: []string{"u"}, PublisherUpstreams: map[string][]string{"p": {"u"}}, Canary: &share,
		Limits: Limits{1, 2, 3}, Publishers: map[string]Limits{"p": {Rate: 1}}, Responses: Responses{Mode: ResponsesOff}, CaptureShares: &Shares{},
		Vendors: []string{}, Match: Match{From: prefixes, Headers: []inspect.Header{{Name: "X-A", Value: "secret-4711"}}},
	}
	match := Options{Partners: []Partner{{Match: partner.Match}}}
	changed(t, Options{Partners: []Partner{partner}}, Options{Partners: []Partner{{}}}, func(o *Options) reflect.Value { return reflect.ValueOf(&o.Partners[0]).Elem() })
	changed(t, match, Options{Partners: []Partner{{}}}, func(o *Options) reflect.Value { return reflect.ValueOf(&o.Partners[0].Match).Elem() })

	partner.Match.Token = "secret-4711"
	all.Partners, all.UpstreamCAs = []Partner{partner}, "secret-4711"
	text := redactedText(t, all)
	if strings.Contains(text, "secret-4711") {
		t.Errorf("a secret is shown: %s", text)
	}
	if bad := regexp.MustCompile(`"[^"]*[A-Z][^"]*":`).FindAllString(text, -1); bad != nil {
		t.Errorf("keys spelled differently: %s", bad)
	}
}

// changed changes each field of a part of options, to what full has or to anything, and compares
// what is shown with what is shown of base.
func changed(t *testing.T, full, base Options, part func(*Options) reflect.Value) {
	t.Helper()
	before := redactedText(t, base)
	kind := part(&base).Type()
	for i := range kind.NumField() {
		name := kind.Field(i).Name
		o := base
		if base.Partners != nil {
			o.Partners = []Partner{base.Partners[0]}
		}
		v := part(&o).Field(i)
		switch own := part(&full).Field(i); {
		case !v.IsZero():
			v.SetZero()
		case !own.IsZero():
			v.Set(own)
		case !fill(v):
			t.Errorf("%s.%s: nothing is known to set it to", kind, name)
		}
		same := redactedText(t, o) == before
		if _, ok := notShown[name]; same != ok {
			t.Errorf("%s.%s: shown %v, in the list of those that are not %v", kind, name, !same, ok)
		}
	}
}
