package vendor

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/rtbwire/rtbwire/internal/nearest"
	"github.com/rtbwire/rtbwire/internal/setting"
)

// Service is a service that is asked by HTTP, as a configuration declares it.
type Service struct {
	HTTP   HTTPOptions
	Member Member // without the vendor
}

// declared is a service without its secret.
type declared struct {
	Service
	headers     []header
	secret      setting.Secret
	tokenHeader string
}

// header is sent with each question.
type header struct{ name, value string }

var (
	configured        setting.Slot[[]declared]
	configuredPartner setting.Slot[[]setting.Named] // nil: all services
)

// Configured returns the services of a configuration, with their secrets. The environment is as
// os.Environ returns it.
func Configured(c *setting.Scope, environ []string) (list []Service, err error) {
	for _, d := range *configured.In(c) {
		own := d.Service
		own.HTTP.Header = http.Header{}
		for _, h := range d.headers {
			own.HTTP.Header.Add(h.name, h.value)
		}
		secret, err := d.secret.Read(environ)
		if err != nil {
			return nil, fmt.Errorf("the key of the vendor %s: %w", own.HTTP.Name, err)
		}
		switch {
		case secret == "":
		case http.CanonicalHeaderKey(d.tokenHeader) == "Authorization":
			own.HTTP.Header.Set(d.tokenHeader, "Bearer "+secret)
		default:
			own.HTTP.Header.Set(d.tokenHeader, secret)
		}
		if own.Member.Breaker.Failures == 0 {
			own.Member.Breaker.Failures = -1 // no pauses
		}
		list = append(list, own)
	}
	return list, nil
}

// ConfiguredNames returns the names of the services of a configuration.
func ConfiguredNames(c *setting.Scope) (names []string) {
	for _, d := range *configured.In(c) {
		names = append(names, d.HTTP.Name)
	}
	return names
}

// ConfiguredPartner returns the names of the services that are asked about a partner's requests.
// Nil means all.
func ConfiguredPartner(partner *setting.Scope) []string {
	own := *configuredPartner.In(partner)
	if own == nil {
		return nil
	}
	names := []string{}
	for _, v := range own {
		names = append(names, v.Name)
	}
	return names
}

// address is where a service is asked. It is not shown in messages: it may have a key.
var address = func() setting.Type[string] {
	const what = "a URL such as https://vendor.example/score"
	text := setting.Text(what, setting.AddressMax)
	return setting.Type[string]{Shape: text.Shape, Read: func(r *setting.Reader, n *setting.Node) (string, bool) {
		own, ok := text.Read(r, n)
		if !ok {
			return "", false
		}
		if u, err := url.Parse(own); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			r.Report(n.Problem("", "expected "+what))
			return "", false
		}
		return own, true
	}}
}()

var headers = setting.Convert(setting.MapOf(setting.HeaderName(), setting.Checked(setting.Text("the value of a header", setting.EntryMax), func(text string) (string, string, error) {
	for _, c := range []byte(text) {
		if c < ' ' && c != '\t' || c == 0x7f {
			return "", "", errors.New("a header has no control characters")
		}
	}
	return text, "", nil
})), func(entries []setting.Entry[string]) (list []header) {
	for _, e := range entries {
		list = append(list, header{e.Name, e.Value})
	}
	return list
})

var keys = &setting.Object[declared]{
	Name: "vendor", Doc: "A service that scores requests, asked by HTTP (docs/lookups.md). Conditions read `facts.vendor[\"NAME\"].score`.",
	Fields: []setting.Field[declared]{
		setting.F("url", address, func(d *declared) *string { return &d.HTTP.URL }, "URL that questions are posted to.").Required().Secret().Example("url: https://vendor.example/score"),
		setting.F("fields", setting.ListOf(setting.Option("a field", Fields...)), func(d *declared) *[]Field { return &d.HTTP.Fields },
			"What the service is told, and all that it is told.").Required().Example("fields: [ip, ua]"),
		setting.F("deadline", setting.Duration("a time such as 5ms", 100*time.Microsecond, DeadlineMax), func(d *declared) *time.Duration { return &d.Member.Deadline },
			"Maximum time for an answer. A request never waits longer.").Default(DeadlineDefault),
		setting.F("fail", setting.Word("open or closed", []string{"open", "closed"}, func(w string) Fail {
			if w == "closed" {
				return Closed
			}
			return Open
		}), func(d *declared) *Fail { return &d.Member.Fail }, "What a missing answer means: `open`, a score of 0; `closed`, a score of 100.").Default("open"),
		setting.F("concurrent", setting.Int("a number of questions", 1, 1<<16), func(d *declared) *int { return &d.Member.Concurrent },
			"Maximum number of unanswered questions. At the limit the service is not asked.").Default(ConcurrentDefault),
		setting.F("connections", setting.Int("a number of connections", 1, 1<<16), func(d *declared) *int { return &d.HTTP.IdleMax },
			"Maximum number of connections. It should be at least `concurrent`.").Default(IdleMaxDefault),
		setting.F("failures", setting.Int("a number of failures", 0, 1<<16), func(d *declared) *int { return &d.Member.Breaker.Failures },
			"Consecutive failures after which the service is not asked for a while; 0: never.").Default(FailuresDefault),
		setting.F("pause", setting.Duration("a time such as 1s", time.Millisecond, time.Hour), func(d *declared) *time.Duration { return &d.Member.Breaker.Pause },
			"How long it is not asked then.").Default(PauseDefault),
		setting.F("header", headers, func(d *declared) *[]header { return &d.headers },
			"Headers of questions. They are not secret.").Secret().Example("header: {X-Client: rtbwire}"),
		setting.F("token_env", setting.Variable(), func(d *declared) *string { return &d.secret.Variable },
			"Environment variable with the service's key.").Example("token_env: VENDOR_KEY"),
		setting.F("token_file", setting.SecretFile(), func(d *declared) *string { return &d.secret.File },
			"File with the service's key, relative to this file.").Example("token_file: secrets/vendor"),
		setting.F("token_header", setting.HeaderName(), func(d *declared) *string { return &d.tokenHeader },
			"Header that the key is sent in. In `Authorization` it is sent as a bearer token.").Default("Authorization"),
	},
	Check: func(r *setting.Reader, n *setting.Node, _ *declared) {
		setting.AtMostOne(r, n, "token_env", "token_file")
		if m := n.Member("token_header"); m != nil && n.Member("token_env") == nil && n.Member("token_file") == nil {
			r.Report(m.Key.Problem("", "token_header without token_env or token_file"))
		}
		if m := n.Member("fields"); m != nil && m.Value.Kind == setting.Sequence && len(m.Value.Items) == 0 {
			r.Report(m.Value.Problem("", "the service is told nothing"))
		}
	},
}

var services = func() setting.Type[[]declared] {
	own := keys.Type()
	t := setting.Convert(setting.MapOf(setting.Identifier(), own), func(entries []setting.Entry[declared]) (list []declared) {
		for _, e := range entries {
			e.Value.HTTP.Name = e.Name
			list = append(list, e.Value)
		}
		return list
	})
	t.Show = func(list []declared) any {
		out := map[string]any{}
		for _, d := range list {
			out[d.HTTP.Name] = own.Show(d)
		}
		return out
	}
	return t
}()

// check reports partners that name services that do not exist.
func check(r *setting.Reader, c *setting.Scope) {
	names := ConfiguredNames(c)
	for _, p := range c.Inner {
		list := *configuredPartner.In(p)
		for n, v := range list {
			switch {
			case !slices.Contains(names, v.Name):
				r.Report(v.Place.Problem(nearest.Name(v.Name, names), "no vendor has the name "+setting.Quote(v.Name)))
			case slices.ContainsFunc(list[:n], func(o setting.Named) bool { return o.Name == v.Name }):
				r.Report(v.Place.Problem("", "the vendor "+setting.Quote(v.Name)+" is named twice"))
			}
		}
	}
}

func init() {
	setting.Register(setting.Module{
		Section: "gateway", Order: 4, Check: check,
		Fields: []setting.Field[setting.Scope]{
			setting.F("vendors", services, configured.In, "Services that are asked about each request, by name.").
				Example(`vendors: {ivt: {url: "http://127.0.0.1:9090/score", fields: [ip, ua]}}`),
		},
		Partner: []setting.Field[setting.Scope]{
			setting.F("vendors", setting.ListOf(setting.NameOf("the name of a vendor")), configuredPartner.In,
				"Services that are asked about the partner's requests. Default: all.").NoFlag().Example("vendors: []"),
		},
	})
}
