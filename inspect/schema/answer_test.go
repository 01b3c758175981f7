package schema

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const (
	answered = `{"id":"1","imp":[{"id":"1","bidfloor":2,"banner":{"w":300,"h":250},"pmp":{"deals":[{"id":"d","guar":1}]}}],"badv":["casino.example"]}`
	answer   = `{"id":"1","cur":"usd","seatbid":[{"bid":[{"id":"b","impid":"1","price":1.5,"adomain":["www.casino.example"],"adm":"<br>"},{"id":"b","impid":"2","price":"1"}]}]}`
)

// sorted are findings in an order that does not depend on how they were found.
func sorted(r Report) (list []string) {
	for _, f := range r.Findings {
		list = append(list, fmt.Sprintf("%v %d %s %s %v %s", f.Doc, f.Offset, f.ID, f.Path, f.Severity.Level(), f.Message))
	}
	slices.Sort(list)
	return list
}

// TestResponseTo wants the findings of Response and of Pair together.
func TestResponseTo(t *testing.T) {
	e := strict(t)
	one, two := e.engine.NewChecker(), e.engine.NewChecker()
	for _, c := range []struct {
		request, response string
		compared          bool
	}{
		{answered, answer, true},
		{answered, `{"id":"1","nbr":2}`, true},
		{answered, `{"id":"2","seatbid":[]}`, true},
		{answered, `{"id":"1","seatbid":[{"bid":[{"id":"b","impid":"1","price":"1"}]}]}`, true},
		{strings.Replace(answered, `"bidfloor":2`, `"bidfloor":"2"`, 1), answer, true}, // repaired
		{answered, `{"id":`, false},
		{answered, ``, false},
		{`{"id":`, answer, false},
		{`[]`, answer, false},
		{``, `{"id":`, false},
	} {
		got, compared := one.ResponseTo([]byte(c.request), []byte(c.response))
		have := sorted(got)
		counts := got.Counts
		want := two.Response([]byte(c.response))
		list, wantCounts := sorted(want), want.Counts
		if c.compared {
			pair := two.Pair([]byte(c.request), []byte(c.response))
			list = append(list, sorted(pair)...)
			for i, n := range pair.Counts {
				wantCounts[i] += n
			}
		}
		slices.Sort(list)
		if compared != c.compared || !slices.Equal(have, list) || counts != wantCounts {
			t.Errorf("%s, %s: compared %v\n%s\nwant\n%s", c.request, c.response, compared, strings.Join(have, "\n"), strings.Join(list, "\n"))
		}
	}
}

// TestResponseToIsOneReport has one limit for both kinds of findings, and keeps nothing.
func TestResponseToIsOneReport(t *testing.T) {
	e, err := New(WithMaxFindings(2))
	if err != nil {
		t.Fatal(err)
	}
	c := e.NewChecker()
	r, _ := c.ResponseTo([]byte(answered), []byte(answer))
	if len(r.Findings) != 2 || r.Dropped == 0 || r.Findings[0].Severity != Error {
		t.Errorf("%+v", r)
	}
	if r := c.Response([]byte(`{"id":"1","nbr":2}`)); len(r.Findings) != 0 || r.Dropped != 0 {
		t.Errorf("%+v", r)
	}
}
