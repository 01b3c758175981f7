package schema

import (
	"errors"
	"slices"
	"testing"

	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/wire"
)

// TestJudge compares the two steps with [Checker.Request], by every preset, on the corpus, on
// documents that can't be decoded and on ones whose text has findings.
func TestJudge(t *testing.T) {
	docs := corpus(t, "requests")
	for _, seed := range fuzzSeeds {
		docs = append(docs, []byte(seed))
	}
	for _, base := range bases {
		docs = append(docs, clean(t, base), clean(t, base)[:100])
	}
	steps := strict(t)
	var engines []*Engine
	var checkers []*Checker
	for _, p := range Presets() {
		c := strict(t, WithPreset(p))
		engines, checkers = append(engines, c.engine), append(checkers, c)
	}
	refused := 0
	for _, doc := range docs {
		r, err := steps.Decode(doc)
		if (r == nil) != (err != nil) {
			t.Fatalf("a request %v with the error %v", r, err)
		}
		if err != nil {
			refused++
		}
		for i, e := range engines {
			want := checkers[i].Request(doc)
			got := steps.Judge(e)
			if !slices.Equal(got.Findings, want.Findings) || got.Counts != want.Counts || got.Dropped != want.Dropped {
				t.Fatalf("preset %s: two steps find%s\none finds%s\nin %s", Presets()[i], describe(got), describe(want), doc)
			}
		}
		if got, want := steps.Judge(nil), checkers[0].Request(doc); got.Counts != want.Counts { // strict is the default
			t.Fatalf("the checker's own engine finds%s\nwant%s", describe(got), describe(want))
		}
	}
	if refused < 5 {
		t.Fatalf("only %d documents were refused", refused)
	}
}

// TestJudgeLifetime checks that the decoded request outlives Judge, and ends with Release.
func TestJudgeLifetime(t *testing.T) {
	c := new(Checker)
	site, app := clean(t, "site"), clean(t, "app")
	r, err := c.Decode(site)
	if err != nil {
		t.Fatal(err)
	}
	id := r.ID
	c.Judge(nil)
	c.Request(app)
	if r.ID != id || r.Site == nil {
		t.Error("another call has changed the decoded request")
	}
	c.Release()
	if c.two.data != nil || c.two.request != nil {
		t.Error("the checker keeps the document")
	}
	if report := c.Judge(nil); !has(report, "json.syntax") {
		t.Errorf("after Release:%s", describe(report))
	}
}

func TestSetDecoding(t *testing.T) {
	c := new(Checker)
	site := clean(t, "site")
	c.SetDecoding(wire.MaxSize(10))
	if _, err := c.Decode(site); !errors.Is(err, wire.CodeSize) {
		t.Errorf("got %v, want the code size", err)
	}
	c.SetDecoding()
	if _, err := c.Decode(site); err != nil {
		t.Error(err)
	}
}

func TestJudgeAllocations(t *testing.T) {
	if !mem.ZeroCopy {
		t.Skip("the decoder copies strings")
	}
	c := strict(t)
	data := clean(t, "app")
	allocs(t, "Decode and Judge", func() Report {
		if _, err := c.Decode(data); err != nil {
			t.Fatal(err)
		}
		return c.Judge(nil)
	})
}

// TestJudgeResponse compares the two steps with [Checker.ResponseTo].
func TestJudgeResponse(t *testing.T) {
	requests := append(corpus(t, "requests")[:20], clean(t, "site"), []byte(`{"id":`))
	responses := append(corpus(t, "responses"), clean(t, "response"), []byte(`{"id":`), []byte(`{"seatbid":[{"bid":[{"id":1}]}],"seatbid":[]}`))
	steps := strict(t)
	for _, p := range Presets() {
		c := strict(t, WithPreset(p))
		for i, response := range responses {
			request := requests[i%len(requests)]
			want, _ := c.ResponseTo(request, response)
			_, _ = steps.Decode(request)
			r, err := steps.DecodeResponse(response)
			if (r == nil) != (err != nil) {
				t.Fatalf("a response %v with the error %v", r, err)
			}
			got := steps.JudgeResponse(c.engine)
			if !slices.Equal(got.Findings, want.Findings) || got.Counts != want.Counts || got.Dropped != want.Dropped {
				t.Fatalf("preset %s: two steps find%s\none finds%s\nin %s", p, describe(got), describe(want), response)
			}
		}
	}
	_, _ = steps.Decode(requests[0])
	_, _ = steps.DecodeResponse(responses[0])
	id := steps.two.response.ID
	steps.JudgeResponse(nil)
	steps.Response(clean(t, "response"))
	steps.Pair(requests[1], responses[1])
	if steps.two.response.ID != id {
		t.Error("another call has changed the decoded response")
	}
	steps.ReleaseResponse()
	if steps.two.answer != nil || steps.two.response != nil {
		t.Error("the checker keeps the response")
	}
}

// euro is worth a little more than a dollar.
type euro struct{}

func (euro) USD(price float64, currency string) (dollars float64, known bool) {
	return 1.1 * price, currency == "EUR"
}

// TestFloorCurrencies compares prices and floors in different currencies.
func TestFloorCurrencies(t *testing.T) {
	converting, plain := strict(t, WithCurrencies(euro{})), strict(t)
	for _, tt := range []struct {
		floor, floorCur, price, cur string
		below, plainBelow           bool
	}{
		{"1", "USD", "0.99", "USD", true, true},
		{"1", "USD", "1", "USD", false, false},
		{"1", "usd", "0.9", "USD", true, true},
		{"1", "USD", "0.9", " usd", true, true},
		{"1", "USD", "0.9", "EUR", false, false}, // 0.99 dollars, within the tolerance of one percent
		{"1", "USD", "0.89", "EUR", true, false},
		{"1", "USD", "0.91", "EUR", false, false},
		{"1", "EUR", "1.08", "USD", true, false},
		{"1", "EUR", "1.1", "USD", false, false},
		{"1", "JPY", "0.01", "USD", false, false},
		{"1", "USD", "0.01", "JPY", false, false},
		{"1", "JPY", "0.01", "JPY", true, true},
	} {
		request := `{"id":"1","imp":[{"id":"1","banner":{"w":1,"h":1},"bidfloor":` + tt.floor + `,"bidfloorcur":"` + tt.floorCur + `"}]}`
		response := `{"id":"1","cur":"` + tt.cur + `","seatbid":[{"bid":[{"id":"1","impid":"1","price":` + tt.price + `}]}]}`
		if got := has(converting.Pair([]byte(request), []byte(response)), "Bid.price.floor"); got != tt.below {
			t.Errorf("%+v: below the floor: %v", tt, got)
		}
		if got := has(plain.Pair([]byte(request), []byte(response)), "Bid.price.floor"); got != tt.plainBelow {
			t.Errorf("%+v: below the floor without rates: %v", tt, got)
		}
	}
}
