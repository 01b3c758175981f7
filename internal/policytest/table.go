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
	"github.com/rtbwire/rtbwire/internal/setting"
	"github.com/rtbwire/rtbwire/internal/strictyaml"
)

// The longest texts, in bytes.
const (
	nameMax = 200
	idMax   = 256
	textMax = strictyaml.SizeMax
)

// fileType is the type of a whole file.
var fileType = setting.Convert((&setting.Object[struct{ cases []Case }]{
	Name: "file",
	Fields: []setting.Field[struct{ cases []Case }]{
		setting.F("cases", setting.ListOf(caseType), func(f *struct{ cases []Case }) *[]Case { return &f.cases }, "The cases.").Required(),
	},
	Check: func(r *setting.Reader, n *setting.Node, _ *struct{ cases []Case }) {
		if list := n.Get("cases"); list != nil && list.Kind == setting.Sequence && len(list.Items) == 0 {
			r.Report(list.Problem("", "there is no case"))
		}
	},
}).Type(), func(f struct{ cases []Case }) []Case { return f.cases })

var caseType = setting.Placed((&setting.Object[Case]{
	Name: "case",
	Fields: []setting.Field[Case]{
		setting.F("name", setting.Text("a name", nameMax), func(c *Case) *string { return &c.Name }, "What the case shows.").Required(),
		setting.F("request", jsonText("a request: text, or a mapping"), func(c *Case) **setting.Node { return &c.source.node }, "The request."),
		setting.F("request_file", fileName, func(c *Case) **setting.Node { return &c.source.file }, "A file with the request, relative to this file."),
		setting.F("facts", factsObject.Type(), func(c *Case) *inspect.Facts { return &c.Facts }, "What is known besides the request."),
		setting.F("expect", expectObject.Type(), func(c *Case) *Expect { return &c.Expect }, "What is expected.").Required(),
	},
	Check: func(r *setting.Reader, n *setting.Node, _ *Case) {
		text, file := n.Member("request"), n.Member("request_file")
		switch {
		case text == nil && file == nil && slices.ContainsFunc(n.Members, func(m setting.Member) bool {
			return nearest.Name(m.Key.Text, []string{"request", "request_file"}) != ""
		}): // was reported
		case text == nil && file == nil:
			r.Report(n.Problem("", `missing "request" or "request_file"`))
		case text != nil && file != nil:
			r.Report(file.Key.Problem("", `both "request" and "request_file" are given; one of them has to go`))
		}
	},
}).Type(), func(c *Case, n *setting.Node) {
	p := n.Problem("", "")
	c.File, c.Line, c.node = p.File, p.Line, n
})

// jsonText is the type of what is JSON: text, or a mapping that becomes JSON.
func jsonText(what string) setting.Type[*setting.Node] {
	return setting.Type[*setting.Node]{Shape: &setting.Shape{Kind: setting.Anything, What: what}, Read: func(r *setting.Reader, n *setting.Node) (*setting.Node, bool) {
		if n.Kind == setting.Scalar {
			if _, ok := setting.Text(what, textMax).Read(r, n); !ok {
				return nil, false
			}
		}
		return n, true
	}}
}

// fileName is the type of the name of a file.
var fileName = setting.Type[*setting.Node]{Shape: &setting.Shape{What: "the name of a file"}, Read: func(r *setting.Reader, n *setting.Node) (*setting.Node, bool) {
	_, ok := setting.Text("the name of a file", idMax).Read(r, n)
	return n, ok
}}

// pointer is the type of a pointer to a value of T.
func pointer[T any](t setting.Type[T]) setting.Type[*T] {
	return setting.Convert(t, func(v T) *T { return &v })
}

var address = setting.Checked(setting.Text("an address", idMax), func(text string) (netip.Addr, string, error) {
	a, err := netip.ParseAddr(text)
	if err != nil {
		return a, "", errors.New("write an IPv4 or IPv6 address")
	}
	return a, "", nil
})

var factsObject = &setting.Object[inspect.Facts]{
	Name: "facts",
	Fields: []setting.Field[inspect.Facts]{
		setting.F("partner", setting.Text("the name of a partner", idMax), func(f *inspect.Facts) *string { return &f.Partner }, "The partner that sent the request."),
		setting.F("publisher", setting.Text("the id of a publisher", idMax), func(f *inspect.Facts) *string { return &f.Publisher }, "The publisher, in place of the one that the request names."),
		setting.F("peer", address, func(f *inspect.Facts) *netip.Addr { return &f.Peer }, "The address of the connection."),
		setting.F("forwarded", setting.ListOf(address), func(f *inspect.Facts) *[]netip.Addr { return &f.Forwarded }, "The addresses that proxies have added, the nearest last."),
		setting.F("user_agent", setting.Text("a user agent", textMax), func(f *inspect.Facts) *string { return &f.UserAgent }, "The user agent of the HTTP header."),
		setting.F("headers", setting.Convert(setting.MapOf(setting.Text("the name of a header", idMax), setting.Text("the value of a header", textMax)),
			func(entries []setting.Entry[string]) (list []inspect.Header) {
				for _, e := range entries {
					list = append(list, inspect.Header{Name: e.Name, Value: e.Value})
				}
				return list
			}), func(f *inspect.Facts) *[]inspect.Header { return &f.Headers }, "HTTP headers."),
		setting.F("time", setting.Checked(setting.Text("a time", idMax), func(text string) (time.Time, string, error) {
			t, err := time.Parse(time.RFC3339Nano, text)
			if err != nil {
				return t, "", errors.New("write it as in 2026-11-22T16:30:00Z")
			}
			return t, "", nil
		}), func(f *inspect.Facts) *time.Time { return &f.Time }, "When the request arrived."),
		setting.F("seen", setting.Bool(), func(f *inspect.Facts) *bool { return &f.Seen }, "Whether the request's id was seen before."),
		setting.F("counts", (&setting.Object[inspect.Counts]{
			Name: "counts",
			Fields: []setting.Field[inspect.Counts]{
				setting.F("ifa", setting.Int("a number of requests", 0, math.MaxInt32), func(c *inspect.Counts) *int { return &c.IFA }, "With the device's advertising identifier."),
				setting.F("address", setting.Int("a number of requests", 0, math.MaxInt32), func(c *inspect.Counts) *int { return &c.Address }, "With the device's address."),
			},
		}).Type(), func(f *inspect.Facts) *inspect.Counts { return &f.Counts }, "Numbers of requests in the window."),
		setting.F("vendor", setting.Convert(setting.MapOf(setting.Text("the name of a service", idMax), vendorObject.Type()),
			func(entries []setting.Entry[inspect.VendorAnswer]) (list []inspect.VendorAnswer) {
				for _, e := range entries {
					e.Value.Name = e.Name
					list = append(list, e.Value)
				}
				return list
			}), func(f *inspect.Facts) *[]inspect.VendorAnswer { return &f.Vendor }, "What services say."),
	},
}

var vendorObject = &setting.Object[inspect.VendorAnswer]{
	Name: "vendor",
	Fields: []setting.Field[inspect.VendorAnswer]{
		setting.F("score", setting.Int("a score", 0, 100), func(v *inspect.VendorAnswer) *int { return &v.Score }, "The score."),
		setting.F("error", setting.Bool(), func(v *inspect.VendorAnswer) *bool { return &v.Err }, "Whether there was no answer; the score is then 100 if the service fails closed."),
	},
}

var ids = setting.ListOf(setting.Text("an id", idMax))

// decisionFields are the keys of a decision, and those that only one of the two has.
func decisionFields[S any](at func(*S) *Decision) []setting.Field[S] {
	return []setting.Field[S]{
		setting.F("action", pointer(setting.Word("an action", []string{"forward", "refuse"}, func(w string) inspect.Action {
			if w == inspect.ActionRefuse.String() {
				return inspect.ActionRefuse
			}
			return inspect.ActionForward
		})), func(s *S) **inspect.Action { return &at(s).Action }, "What becomes of the request."),
		setting.F("reason", pointer(setting.Text("an id", idMax)), func(s *S) **string { return &at(s).Reason }, "The reason of a refusal."),
		setting.F("nbr", pointer(setting.Int("a no-bid reason", 0, math.MaxInt32)), func(s *S) **int { return &at(s).NBR }, "The no-bid reason of a refusal."),
		setting.F("score", scoreType, func(s *S) **Score { return &at(s).Score }, "The fraud score."),
		setting.F("findings", pointer(ids), func(s *S) **[]string { return &at(s).Findings }, "Findings that there are."),
		setting.F("not_findings", ids, func(s *S) *[]string { return &at(s).NotFindings }, "Findings that there are not."),
		setting.F("errors", pointer(ids), func(s *S) **[]string { return &at(s).Errors }, "Conditions without a value."),
		setting.F("scrubs", pointer(ids), func(s *S) **[]string { return &at(s).Scrubs }, "Scrubs that are applied."),
	}
}

// checkDecision notes where names are, and reports what can't be.
func checkDecision(r *setting.Reader, n *setting.Node, d *Decision) {
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

var expectObject = func() *setting.Object[Expect] {
	inner := func(name string) *setting.Object[Decision] {
		return &setting.Object[Decision]{Name: name, Fields: decisionFields(func(d *Decision) *Decision { return d }), Check: checkDecision}
	}
	observed, shadow := inner("observed"), inner("shadow")
	o := &setting.Object[Expect]{
		Name:   "expect",
		Fields: decisionFields(func(e *Expect) *Decision { return &e.Decision }),
		Check: func(r *setting.Reader, n *setting.Node, e *Expect) {
			checkDecision(r, n, &e.Decision)
			if result := n.Get("result"); result != nil && result.Kind != setting.Scalar {
				e.ResultValue = appendJSON(r, nil, result)
			} else if result != nil {
				e.Result = &result.Text
			}
		},
	}
	o.Fields = append(o.Fields,
		setting.F("observed", pointer(observed.Type()), func(e *Expect) **Decision { return &e.Observed }, "The verdict if everything was enforced."),
		setting.F("shadow", pointer(shadow.Type()), func(e *Expect) **Decision { return &e.Shadow }, "The verdict if nothing was in shadow."),
		setting.F("result", jsonText("a request: text, or a mapping"), func(*Expect) **setting.Node { return new(*setting.Node) }, "The request that goes on."),
		setting.F("absent", paths, func(e *Expect) *[]string { return &e.Absent }, "Paths that the request that goes on lacks."),
		setting.F("present", paths, func(e *Expect) *[]string { return &e.Present }, "Paths that the request that goes on has."),
	)
	return o
}()

var paths = setting.ListOf(setting.Checked(setting.Text("a path such as /device/ifa", idMax), func(text string) (string, string, error) {
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
