package serve

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/gateway"
	"github.com/rtbwire/rtbwire/gateway/capture"
	"github.com/rtbwire/rtbwire/inspect/vendor"
	"github.com/rtbwire/rtbwire/inspect/window"
	"github.com/rtbwire/rtbwire/openrtb"
)

// TestStateOptions reads every key about state.
func TestStateOptions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	key := filepath.Join(dir, "key")
	if err := os.WriteFile(key, []byte("from file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, fmt.Sprintf(`
version: 1
gateway:
  upstreams: ["http://127.0.0.1:9"]
  lower_tmax: true
  window_tables: {window: 30s, id_window: 2m, ipv6_bits: 48, memory: 2GiB, ifas: 1, addresses: 2, ids: 3}
  vendors:
    a: {url: "https://a.example/x?key=1", fields: [ip, ifa], deadline: 7ms, fail: closed, concurrent: 8, connections: 9, failures: 0, pause: 2s, header: {X-A: b}, token_env: A_KEY}
    b: {url: "http://b.example", fields: [ua], token_file: %q, token_header: X-Key}
    c: {url: "http://c.example", fields: [ua]}
  capture: {folder: /x, share: 0%%, refused: 100%%, max_file: 8MiB, max_disk: 1GiB, max_age: 10s, max_rate: 7, redact: false}
partners:
  a: {match: {path: /a}, upstream_timeout: 5ms, reserve: 6ms, window_tables: {ids: 7}, vendors: [b], capture: {share: 50%%}}
  b: {match: {path: /b}, limits: {rate: 70}, vendors: []}
`, key))
	c := &s.Config.Scope
	o := configured(t, s, nil)
	p := o.Partners[0]
	if !o.LowerTMax || o.CaptureShares != (gateway.Shares{Forwarded: 0, Refused: 1}) || p.UpstreamTimeout != 5e6 || p.Reserve != 6e6 ||
		*p.CaptureShares != (gateway.Shares{Forwarded: 0.5, Refused: 0.1}) || !reflect.DeepEqual(p.Vendors, []string{"b"}) || o.Partners[1].Vendors == nil || o.Partners[1].CaptureShares != nil {
		t.Errorf("%+v", o)
	}
	if got, want := capture.Configured(c), (capture.Options{Folder: "/x", FileMax: 8 << 20, DiskMax: 1 << 30, AgeMax: 10 * time.Second, RateMax: 7, Raw: true}); got != want {
		t.Errorf("captures %+v, want %+v", got, want)
	}
	if got, on := gateway.ConfiguredWindows(c); !on || !reflect.DeepEqual(got, window.Options{
		Window: 30 * time.Second, IDWindow: 2 * time.Minute, IPv6Bits: 48, BytesMax: 2 << 30, Shared: window.Limits{IFAs: 1, Addresses: 2, IDs: 3},
		Partners: map[string]window.Partner{"a": {Limits: window.Limits{IFAs: window.IFAsDefault, Addresses: window.AddressesDefault, IDs: 7}}, "b": {Rate: 70}},
	}) {
		t.Errorf("windows %+v, %v", got, on)
	}
	list, err := vendor.Configured(c, []string{"A_KEY=from env"})
	if err != nil {
		t.Fatal(err)
	}
	want := []vendor.Service{
		{HTTP: vendor.HTTPOptions{Name: "a", URL: "https://a.example/x?key=1", Fields: []vendor.Field{vendor.IP, vendor.IFA}, IdleMax: 9, Header: map[string][]string{"X-A": {"b"}, "Authorization": {"Bearer from env"}}},
			Member: vendor.Member{Deadline: 7e6, Concurrent: 8, Fail: vendor.Closed, Breaker: vendor.Breaker{Failures: -1, Pause: 2e9}}},
		{HTTP: vendor.HTTPOptions{Name: "b", URL: "http://b.example", Fields: []vendor.Field{vendor.UA}, IdleMax: vendor.IdleMaxDefault, Header: map[string][]string{"X-Key": {"from file"}}},
			Member: vendor.Member{Deadline: vendor.DeadlineDefault, Concurrent: vendor.ConcurrentDefault, Breaker: vendor.Breaker{Failures: vendor.FailuresDefault, Pause: vendor.PauseDefault}}},
		{HTTP: vendor.HTTPOptions{Name: "c", URL: "http://c.example", Fields: []vendor.Field{vendor.UA}, IdleMax: vendor.IdleMaxDefault, Header: map[string][]string{}},
			Member: vendor.Member{Deadline: vendor.DeadlineDefault, Concurrent: vendor.ConcurrentDefault, Breaker: vendor.Breaker{Failures: vendor.FailuresDefault, Pause: vendor.PauseDefault}}},
	}
	if !reflect.DeepEqual(list, want) {
		t.Errorf("vendors %+v\nwant %+v", list, want)
	}
	if _, err := vendor.Configured(c, nil); err == nil {
		t.Error("a vendor lacks its key")
	}
}

// TestStateDefaults holds the defaults of keys to those of the packages.
func TestStateDefaults(t *testing.T) {
	t.Parallel()
	c := &open(t, "version: 1\ngateway: {upstreams: [\"http://127.0.0.1:9\"], capture: {folder: /x}}\n").Config.Scope
	got, want := capture.Configured(c), capture.Options{Folder: "/x"}
	if err := want.Validate(); err != nil {
		t.Fatal(err)
	}
	want.Logger = nil
	if got != want {
		t.Errorf("captures %+v, want %+v", got, want)
	}
	if got, on := gateway.ConfiguredWindows(c); !on || !reflect.DeepEqual(got, window.Options{
		Window: window.WindowDefault, IDWindow: window.IDWindowDefault, IPv6Bits: window.IPv6BitsDefault, BytesMax: window.BytesMaxDefault,
		Shared: window.Limits{IFAs: window.IFAsDefault, Addresses: window.AddressesDefault, IDs: window.IDsDefault},
	}) {
		t.Errorf("windows %+v, %v", got, on)
	}
	least := capture.Options{Folder: "/x", FileMax: capture.FileMaxMin, DiskMax: 2 * capture.FileMaxMin, RateMax: capture.RateMaxMax}
	if err := least.Validate(); err != nil {
		t.Error(err)
	}
	for text, fine := range map[string]bool{
		"max_file: 8MiB, max_disk: 16MiB, max_rate: 1000000": true, "max_file: 7MiB": false, "max_disk: 127MiB": false, "max_rate: 1000001": false, "max_age: 999ms": false,
	} {
		_, problems := config.Parse("x", "version: 1\ngateway: {capture: {folder: /x, "+text+"}}\n", config.Options{})
		if (len(problems) == 0) != fine {
			t.Errorf("%s: %v", text, problems)
		}
	}
}

// TestState uses one configuration after the other: what says the same stays, what does not is
// replaced, and what failed leaves everything as it was.
func TestState(t *testing.T) {
	dir := t.TempDir()
	parse := func(text string) *config.Scope {
		t.Helper()
		c, problems := config.Parse(filepath.Join(dir, "x.yaml"), "version: 1\n"+text, config.Options{})
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		return &c.Scope
	}
	s := state{Logger: slog.New(slog.DiscardHandler)}
	use := func(text string, used bool) (o gateway.Options) {
		t.Helper()
		done, err := s.use(parse(text), nil, &o)
		if err != nil {
			t.Fatal(err)
		}
		done(used)
		return o
	}
	const small = "window_tables: {ifas: 10, addresses: 10, ids: 10}"
	first := use("gateway: {"+small+", capture: {folder: a}, vendors: {v: {url: \"http://127.0.0.1:9\", fields: [ip]}}}", true)
	if first.Windows == nil || first.Vendors == nil || first.Capture == nil {
		t.Fatalf("%+v", first)
	}
	same := use("gateway: {"+small+", capture: {folder: a, share: 5%}, vendors: {v: {url: \"http://127.0.0.1:9\", fields: [ip]}}}", true)
	if same.Windows != first.Windows || same.Vendors != first.Vendors || same.Capture != first.Capture {
		t.Error("what says the same was replaced")
	}
	r := &openrtb.BidRequest{ID: "1"}
	first.Windows.Observe("", r, time.Now(), window.Delivery{})
	other := use("gateway: {"+small+", capture: {folder: b}, vendors: {v: {url: \"http://127.0.0.1:9\", fields: [ua]}}}\npartners: {p: {window_tables: {ifas: 1, addresses: 1, ids: 1}}}", true)
	if other.Windows == first.Windows || other.Vendors == first.Vendors || other.Capture == first.Capture || len(other.Windows.Partners()) != 1 {
		t.Error("what differs was kept")
	}
	if !other.Windows.Observe("", r, time.Now(), window.Delivery{}).Seen {
		t.Error("a partner that came has emptied the windows of others")
	}
	open := func(w *capture.Writer) bool {
		before := w.Stats().Skipped.Closed
		w.Add(nil) // not looked at after Close
		return w.Stats().Skipped.Closed == before
	}
	if open(first.Capture) {
		t.Error("the capture that is not used any more is open")
	}
	failed := use("gateway: {windows: false, capture: {folder: c}}", false)
	if failed.Windows != nil || open(failed.Capture) || s.capture != other.Capture || s.vendors != other.Vendors || s.windows != other.Windows {
		t.Error("what is not used is in use")
	}
	var o gateway.Options
	if _, err := s.use(parse("gateway: {capture: {folder: d}, vendors: {v: {url: \"http://127.0.0.1:9\", fields: [ua], token_env: NONE}}}"), nil, &o); err == nil || !strings.Contains(err.Error(), "the vendor v") {
		t.Errorf("a key is missing: %v", err)
	}
	if _, err := s.use(parse("gateway: {window_tables: {memory: 1MiB}}"), nil, &o); err == nil {
		t.Error("windows take more memory than is allowed")
	}
	dry := state{Dry: true}
	if _, err := dry.use(parse("gateway: {"+small+", capture: {folder: e}}"), nil, &o); err != nil || o.Capture != nil {
		t.Errorf("%v, %+v", err, o)
	}
	if _, err := os.Stat(filepath.Join(dir, "e")); err == nil {
		t.Error("a dry run has made a folder")
	}
	last := use("gateway: {windows: false}", true)
	if last.Windows != nil || last.Vendors != nil || last.Capture != nil {
		t.Errorf("%+v", last)
	}
	if err := s.close(t.Context()); err != nil {
		t.Error(err)
	}
}
