package batch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// readPairs reads requests from a text.
func readPairs(t *testing.T, text string, opts Options) *Pairs {
	t.Helper()
	p, err := ReadPairs(t.Context(), From("requests", strings.NewReader(text)), opts, PairLimits{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// offer is a request for bids of at least 2, with a guaranteed deal if there is a name for it.
func offer(id, deal string) string {
	pmp := ""
	if deal != "" {
		pmp = fmt.Sprintf(`,"pmp":{"deals":[{"id":%q,"guar":1}]}`, deal)
	}
	return fmt.Sprintf(`{"id":%q,"imp":[{"id":"1","bidfloor":2,"banner":{"w":300,"h":250}%s}]}`, id, pmp)
}

func bid(id string, price float64) string {
	return fmt.Sprintf(`{"id":%q,"seatbid":[{"bid":[{"id":"b","impid":"1","price":%g,"mtype":1}]}]}`, id, price)
}

func TestPairs(t *testing.T) {
	requests := strings.Join([]string{offer("a", ""), offer("b", "d"), offer("c", ""), bid("x", 1), offer("a", ""), `{"imp":[]}`, `7`, offer("z", ""), `{"id":"broken","imp":[`}, "\n")
	for _, layout := range []string{requests, "[" + offer("a", "") + ",\n" + offer("b", "d") + "," + offer("c", "") + "," + bid("x", 1) + "," + offer("a", "") + `,{"imp":[]},7,` + offer("z", "") + `]` + `{"id":"broken","imp":[`} {
		p := readPairs(t, layout, Options{})
		if s := p.Stats(); s != (PairStats{Requests: 5, Repeated: 1, Nameless: 2, Others: 1, Unanswered: 5}) {
			t.Errorf("%+v", s)
		}
		responses := strings.Join([]string{
			bid("b", 3), offer("b", ""), bid("a", 1), bid("a", 2), bid("a", 1.5), bid("unknown", 1), `{"nbr":2}`, `{"id":"c","nbr":2}`, `{"id":"broken","nbr":2}`, `{"id":"a","seatbid":[`,
		}, "\n")
		lines, ended, counts, err := check(t, []Input{From("in", strings.NewReader(responses))}, Options{Pairs: p})
		if err != nil {
			t.Fatal(err)
		}
		got := only(lines, "Bid.price.floor", "Deal.guar.bid", "json.syntax", "json.truncated")
		want := []string{
			"in 1 1:1 Deal.guar.bid /imp/0/pmp/deals/0/guar",
			"in 3 3:60 Bid.price.floor /seatbid/0/bid/0/price",
			"in 5 5:60 Bid.price.floor /seatbid/0/bid/0/price",
		}
		if !slices.Equal(got[:min(3, len(got))], want) {
			t.Errorf("%s", strings.Join(got, "\n"))
		}
		if counts.Pairs != (PairCounts{Compared: 5, Lone: 2, Broken: 2}) || counts.Responses != 9 || ended[0].Pairs != counts.Pairs {
			t.Errorf("%+v, %+v", counts, ended)
		}
		if s := p.Stats(); s.Unanswered != 1 {
			t.Errorf("%+v", s)
		}
	}
}

// TestPairsSayWhere has a finding whose path is one of the request.
func TestPairsSayWhere(t *testing.T) {
	p := readPairs(t, offer("b", "d"), Options{})
	var found []Located
	_, err := Check(t.Context(), newEngine(t), []Input{From("in", strings.NewReader("\n "+bid("b", 3)))}, Options{Pairs: p}, Handler{
		Result: func(r *Result) error {
			found = append(found, r.Findings...)
			return nil
		},
	})
	i := slices.IndexFunc(found, func(f Located) bool { return f.ID == "Deal.guar.bid" })
	if err != nil || i < 0 {
		t.Fatalf("%v, %+v", err, found)
	}
	if f := found[i]; f.Offset != -1 || f.Line != 2 || f.Column != 2 || !strings.HasSuffix(f.Message, inRequest) {
		t.Errorf("%+v", f)
	}
}

// TestPairsOfCorpus compares all responses of the corpus with a request each: every rule that needs
// both sees what it sees alone.
func TestPairsOfCorpus(t *testing.T) {
	var requests, responses strings.Builder
	n := 0
	for i, r := range testkit.Responses(t) {
		if i%testkit.Scale(t, 20, 2, 1) != 0 {
			continue
		}
		id, found := idOf(r)
		if !found || DetectType(r) != schema.Response || bytes.IndexByte(r, '\n') >= 0 {
			continue
		}
		n++
		fmt.Fprintf(&requests, "%s\n", offer(id, "d"))
		fmt.Fprintf(&responses, "%s\n", r)
	}
	var want []string
	for _, jobs := range []int{1, 4} {
		p := readPairs(t, requests.String(), Options{})
		lines, _, counts, err := check(t, []Input{From("in", strings.NewReader(responses.String()))}, Options{Pairs: p, Jobs: jobs, ChunkSize: 10_000})
		if err != nil || counts.Pairs.Compared+counts.Pairs.Broken != int64(n) || counts.Pairs.Compared < int64(n)/2 {
			t.Errorf("%v, %+v of %d", err, counts, n)
		}
		if want == nil {
			want = lines
		}
		if !slices.Equal(lines, want) || len(only(lines, "Deal.guar.bid")) < 10 {
			t.Errorf("%d jobs: %d findings, not %d", jobs, len(lines), len(want))
		}
	}
}

func TestPairLimits(t *testing.T) {
	text := strings.Repeat("\n", 3) + offer("a", "") + "\n" + offer("b", "") + "\n" + offer("c", "")
	size := int64(len(offer("a", "")) + 1 + pairOverhead)
	for _, limits := range []PairLimits{{Bytes: 2 * size}, {Requests: 2}, {Bytes: 3*size - 1, Requests: 3}} {
		_, err := ReadPairs(t.Context(), From("r", strings.NewReader(text)), Options{}, limits)
		var limit *PairLimitError
		if !errors.As(err, &limit) || limit.Requests != 2 || limit.Line != 6 || !strings.Contains(err.Error(), "stopped in line 6, after 2 requests") {
			t.Errorf("%+v: %v", limits, err)
		}
	}
	if p, err := ReadPairs(t.Context(), From("r", strings.NewReader(text)), Options{}, PairLimits{Bytes: 3 * size, Requests: 3}); err != nil || p.Stats().Requests != 3 {
		t.Errorf("at the limits: %v", err)
	}
}

func TestPairErrors(t *testing.T) {
	var unreadable *InputError
	if _, err := ReadPairs(t.Context(), File("no such file"), Options{}, PairLimits{}); !errors.As(err, &unreadable) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	damaged := From("r.gz", strings.NewReader("\x1f\x8b\x08\x00"))
	if _, err := ReadPairs(t.Context(), damaged, Options{}, PairLimits{}); !errors.Is(err, ErrCorrupt) {
		t.Errorf("damaged: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ReadPairs(ctx, From("r", strings.NewReader(offer("a", ""))), Options{}, PairLimits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	if _, err := ReadPairs(t.Context(), From("r", strings.NewReader("")), Options{Jobs: -1}, PairLimits{}); err == nil {
		t.Error("wrong options are accepted")
	}
	if p := readPairs(t, strings.Repeat(" ", 10)+offer("a", strings.Repeat("d", 100)), Options{MaxDocument: 50}); p.Stats() != (PairStats{Nameless: 1}) {
		t.Errorf("a large request: %+v", p.Stats())
	}
}

func TestIDs(t *testing.T) {
	for doc, want := range map[string]string{
		`{"id":"a"}`: "a", ` { "x" : {"id":"no"} , "id" : "a\"\u00e4" , "id":"b"}`: "a\"ä", `{"\u0069d":"a"}`: "a", `{"id":7,`: "7", `{"id":-1.5e3}`: "-1.5e3",
		`{"id":""}`: "", `{"id":null}`: "", `{"id":{}}`: "", `{"id":"a`: "", `{}`: "", `[]`: "", ``: "", `{"x":1}`: "", `{"x":[}`: "", `{"imp":[],"id":"late"}`: "late", `{"id"`: "",
	} {
		if got, found := idOf([]byte(doc)); got != want || found != (want != "") {
			t.Errorf("%s: %q, %v; want %q", doc, got, found, want)
		}
	}
}
