package fraud_test

import (
	"fmt"

	"github.com/rtbwire/rtbwire/inspect/fraud"
	"github.com/rtbwire/rtbwire/inspect/lists"
	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/openrtb"
)

var request = []byte(`{"id":"1","imp":[{"id":"1","banner":{"w":1,"h":1}}],
	"site":{"domain":"news.example","page":"https://cheap.example/gallery"},
	"device":{"ip":"203.0.113.7","ua":"Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/126.0.0.0"},"user":{"consent":"yes"}}`)

func Example() {
	model, err := fraud.New(fraud.Config{})
	if err != nil {
		panic(err)
	}
	r, err := openrtb.Parse(request)
	if err != nil {
		panic(err)
	}
	var scratch fraud.Scratch // one for each goroutine
	score, hits := model.Score(fraud.Input{Request: r}, &scratch, nil)
	total, signals := 0, fraud.Signals()
	for _, h := range hits {
		fmt.Println(signals[h.Signal].ID, h.Path)
		total += h.Points
	}
	fmt.Println(score == total, score >= fraud.ThresholdDefault)
	// Output:
	// address.documentation /device/ip
	// agent.headless /device/ua
	// inventory.page /site/page
	// inventory.size /imp/0
	// privacy.tcf /user/consent
	// false true
}

// Data comes from files that change, limits and weights from a configuration.
func ExampleNew() {
	set, err := lists.Open(map[string]lists.Definition{
		"datacenters": {Kind: lists.Prefix, Entries: []string{"203.0.113.0/24"}},
		"blocked":     {Kind: lists.Domain, Entries: []string{"reseller.example"}},
	}, nil)
	if err != nil {
		panic(err)
	}
	dataCenters, err := set.List("datacenters").Addresses()
	if err != nil {
		panic(err)
	}
	blocked, err := set.List("blocked").Nodes()
	if err != nil {
		panic(err)
	}
	model, err := fraud.New(fraud.Config{
		Weights: map[string]int{"address.documentation": 0, "privacy.tcf": 5},
		Limits:  fraud.Limits{Nodes: 3},
		Data:    fraud.Data{DataCenters: dataCenters, BlockedNodes: blocked},
		Systems: []string{"exchange.example"}, // whose node is the last one of their supply chains
	})
	fmt.Println(model != nil, err)
	_, err = fraud.New(fraud.Config{Weights: map[string]int{"address.privat": 10}})
	fmt.Println(err)
	// Output:
	// true <nil>
	// fraud: unknown signal "address.privat" (did you mean "address.private"?)
}

// Windows and services are asked before the score: it depends on nothing but its input.
func ExampleModel_Score() {
	model, err := fraud.New(fraud.Config{})
	if err != nil {
		panic(err)
	}
	r, err := openrtb.Parse([]byte(`{"id":"1","imp":[{"id":"1"}],"device":{"ip":"8.8.8.8","ua":"Roku/DVP-12.5"}}`))
	if err != nil {
		panic(err)
	}
	var scratch fraud.Scratch
	var hits []fraud.Hit
	for _, f := range []*rule.Facts{
		nil,
		{Seen: true},
		{Seen: true, Vendor: []rule.VendorAnswer{{Name: "a", Score: 50}, {Name: "b", Err: true}}},
	} {
		var score int
		score, hits = model.Score(fraud.Input{Request: r, Facts: f}, &scratch, hits[:0])
		fmt.Println(score, len(hits))
	}
	// Output:
	// 0 0
	// 40 1
	// 90 2
}

func ExampleModel_Weight() {
	model, err := fraud.New(fraud.Config{Weights: map[string]int{"supply.incomplete": 0}})
	if err != nil {
		panic(err)
	}
	for n, s := range fraud.Signals() {
		if s.ID == "supply.incomplete" || s.ID == "supply.blocked" {
			fmt.Println(s.ID, s.Weight, model.Weight(n))
		}
	}
	// Output:
	// supply.incomplete 10 0
	// supply.blocked 100 100
}

func ExampleSignals() {
	s := fraud.Signals()[0]
	fmt.Println(s.ID, s.Family(), s.NBR)
	fmt.Println(s.Text)
	// Output:
	// address.private address suspected non-human traffic
	// the device's address is of a private network, or of the device itself
}

func ExampleCaps() {
	_, found := fraud.Caps()["address"]
	fmt.Println(found, fraud.Caps()["vendor"])
	// Output: true 100
}

// An idle scratch keeps memory, and nothing of the last request.
func ExampleScratch_Release() {
	model, err := fraud.New(fraud.Config{})
	if err != nil {
		panic(err)
	}
	r, err := openrtb.Parse([]byte(`{"id":"1","ext":{"schain":{"complete":0,"nodes":[{"asi":"a.example","sid":"1"}]}}}`))
	if err != nil {
		panic(err)
	}
	var scratch fraud.Scratch
	score, hits := model.Score(fraud.Input{Request: r}, &scratch, nil)
	scratch.Release()
	fmt.Println(score > 0, hits[0].Path)
	// Output: true /ext/schain
}
