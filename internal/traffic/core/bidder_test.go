package core

import (
	"testing"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
)

// TestBidsPassTheRules has bids made for every request of the corpus and the specification, and
// wants no error and no warning about them, alone or against the request, nor by a gateway.
func TestBidsPassTheRules(t *testing.T) {
	engine, err := schema.New(schema.WithPreset(schema.Strict))
	if err != nil {
		t.Fatal(err)
	}
	checker := engine.NewChecker()
	worker := new(inspect.Worker)
	var b Bidder
	bids, requests, reported := 0, 0, 0
	media := map[int]int{}
	for seed := range uint64(testkit.Scale(t, 1, 3, 20)) {
		for _, doc := range testkit.Documents(t) {
			if doc.Response {
				continue
			}
			req, err := openrtb.Parse(doc.Text)
			if err != nil {
				continue
			}
			requests++
			body, ok := b.Append(nil, req, seed)
			if !ok {
				continue
			}
			bids++
			resp, err := openrtb.ParseResponse(body)
			if err != nil {
				t.Fatalf("%s: %v: %s", doc.Name, err, body)
			}
			for i := range resp.SeatBid {
				for j := range resp.SeatBid[i].Bid {
					media[int(*resp.SeatBid[i].Bid[j].MType)]++
				}
			}
			findings := append([]schema.Finding(nil), checker.Response(body).Findings...)
			findings = append(findings, checker.Pair(doc.Text, body).Findings...)
			if err := worker.Decode(doc.Text); err == nil {
				if v := worker.JudgeResponse(body, inspect.Facts{}); len(v.Findings) > 0 && reported < 10 {
					reported++
					t.Errorf("%s: a gateway finds %+v\nrequest  %s\nresponse %s", doc.Name, v.Findings, doc.Text, body)
				}
			}
			for _, f := range findings {
				if f.Severity >= schema.Warn && reported < 10 {
					reported++
					t.Errorf("%s: %s %s in the %v: %s\nrequest  %s\nresponse %s", doc.Name, f.ID, f.Path, f.Doc, f.Message, doc.Text, body)
				}
			}
		}
	}
	t.Logf("%d requests, %d got bids; bids by media type: %v", requests, bids, media)
	if bids < requests*7/10 {
		t.Errorf("%d of %d requests got bids, expected most of them", bids, requests)
	}
	for m := 1; m <= 4; m++ {
		if media[m] == 0 {
			t.Errorf("no bid for media type %d", m)
		}
	}
}
