package config

import (
	"errors"
	"net/url"
	"slices"
	"time"

	"github.com/rtbwire/rtbwire/inspect/vendor"
	"github.com/rtbwire/rtbwire/inspect/window"
	"github.com/rtbwire/rtbwire/internal/nearest"
	"github.com/rtbwire/rtbwire/internal/setting"
)

// This file is about the answers of state: windows that count requests, and services that are
// asked about them.

// WindowTables say what windows count, and how much room they have. Tables are those of all
// partners that have none of their own.
type WindowTables struct {
	Window, IDWindow time.Duration
	IPv6Bits         int
	BytesMax         int64
	Tables
}

// Tables are how many entries tables have room for.
type Tables struct{ IFAs, Addresses, IDs int }

// Vendor is a service that is asked by HTTP about each request.
type Vendor struct {
	Name        string
	URL         string
	Fields      []vendor.Field
	Deadline    time.Duration
	Concurrent  int
	Connections int
	FailClosed  bool
	Failures    int // 0: no breaker
	Pause       time.Duration
	Headers     []Header
	// TokenEnv or TokenFile has a secret, which is sent in TokenHeader; as a bearer token if that
	// is Authorization.
	TokenEnv, TokenFile, TokenHeader string
	Place                            Place
}

// tableFields are the keys for the room in tables.
func tableFields[S any](at func(*S) *Tables) []setting.Field[S] {
	return []setting.Field[S]{
		setting.F("ifas", setting.Int("a number of entries", 1, window.EntriesMax), func(s *S) *int { return &at(s).IFAs },
			"Room for different advertising identifiers in a window.").Default("262144"),
		setting.F("addresses", setting.Int("a number of entries", 1, window.EntriesMax), func(s *S) *int { return &at(s).Addresses },
			"Room for different addresses in a window.").Default("262144"),
		setting.F("ids", setting.Int("a number of entries", 1, window.EntriesMax), func(s *S) *int { return &at(s).IDs },
			"Room for different ids of requests in their window.").Default("1048576"),
	}
}

var windowTablesObject = func() *setting.Object[WindowTables] {
	o := &setting.Object[WindowTables]{
		Name: "window_tables", Doc: "What windows count, and how much room they have (docs/windows.md). Room is that of all partners together that have no `window_tables` of their own.",
		Fields: []setting.Field[WindowTables]{
			setting.F("window", setting.Duration("a time such as 1m", window.WindowLeast, window.WindowMost), func(w *WindowTables) *time.Duration { return &w.Window },
				"The time in which identifiers and addresses are counted.").Default("1m0s"),
			setting.F("id_window", setting.Duration("a time such as 10m", 2*window.WindowLeast, window.IDWindowMost), func(w *WindowTables) *time.Duration { return &w.IDWindow },
				"The time for which ids of requests are remembered: at least twice the window.").Default("10m0s"),
			setting.F("ipv6_bits", setting.Int("a number of bits", 1, 128), func(w *WindowTables) *int { return &w.IPv6Bits },
				"How many bits of an IPv6 address count as one address.").Default("64"),
			setting.F("memory", size("a size such as 1GiB", 1<<20), func(w *WindowTables) *int64 { return &w.BytesMax },
				"How much memory all tables may take together; with more, the configuration is refused.").Default("1GiB"),
		},
		Check: func(r *setting.Reader, n *setting.Node, w *WindowTables) {
			if w.Window > 0 && w.IDWindow > 0 && w.IDWindow < 2*w.Window {
				at := n.Member("id_window")
				if at == nil {
					at = n.Member("window")
				}
				r.Report(at.Value.Problem("", "id_window is %v, less than twice the window, which is %v", w.IDWindow, w.Window))
			}
		},
	}
	o.Fields = append(o.Fields, tableFields(func(w *WindowTables) *Tables { return &w.Tables })...)
	return o
}()

var partnerTablesObject = &setting.Object[Tables]{
	Name: "partner_tables", Doc: "Windows of the partner alone: other senders can't make them forget.",
	Fields: tableFields(func(t *Tables) *Tables { return t }),
}

// vendorURL is where a service is asked. It is not shown in messages: it may have a key.
var vendorURL = setting.Type[string]{Shape: vendorURLText.Shape, Read: func(r *setting.Reader, n *setting.Node) (string, bool) {
	text, ok := vendorURLText.Read(r, n)
	if !ok {
		return "", false
	}
	if u, err := url.Parse(text); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		r.Report(n.Problem("", "expected a URL such as https://vendor.example/score"))
		return "", false
	}
	return text, true
}}

var vendorURLText = setting.Text("a URL such as https://vendor.example/score", addressMax)

var vendorField = func() setting.Type[vendor.Field] {
	var names []string
	for _, f := range vendor.Fields {
		names = append(names, string(f))
	}
	return setting.Word("a field", names, func(w string) vendor.Field { return vendor.Field(w) })
}()

var vendorHeaders = setting.Convert(setting.MapOf(headerName, setting.Checked(setting.Text("the value of a header", entryMax), func(text string) (string, string, error) {
	for _, c := range []byte(text) {
		if c < ' ' && c != '\t' || c == 0x7f {
			return "", "", errors.New("a header has no control characters")
		}
	}
	return text, "", nil
})), func(entries []setting.Entry[string]) (list []Header) {
	for _, e := range entries {
		list = append(list, Header{e.Name, e.Value})
	}
	return list
})

var headerName = setting.Form("the name of a header", "[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}", nil)

var vendorObject = &setting.Object[Vendor]{
	Name: "vendor", Doc: "A service that scores requests, asked by HTTP (docs/vendors.md). Conditions read `facts.vendor[\"NAME\"].score`.",
	Fields: []setting.Field[Vendor]{
		setting.F("url", vendorURL, func(v *Vendor) *string { return &v.URL }, "Where questions are posted.").Required().Example("url: https://vendor.example/score"),
		setting.F("fields", setting.ListOf(vendorField), func(v *Vendor) *[]vendor.Field { return &v.Fields },
			"What the service is told, and all that it is told.").Required().Example("fields: [ip, ua]"),
		setting.F("deadline", setting.Duration("a time such as 5ms", 100*time.Microsecond, vendor.DeadlineMost), func(v *Vendor) *time.Duration { return &v.Deadline },
			"How long an answer may take. A request never waits longer.").Default("5ms"),
		setting.F("fail", setting.Word("open or closed", []string{"open", "closed"}, func(w string) bool { return w == "closed" }), func(v *Vendor) *bool { return &v.FailClosed },
			"What a missing answer means: `open`, a score of 0; `closed`, one of 100.").Default("open"),
		setting.F("concurrent", setting.Int("a number of questions", 1, 1<<16), func(v *Vendor) *int { return &v.Concurrent },
			"How many questions may be under way. Beyond it the service is not asked.").Default("64"),
		setting.F("connections", setting.Int("a number of connections", 1, 1<<16), func(v *Vendor) *int { return &v.Connections },
			"How many connections there may be. It should not be less than `concurrent`.").Default("64"),
		setting.F("failures", setting.Int("a number of failures", 0, 1<<16), func(v *Vendor) *int { return &v.Failures },
			"After how many failures in a row the service is not asked for a while. 0: never.").Default("16"),
		setting.F("pause", setting.Duration("a time such as 1s", time.Millisecond, time.Hour), func(v *Vendor) *time.Duration { return &v.Pause },
			"How long that is.").Default("1s"),
		setting.F("header", vendorHeaders, func(v *Vendor) *[]Header { return &v.Headers },
			"Headers of questions that are not secret.").Example("header: {X-Client: rtbwire}"),
		setting.F("token_env", environmentName, func(v *Vendor) *string { return &v.TokenEnv },
			"The environment variable that has the service's key.").Example("token_env: VENDOR_KEY"),
		setting.F("token_file", fileName, func(v *Vendor) *string { return &v.TokenFile },
			"The file that has the service's key, relative to this file.").Example("token_file: secrets/vendor"),
		setting.F("token_header", headerName, func(v *Vendor) *string { return &v.TokenHeader },
			"The header that the key is sent in. In `Authorization` it is a bearer token.").Default("Authorization"),
	},
	Check: func(r *setting.Reader, n *setting.Node, v *Vendor) {
		if n.Member("token_env") != nil && n.Member("token_file") != nil {
			exactlyOne(r, n, "token_env", "token_file")
		}
		if m := n.Member("token_header"); m != nil && n.Member("token_env") == nil && n.Member("token_file") == nil {
			r.Report(m.Key.Problem("", "token_header without token_env or token_file"))
		}
		if m := n.Member("fields"); m != nil && m.Value.Kind == setting.Sequence && len(m.Value.Items) == 0 {
			r.Report(m.Value.Problem("", "the service is told nothing"))
		}
	},
}

var vendorsType = setting.Convert(
	setting.MapOf(setting.Form("a name of lower case letters, digits, hyphens and dots", `[a-z0-9][a-z0-9._-]{0,63}`, dashed), vendorObject.Type()),
	func(entries []setting.Entry[Vendor]) (list []Vendor) {
		for _, e := range entries {
			e.Value.Name, e.Value.Place = e.Name, placeOf(e.Key)
			list = append(list, e.Value)
		}
		return list
	})

// stateFields are the keys of the gateway about state and captures.
func stateFields() []setting.Field[Gateway] {
	return []setting.Field[Gateway]{
		setting.F("windows", setting.Bool(), func(g *Gateway) *bool { return &g.Windows },
			"Count requests by advertising identifier and address, and remember their ids (docs/windows.md), for signals of fraud.").Default("true"),
		setting.F("window_tables", windowTablesObject.Type(), func(g *Gateway) *WindowTables { return &g.WindowTables },
			"What windows count, and how much room they have.").Default("{}").Example("window_tables: {window: 30s, ids: 4000000}"),
		setting.F("vendors", vendorsType, func(g *Gateway) *[]Vendor { return &g.Vendors },
			"Services that are asked about each request, by name.").Example(`vendors: {ivt: {url: "http://127.0.0.1:9090/score", fields: [ip, ua]}}`),
		setting.F("capture", captureObject.Type(), func(g *Gateway) *Capture { return &g.Capture },
			"A sample of requests in files.").Example("capture: {folder: capture, share: 1%}"),
		setting.F("lower_tmax", setting.Bool(), func(g *Gateway) *bool { return &g.LowerTMax },
			"Write into each request how many milliseconds are left for the upstream, where that is less than its `tmax`.").Default("false"),
	}
}

// partnerStateFields are the keys of a partner about state, captures and time.
func partnerStateFields() []setting.Field[Partner] {
	return []setting.Field[Partner]{
		setting.F("upstream_timeout", setting.Duration("a time such as 200ms", time.Millisecond, timeoutMax), func(p *Partner) *time.Duration { return &p.UpstreamTimeout },
			"In place of `gateway.timeouts.upstream`.").Example("upstream_timeout: 200ms"),
		setting.F("reserve", setting.Duration("a time such as 20ms", time.Microsecond, timeoutMax), func(p *Partner) *time.Duration { return &p.Reserve },
			"In place of `gateway.timeouts.reserve`: how long the way back to the partner takes.").Example("reserve: 20ms"),
		setting.F("window_tables", pointerTo(partnerTablesObject.Type()), func(p *Partner) **Tables { return &p.WindowTables },
			"Windows of the partner alone, so that nobody else can make them forget.").Example("window_tables: {ids: 10000000}"),
		setting.F("vendors", setting.ListOf(vendorNamed), func(p *Partner) *[]VendorName { return &p.Vendors },
			"The services that are asked about the partner's requests. Without the key, all of them.").Example("vendors: []"),
		setting.F("capture", pointerTo(partnerCaptureObject.Type()), func(p *Partner) **Shares { return &p.Capture },
			"Which part of the partner's requests is captured, in place of what `gateway.capture` says.").Example("capture: {share: 0%, refused: 100%}"),
	}
}

// VendorName names a vendor.
type VendorName struct {
	Name  string
	Place Place
}

// vendorNamed is the name of a vendor. That there is one is checked when the whole file is known.
var vendorNamed = setting.Placed(
	setting.Convert(setting.Text("the name of a vendor", nameMax), func(name string) VendorName { return VendorName{Name: name} }),
	func(v *VendorName, n *setting.Node) { v.Place = placeOf(n) })

// checkVendors reports partners that name vendors that do not exist.
func (l *loader) checkVendors(c *Config) {
	var names []string
	for i := range c.Gateway.Vendors {
		names = append(names, c.Gateway.Vendors[i].Name)
	}
	for i := range c.Partners {
		list := c.Partners[i].Vendors
		for n, v := range list {
			switch {
			case !slices.Contains(names, v.Name):
				l.reader.Report(v.Place.Problem(nearest.Name(v.Name, names), "no vendor has the name "+setting.Quote(v.Name)))
			case slices.ContainsFunc(list[:n], func(o VendorName) bool { return o.Name == v.Name }):
				l.reader.Report(v.Place.Problem("", "the vendor "+setting.Quote(v.Name)+" is named twice"))
			}
		}
	}
}
