package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/batch"
	"github.com/rtbwire/rtbwire/inspect"
)

// scored are verdicts with some scores.
func scored() *batch.Verdicts {
	v := &batch.Verdicts{Refused: map[inspect.Decision]int64{}, Suspicious: 3}
	for score, n := range map[int]int64{0: 500, 1: 1, 9: 9, 10: 4, 19: 6, 59: 100, 99: 2, 100: 1} {
		v.Scores[score] = n
	}
	return v
}

func TestScores(t *testing.T) {
	s := NewScores(scored())
	var got []string
	for i := range s.Ranges {
		r := &s.Ranges[i]
		if i > 0 && r.From != s.Ranges[i-1].To+1 {
			t.Errorf("the range %s begins at the wrong place", r.Name())
		}
		got = append(got, fmt.Sprintf("%s: %d, %.1f %.1f %.1f", r.Name(), r.Requests, r.Share, r.Above, r.Width))
	}
	want := []string{
		"0: 500, 80.3 100.0 100.0", "1 to 9: 10, 1.6 19.7 2.0", "10 to 19: 10, 1.6 18.1 2.0", "20 to 29: 0, 0.0 16.5 0.0",
		"30 to 39: 0, 0.0 16.5 0.0", "40 to 49: 0, 0.0 16.5 0.0", "50 to 59: 100, 16.1 16.5 20.0", "60 to 69: 0, 0.0 0.5 0.0",
		"70 to 79: 0, 0.0 0.5 0.0", "80 to 89: 0, 0.0 0.5 0.0", "90 to 99: 2, 0.3 0.5 0.4", "100: 1, 0.2 0.2 0.2",
	}
	if !reflect.DeepEqual(got, want) || s.Requests != 623 {
		t.Errorf("%d requests: got %q", s.Requests, got)
	}
	for width, want := range map[float64]string{0: "", 0.01: "▏", 5: "█", 7.5: "█▌", 100: strings.Repeat("█", barMax)} {
		if got := bar(width); got != want {
			t.Errorf("a bar of %v percent is %q", width, got)
		}
	}
	for _, v := range []*batch.Verdicts{{}, {Scores: [101]int64{0: 7}}} {
		if NewScores(v) != nil {
			t.Errorf("scores where all are 0: %v", v)
		}
	}
}

// withScores writes a report of verdicts.
func withScores(t *testing.T, format string, v *batch.Verdicts) string {
	t.Helper()
	var out bytes.Buffer
	r, err := New(format, &out, Options{Summary: true})
	if err != nil {
		t.Fatal(err)
	}
	s := &Summary{Counts: batch.Counts{Documents: 623, Requests: 623}}
	s.AddVerdicts(new(inspect.Engine), v)
	if err := r.End(s); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestScoresReports wants every range in text and HTML, and every score in JSON.
func TestScoresReports(t *testing.T) {
	text, page := withScores(t, "text", scored()), withScores(t, "html", scored())
	for _, want := range []string{`│ 0 +│ +500 │ 80.3% │ +100% │ █{20} │`, `│ 50 to 59 +│ +100 │ 16.1% │ +16.5% │ █{4} +│`, `│ 20 to 29 +│ +0 │ +0% │ +16.5% │ +│`, `│ suspicious +│ +3 │ +0.5% │`} {
		if !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	for _, want := range []string{
		`<h2 id="scores">Fraud scores</h2>`, "3 of 623 requests (0.5 %) reach the threshold", `<td>50 to 59</td><td class="num">100</td><td class="num">16.1 %</td>`,
		`style="width:20.00%"></i>`, `style="width:0.00%" class="empty"`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s on the page", want)
		}
	}
	var got struct {
		Summary struct {
			Verdicts struct {
				Scores     []struct{ Score, Requests int64 }
				Suspicious int64
			}
		}
	}
	if err := json.Unmarshal([]byte(withScores(t, "json", scored())), &got); err != nil {
		t.Fatal(err)
	}
	v, back := &got.Summary.Verdicts, batch.Verdicts{Suspicious: got.Summary.Verdicts.Suspicious}
	for _, s := range v.Scores {
		back.Scores[s.Score] = s.Requests
	}
	if back.Scores != scored().Scores || len(v.Scores) != 8 || back.Suspicious != 3 {
		t.Errorf("JSON has %+v", v)
	}
	for _, format := range []string{"text", "json", "html"} {
		if out := withScores(t, format, &batch.Verdicts{Refused: map[inspect.Decision]int64{}}); strings.Contains(out, `id="scores"`) || strings.Contains(out, `"scores"`) || strings.Contains(out, "fraud score") {
			t.Errorf("%s talks of scores that no request has", format)
		}
	}
}
