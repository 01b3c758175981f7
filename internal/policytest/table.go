package policytest

import (
	"errors"
	"math"
	"net/netip"
	"slices"
	"time"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/grammar"
	"github.com/rtbwire/rtbwire/internal/nearest"
	yaml "github.com/rtbwire/rtbwire/internal/strictyaml"
)

// The longest texts, in bytes.
const (
	nameMax = 200
	idMax   = 256
	textMax = yaml.SizeMax
)

// fileType is the type of a whole file.
var fileType = yaml.Convert((&yaml.Object[struct{ cases []Case }]{
	Name: "file",
	Fields: []yaml.Field[struct{ cases []Case }]{
		yaml.F("cases", yaml.ListOf(caseType), func(f *struct{ cases []Case }) *[]Case { return &f.cases }, "The cases.").Required(),
	},
	Check: func(r *yaml.Reader, n *yaml.Node, _ *struct{ cases []Case }) {
		if list := n.Get("cases"); list != nil && list.Kind == yaml.Sequence && len(list.Items) == 0 {
			r.Report(list.Problem("", "there is no case"))
		}
	},
}).Type(), func(f struct{ cases []Case }) []Case { return f.cases })

var caseType = yaml.Placed((&yaml.Object[Case]{
	Name: "case",
	Fields: []yaml.Field[Case]{
		yaml.F("name", yaml.Text("a name", nameMax), func(c *Case) *string { return &c.Name }, "What the case shows.").Required(),
		yaml.F("request", jsonText("a request: text, or a mapping"), func(c *Case) **yaml.Node { return &c.source.node }, "The request."),
		yaml.F("request_file", fileName, func(c *Case) **yaml.Node { return &c.source.file }, "A file with the request, relative to this file."),
		yaml.F("facts", factsObject.Type(), func(c *Case) *inspect.Facts { return &c.Facts }, "What is known besides the request."),
		yaml.F("expect", expectObject.Type(), func(c *Case) *Expect { return &c.Expect }, "What is expected.").Required(),
	},
	Check: func(r *yaml.Reader, n *yaml.Node, _ *Case) {
		text, file := n.Member("request"), n.Member("request_file")
		switch {
		case text == nil && file == nil && slices.ContainsFunc(n.Members, func(m yaml.Member) bool {
			return nearest.Name(m.Key.Text, []string{"request", "request_file"}) != ""
		}): // was reported
		case text == nil && file == nil:
			r.Report(n.Problem("", `missing "request" or "request_file"`))
		case text != nil && file != nil:
			r.Report(file.Key.Problem("", `both "request" and "request_file" are given; one of them has to go`))
		}
	},
}).Type(), func(c *Case, n *yaml.Node) {
	p := n.Problem("", "")
	c.File, c.Line, c.node = p.File, p.Line, n
})

// jsonText is the type of what is JSON: text, or a mapping that becomes JSON.
func jsonText(what string) yaml.Type[*yaml.Node] {
	return yaml.Type[*yaml.Node]{Shape: &yaml.Shape{Kind: yaml.Anything, What: what}, Read: func(r *yaml.Reader, n *yaml.Node) (*yaml.Node, bool) {
		if n.Kind == yaml.Scalar {
			if _, ok := yaml.Text(what, textMax).Read(r, n); !ok {
				return nil, false
			}
		}
		return n, true
	}}
}

// fileName is the type of the name of a file.
var fileName = yaml.Type[*yaml.Node]{Shape: &yaml.Shape{What: "the name of a file"}, Read: func(r *yaml.Reader, n *yaml.Node) (*yaml.Node, bool) {
	_, ok := yaml.Text("the name of a file", idMax).Read(r, n)
	return n, ok
}}

// pointer is the type of a pointer to a value of T.
func pointer[T any](t yaml.Type[T]) yaml.Type[*T] {
	return yaml.Convert(t, func(v T) *T { return &v })
}

var address = yaml.Checked(yaml.Text("an address", idMax), func(text string) (netip.Addr, string, error) {
	a, err := netip.ParseAddr(text)
	if err != nil {
		return a, "", errors.New("write an IPv4 or IPv6 address")
	}
	return a, "", nil
})

var factsObject = &yaml.Object[inspect.Facts]{
	Name: "facts",
	Fields: []yaml.Field[inspect.Facts]{
		yaml.F("partner", yaml.Text("the name of a partner", idMax), func(f *inspect.Facts) *string { return &f.Partner }, "The partner that sent the request."),
		yaml.F("publisher", yaml.Text("the id of a publisher", idMax), func(f *inspect.Facts) *string { return &f.Publisher }, "The publisher, in place of the one that the request names."),
		yaml.F("peer", address, func(f *inspect.Facts) *netip.Addr { return &f.Peer }, "The address of the connection."),
		yaml.F("forwarded", yaml.ListOf(address), func(f *inspect.Facts) *[]netip.Addr { return &f.Forwarded }, "The addresses that proxies have added, the nearest last."),
		yaml.F("user_agent", yaml.Text("a user agent", textMax), func(f *inspect.Facts) *string { return &f.UserAgent }, "The user agent of the HTTP header."),
		yaml.F("headers", yaml.Convert(yaml.MapOf(yaml.Text("the name of a header", idMax), yaml.Text("the value of a header", textMax)),
			func(entries []yaml.Entry[string]) (list []inspect.Header) {
				for _, e := range entries {
					list = append(list, inspect.Header{Name: e.Name, Value: e.Value})
				}
				return list
			}), func(f *inspect.Facts) *[]inspect.Header { return &f.Headers }, "HTTP headers."),
		yaml.F("time", yaml.Checked(yaml.Text("a time", idMax), func(text string) (time.Time, string, error) {
			t, err := time.Parse(time.RFC3339Nano, text)
			if err != nil {
				return t, "", errors.New("write it as in 2026-11-22T16:30:00Z")
			}
			return t, "", nil
		}), func(f *inspect.Facts) *time.Time { return &f.Time }, "When the request arrived."),
		yaml.F("seen", yaml.Bool(), func(f *inspect.Facts) *bool { return &f.Seen }, "Whether the request's id was seen before."),
		yaml.F("counts", (&yaml.Object[inspect.Counts]{
			Name: "counts",
			Fields: []yaml.Field[inspect.Counts]{
				yaml.F("ifa", yaml.Int("a number of requests", 0, math.MaxInt32), func(c *inspect.Counts) *int { return &c.IFA }, "With the device's advertising identifier."),
				yaml.F("address", yaml.Int("a number of requests", 0, math.MaxInt32), func(c *inspect.Counts) *int { return &c.Address }, "With the device's address."),
			},
		}).Type(), func(f *inspect.Facts) *inspect.Counts { return &f.Counts }, "Numbers of requests in the window."),
		yaml.F("vendor", yaml.Convert(yaml.MapOf(yaml.Text("the name of a service", idMax), vendorObject.Type()),
			func(entries []yaml.Entry[inspect.VendorAnswer]) (list []inspect.VendorAnswer) {
				for _, e := range entries {
					e.Value.Name = e.Name
					list = append(list, e.Value)
				}
				return list
			}), func(f *inspect.Facts) *[]inspect.VendorAnswer { return &f.Vendor }, "What services say."),
	},
}

var vendorObject = &yaml.Object[inspect.VendorAnswer]{
	Name: "vendor",
	Fields: []yaml.Field[inspect.VendorAnswer]{
		yaml.F("score", yaml.Int("a score", 0, 100), func(v *inspect.VendorAnswer) *int { return &v.Score }, "The score."),
		yaml.F("error", yaml.Bool(), func(v *inspect.VendorAnswer) *bool { return &v.Err }, "Whether there was no answer; the score is then 100 if the service fails closed."),
	},
}

var ids = yaml.ListOf(yaml.Text("an id", idMax))

// decisionFields are the keys of a decision, and those that only one of the two has.
func decisionFields[S any](at func(*S) *Decision) []yaml.Field[S] {
	return []yaml.Field[S]{
		yaml.F("action", pointer(yaml.Word("an action", []string{"forward", "refuse"}, func(w string) inspect.Action {
			if w == inspect.ActionRefuse.String() {
				return inspect.ActionRefuse
			}
			return inspect.ActionForward
		})), func(s *S) **inspect.Action { return &at(s).Action }, "What becomes of the request."),
		yaml.F("reason", pointer(yaml.Text("an id", idMax)), func(s *S) **string { return &at(s).Reason }, "The reason of a refusal."),
		yaml.F("nbr", pointer(yaml.Int("a no-bid reason", 0, math.MaxInt32)), func(s *S) **int { return &at(s).NBR }, "The no-bid reason of a refusal."),
		yaml.F("score", scoreType, func(s *S) **Score { return &at(s).Score }, "The fraud score."),
		yaml.F("findings", pointer(ids), func(s *S) **[]string { return &at(s).Findings }, "Findings that there are."),
		yaml.F("not_findings", ids, func(s *S) *[]string { return &at(s).NotFindings }, "Findings that there are not."),
		yaml.F("errors", pointer(ids), func(s *S) **[]string { return &at(s).Errors }, "Conditions without a value."),
		yaml.F("scrubs", pointer(ids), func(s *S) **[]string { return &at(s).Scrubs }, "Scrubs that are applied."),
	}
}

// checkDecision notes where names are, and reports what can't be.
func checkDecision(r *yaml.Reader, n *yaml.Node, d *Decision) {
	d.nodes = decisionNodes{n.Get("reason"), n.Get("findings"), n.Get("not_findings"), n.Get("errors"), n.Get("scrubs")}
	if len(n.Members) == 0 {
		r.Report(n.Problem("", "nothing is expected"))
	}
	if d.Action == nil {
		return
	}
	for _, key := range []string{"reason", "nbr"} {
		if m := n.Member(key); m != nil && *d.Action == inspect.ActionForward {
			r.Report(m.Key.Problem("", "%s of a request that is forwarded", key))
		}
	}
	for _, key := range []string{"result", "absent", "present"} {
		if m := n.Member(key); m != nil && *d.Action == inspect.ActionRefuse {
			r.Report(m.Key.Problem("", "%s of a request that is refused", key))
		}
	}
}

var expectObject = func() *yaml.Object[Expect] {
	shadow := &yaml.Object[Decision]{Name: "shadow", Fields: decisionFields(func(d *Decision) *Decision { return d }), Check: checkDecision}
	o := &yaml.Object[Expect]{
		Name:   "expect",
		Fields: decisionFields(func(e *Expect) *Decision { return &e.Decision }),
		Check: func(r *yaml.Reader, n *yaml.Node, e *Expect) {
			checkDecision(r, n, &e.Decision)
			if result := n.Get("result"); result != nil && result.Kind != yaml.Scalar {
				e.ResultValue = appendJSON(r, nil, result)
			} else if result != nil {
				e.Result = &result.Text
			}
		},
	}
	o.Fields = append(o.Fields,
		yaml.F("shadow", pointer(shadow.Type()), func(e *Expect) **Decision { return &e.Shadow }, "The verdict if nothing was in shadow."),
		yaml.F("result", jsonText("a request: text, or a mapping"), func(*Expect) **yaml.Node { return new(*yaml.Node) }, "The request that goes on."),
		yaml.F("absent", paths, func(e *Expect) *[]string { return &e.Absent }, "Paths that the request that goes on lacks."),
		yaml.F("present", paths, func(e *Expect) *[]string { return &e.Present }, "Paths that the request that goes on has."),
	)
	return o
}()

var paths = yaml.ListOf(yaml.Checked(yaml.Text("a path such as /device/ifa", idMax), func(text string) (string, string, error) {
	if text[0] != '/' {
		return "", "/" + text, errors.New("a path begins with /")
	}
	for _, element := range elements(text) {
		if _, ok := grammar.UnescapePointer(element); !ok {
			return "", "", errors.New("~ is written as ~0, and / as ~1")
		}
	}
	return text, "", nil
}))
