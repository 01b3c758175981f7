package parsers

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// removed are places that scrubs remove, with those that the values had in earlier versions.
var removed = []string{"/device/ifa", "/user/id", "/user/buyeruid", "/user/consent", "/user/ext/consent", "/user/eids", "/user/ext/eids", "/site/page"}

// rules hold an engine with a rule for each place, and scrubs.
type rules struct {
	worker  *inspect.Worker
	headers []inspect.Header
	asked   []int // the places of the headers
}

// newRules makes an engine whose rules compare each place with a header that has what is expected
// there.
func newRules(t *testing.T) *rules {
	t.Helper()
	var b strings.Builder
	r := new(rules)
	b.WriteString("rules:\n")
	for i, p := range places {
		if p.condition == "" {
			continue
		}
		name := "place-" + strconv.Itoa(i)
		expected := fmt.Sprintf(`facts.headers["%s"]`, name)
		when := p.condition + " != " + expected
		switch typeOf[p.pointer] {
		case 's':
		case 'i':
			when = fmt.Sprintf("%s != int(%s)", p.condition, expected)
		case 'f':
			when = fmt.Sprintf("%s != double(%s)", p.condition, expected)
		case 0: // a string in an ext, which may be missing or have another type
			when = fmt.Sprintf(`%s != "" && !(has(%s) && %s == %s)`, expected, p.condition, p.condition, expected)
		default:
			continue // a list or an object
		}
		fmt.Fprintf(&b, "  - {name: %s, when: '%s', severity: warn}\n", name, when)
		r.headers, r.asked = append(r.headers, inspect.Header{Name: name}), append(r.asked, i)
	}
	fmt.Fprintf(&b, "scrub:\n  - {remove: [%s], truncate: [/device/ip, /device/ipv6, /device/geo, /user/geo]}\n", strings.Join(removed, ", "))
	r.worker = engine(t, b.String()).NewWorker()
	return r
}

// judge wants conditions to see what the decoder reads, and returns the document after the scrubs,
// nil if they leave it as it is.
func (r *rules) judge(t *testing.T, doc *document, want []value) []byte {
	t.Helper()
	for i, at := range r.asked {
		v := want[at]
		h := &r.headers[i]
		switch {
		case typeOf[places[at].pointer] == 's' || typeOf[places[at].pointer] == 0:
			h.Value = v.text
		case v.kind == '-':
			h.Value = "0" // what conditions read of an absent number
		case v.exact:
			h.Value = strconv.FormatInt(v.whole, 10)
		default:
			h.Value = strconv.FormatFloat(v.float, 'g', -1, 64)
		}
	}
	verdict := r.worker.Inspect(doc.text, inspect.Facts{Headers: r.headers})
	if verdict.Action != inspect.ActionForward {
		t.Fatalf("%v: refused with rules that only warn: %s: %s", doc.mutations, verdict.Reason, doc.text)
	}
	if len(verdict.Errors) > 0 {
		t.Errorf("%v: errors of conditions: %+v: %s", doc.mutations, verdict.Errors, testkit.Abridged(doc.text))
	}
	for i := range verdict.Findings {
		number, ok := strings.CutPrefix(verdict.Findings[i].ID, "policy.place-")
		if !ok {
			continue
		}
		at, err := strconv.Atoi(number)
		if err != nil {
			t.Fatal(err)
		}
		t.Errorf("%v: conditions and decoder differ at %s, which the decoder reads as %s: %s", doc.mutations, places[at].pointer, want[at].show(), testkit.Abridged(doc.text))
	}
	if len(verdict.Edits) == 0 {
		return nil
	}
	text, err := verdict.Apply(nil, doc.text)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// isRemoved reports whether scrubs remove a place, or a value around it.
func isRemoved(pointer string) bool {
	return slices.ContainsFunc(removed, func(p string) bool { return pointer == p || strings.HasPrefix(pointer, p+"/") })
}
