package schema_test

import (
	"fmt"
	"log"

	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/openrtb"
)

func ExampleNew() {
	engine, err := schema.New(schema.WithPreset(schema.Exchange), schema.WithMaxFindings(20))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(engine.Severity("Imp.media").Level(), engine.Severity("Video.placement.deprecated").Level())

	_, err = schema.New(schema.WithPreset("relaxed"))
	fmt.Println(err)
	// Output:
	// error off
	// schema: unknown preset "relaxed" (want strict, exchange, permissive or admission)
}

func ExampleChecker_Request() {
	engine, err := schema.New(schema.WithPreset(schema.Exchange))
	if err != nil {
		log.Fatal(err)
	}
	checker := engine.NewChecker() // one for each goroutine, for many requests

	report := checker.Request([]byte(`{"id":"1","imp":[{"id":"1","banner":{"w":"300","h":250}},{"id":"1"}]}`))
	fmt.Println("valid:", report.Valid())
	for _, f := range report.Findings {
		fmt.Printf("byte %d, %s: %v %s: %s\n", f.Offset, f.Path, f.Severity.Level(), f.ID, f.Message)
	}
	// Output:
	// valid: false
	// byte 41, /imp/0/banner/w: error any.type: expected an integer
	// byte 57, /imp/1: error Imp.media: at least one expected of banner, video, audio, native
	// byte 63, /imp/1/id: error BidRequest.imp.id.unique: expected: imp[].id values are unique inside one request
}

func ExampleChecker_Response() {
	engine, err := schema.New()
	if err != nil {
		log.Fatal(err)
	}
	report := engine.NewChecker().Response([]byte(`{"id":"1","seatbid":[{"bid":[{"id":"b","impid":"1","adm":"<br>"}]}],"nbr":2}`))
	for _, f := range report.Findings {
		if f.Severity >= schema.Warn {
			fmt.Println(f.Severity.Level(), f.ID, f.Path)
		}
	}
	// Output:
	// error Bid.price.required /seatbid/0/bid/0/price
	// warn BidResponse.nbr.exclusive /nbr
}

func ExampleChecker_Pair() {
	engine, err := schema.New()
	if err != nil {
		log.Fatal(err)
	}
	request := []byte(`{"id":"1","imp":[{"id":"1","bidfloor":2,"banner":{"w":300,"h":250}}],"badv":["casino.example"]}`)
	response := []byte(`{"id":"1","seatbid":[{"bid":[{"id":"b","impid":"1","price":1.5,"adomain":["www.casino.example"]}]}]}`)
	for _, f := range engine.NewChecker().Pair(request, response).Findings {
		fmt.Println(f.Severity.Level(), f.ID, f.Doc, f.Path)
	}
	// Output:
	// warn Bid.price.floor response /seatbid/0/bid/0/price
	// warn Bid.adomain.blocked response /seatbid/0/bid/0/adomain/0
}

// ResponseTo is for those who have a response and the request that it answers: one report.
func ExampleChecker_ResponseTo() {
	engine, err := schema.New(schema.WithPreset(schema.Exchange))
	if err != nil {
		log.Fatal(err)
	}
	request := []byte(`{"id":"1","imp":[{"id":"1","bidfloor":2,"banner":{"w":300,"h":250}}]}`)
	response := []byte(`{"id":"1","seatbid":[{"bid":[{"id":"b","impid":"2","mtype":1}]}]}`)
	report, compared := engine.NewChecker().ResponseTo(request, response)
	fmt.Println(compared)
	for _, f := range report.Findings {
		fmt.Println(f.Severity.Level(), f.ID, f.Path)
	}
	// Output:
	// true
	// error Bid.price.required /seatbid/0/bid/0/price
	// error Bid.impid.ref /seatbid/0/bid/0/impid
}

func ExampleChecker_RequestValue() {
	engine, err := schema.New(schema.WithPreset(schema.Permissive))
	if err != nil {
		log.Fatal(err)
	}
	checker := engine.NewChecker()

	// A gateway has decoded the request already and looks at the value alone.
	body := []byte(`{"id":"1","imp":[{"banner":{"w":300,"h":250}}]}`)
	request, err := openrtb.Parse(body)
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range checker.RequestValue(request, body).Findings {
		fmt.Println(f.ID, f.Path, f.Offset)
	}
	// Output:
	// Imp.id.required /imp/0/id 17
}

func ExampleWithSeverity() {
	engine, err := schema.New(
		schema.WithSeverity("*", schema.Off),              // nothing but
		schema.WithSeverity("SupplyChain*", schema.Error), // supply chains
		schema.WithSeverity("Source.schain.recommended", schema.Warn),
	)
	if err != nil {
		log.Fatal(err)
	}
	report := engine.NewChecker().Request([]byte(`{"source":{"schain":{"complete":1,"ver":"1.0","nodes":[{"asi":"exchange.example"}]}}}`))
	for _, f := range report.Findings {
		fmt.Println(f.Severity.Level(), f.ID)
	}
	// Output:
	// error SupplyChainNode.sid.required
	// error SupplyChainNode.hp.present
}

// The rules about one object: which are part of the specification, and which are advice?
func ExampleRules() {
	for _, rule := range schema.Rules() {
		if rule.Object == "Pmp" && rule.Undecidable == "" {
			fmt.Println(rule.ID, rule.Section, rule.Severity.Level(), rule.Compliance())
		}
	}
	// Output:
	// Pmp.private_auction.flag 3.2.11 error true
	// Pmp.private.deals 3.2.11 warn false
	// Pmp.deals.unique 3.2.11 warn false
}

// A message that says that it is of OpenRTB 2.5 does not have the fields of later versions.
func ExampleWithVersion() {
	engine, err := schema.New(schema.WithSeverity("*", schema.Off), schema.WithSeverity("any.later-version", schema.Warn), schema.WithVersion("2.5"))
	if err != nil {
		log.Fatal(err)
	}
	report := engine.NewChecker().Request([]byte(`{"id":"1","imp":[{"id":"1","ssai":1}],"regs":{"coppa":0,"gdpr":1}}`))
	for _, f := range report.Findings {
		fmt.Println(f.Severity.Level(), f.Path)
	}
	// Output:
	// warn /imp/0/ssai
	// warn /regs/gdpr
}

// What does a rule ask for?
func ExampleRuleByID() {
	rule, known := schema.RuleByID("Imp.media")
	fmt.Println(known, rule.Section, rule.Severity.Level(), rule.Summary)
	// Output: true 3.1 error at least one of banner, video, audio, native is present
}

// A gateway that has decoded both messages checks the values: the bid alone, and against the
// request.
func ExampleChecker_PairValues() {
	engine, err := schema.New(schema.WithPreset(schema.Exchange))
	if err != nil {
		log.Fatal(err)
	}
	checker := engine.NewChecker()
	request := &openrtb.BidRequest{ID: "1", Imp: []openrtb.Imp{{ID: "a", BidFloor: new(2.0)}}}
	response := &openrtb.BidResponse{ID: "1", SeatBid: []openrtb.SeatBid{{Bid: []openrtb.Bid{{ID: "b", ImpID: "a", Price: new(1.5)}}}}}
	fmt.Println(checker.ResponseValue(response, nil).Valid())
	for _, f := range checker.PairValues(request, response, nil, nil).Findings {
		fmt.Println(f.ID, f.Path)
	}
	// Output:
	// true
	// Bid.price.floor /seatbid/0/bid/0/price
}

// Presets are named in flags and files.
func ExamplePresets() {
	fmt.Println(schema.Presets())
	// Output:
	// [strict exchange permissive admission]
}

// WithLenient is for programs that decode leniently: what is repaired is a warning.
func ExampleWithLenient() {
	for _, lenient := range []bool{false, true} {
		engine, err := schema.New(schema.WithPreset(schema.Exchange), schema.WithLenient(lenient))
		if err != nil {
			log.Fatal(err)
		}
		for _, f := range engine.NewChecker().Request([]byte(`{"id":"1","imp":[{"id":"a","banner":{"w":"300","h":250}}]}`)).Findings {
			rule, _ := schema.RuleByID(f.ID)
			fmt.Println(f.Severity.Level(), f.ID, f.Path, "section", rule.Section)
		}
	}
	// Output:
	// error any.type /imp/0/banner/w section 3.2
	// warn any.type /imp/0/banner/w section 3.2
}

func ExampleTopLevel() {
	fmt.Println(schema.TopLevel([]byte("imp")))
	fmt.Println(schema.TopLevel([]byte("seatbid")))
	fmt.Println(schema.TopLevel([]byte("id")))
	// Output:
	// true false
	// false true
	// true true
}

// A program that counts findings need not know where they are.
func ExampleWithoutPlaces() {
	engine, err := schema.New(schema.WithoutPlaces(true))
	if err != nil {
		panic(err)
	}
	report := engine.NewChecker().Request([]byte(`{"id":"1","imp":[]}`))
	fmt.Println(report.Counts[schema.Error], report.Findings[0].Offset)
	// Output: 1 -1
}

func ExampleIsCurrency() {
	fmt.Println(schema.IsCurrency("EUR"), schema.IsCurrency("eur"), schema.IsCurrency("XXX"))
	// Output: true false false
}

// Two workers count what they find; the counts of one are added to those of the other.
func ExampleTally() {
	engine, err := schema.New(schema.WithPreset(schema.Exchange), schema.WithoutPlaces(true))
	if err != nil {
		panic(err)
	}
	var one, other schema.Tally
	checker := engine.NewChecker()
	one.Add(checker.Request([]byte(`{"id":"1","imp":[{"banner":{"w":300,"h":250}},{"banner":{"w":300,"h":250}}]}`)).Findings)
	other.Add(checker.Request([]byte(`{"id":"2","imp":[{"banner":{"w":300,"h":250}}]}`)).Findings)
	one.Merge(&other)
	other.Reset()
	for _, r := range one.Rules() {
		fmt.Println(r.ID, r.Severity.Level(), r.Findings, "in", r.Reports)
	}
	// Output: Imp.id.required error 3 in 2
}

// A program that limits the size of documents reports one that it has not read.
func ExampleEngine_Finding() {
	engine, err := schema.New()
	if err != nil {
		panic(err)
	}
	f := engine.Finding("json.limit", "expected a document of at most 100 bytes")
	fmt.Println(f.Severity.Level(), f.ID, f.Message)
	// Output: error json.limit expected a document of at most 100 bytes
}
