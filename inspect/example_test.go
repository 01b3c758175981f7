package inspect_test

import (
	"fmt"
	"net/netip"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

var (
	banner  = []byte(`{"id":"1","imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"id":"s"}}`)
	noImpID = []byte(`{"id":"1","imp":[{"banner":{"w":300,"h":250}}],"site":{"id":"s"}}`)
)

func Example() {
	engine, err := inspect.New(inspect.Config{})
	if err != nil {
		panic(err)
	}
	worker := engine.NewWorker() // one for each goroutine
	for _, body := range [][]byte{banner, noImpID, []byte(`{"id":`)} {
		v := worker.Inspect(body, inspect.Facts{Peer: netip.MustParseAddr("192.0.2.1")})
		fmt.Println(v.Action, v.Reason, int(v.NBR))
		for _, f := range v.Findings {
			fmt.Printf("  %v %s at %q, byte %d: %s\n", f.Severity, f.ID, f.Path, f.Offset, f.Message)
		}
	}
	// Output:
	// forward  0
	// refuse schema.Imp.id.required 2
	//   refuse schema.Imp.id.required at "/imp/0/id", byte 17: required field id is missing or empty
	// refuse json.truncated 2
	//   refuse json.truncated at "/id", byte 6: expected value, found end of document
}

// The decoded request is there before the verdict, for programs that have to look at it first.
func ExampleWorker_Decode() {
	worker := new(inspect.Worker) // the default engine
	facts := inspect.Facts{}
	if err := worker.Decode(banner); err == nil {
		facts.Seen = worker.Request().ID == "1" // ask a window here
	}
	v := worker.Judge(facts)
	fmt.Println(v.Action)
	// Output: forward
}

// Layers change severities for everybody, for a partner, and for a publisher of a partner.
func ExampleNew() {
	engine, err := inspect.New(inspect.Config{
		Global:   inspect.Layer{Severities: []inspect.Setting{{Reasons: "*.deprecated", Severity: inspect.Off}}},
		Decoding: []wire.Option{wire.MaxSize(256 << 10)},
		Partners: map[string]inspect.Partner{
			"exchange-a": {Layer: inspect.Layer{Severities: []inspect.Setting{{Reasons: "Imp.id.required", Severity: inspect.Warn}}}},
		},
	})
	if err != nil {
		panic(err)
	}
	worker := engine.NewWorker()
	for _, partner := range []string{"exchange-a", "exchange-b"} {
		fmt.Println(partner, worker.Inspect(noImpID, inspect.Facts{Partner: partner}).Action)
	}
	// Output:
	// exchange-a forward
	// exchange-b refuse
}

// A layer in shadow is evaluated and counted, and refuses nothing.
func ExampleLayer() {
	engine, err := inspect.New(inspect.Config{Global: inspect.Layer{Shadow: true}})
	if err != nil {
		panic(err)
	}
	v := engine.NewWorker().Inspect(noImpID, inspect.Facts{})
	fmt.Println(v.Action, "instead of", v.Shadow.Action, v.Shadow.Reason)
	// Output: forward instead of refuse schema.Imp.id.required
}

func ExampleVerdict_Apply() {
	engine, err := inspect.New(inspect.Config{Annotate: true})
	if err != nil {
		panic(err)
	}
	v := engine.NewWorker().Inspect(banner, inspect.Facts{})
	out, err := v.Apply(nil, banner)
	fmt.Println(string(out), err)
	// Output: {"id":"1","imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"id":"s"},"ext":{"rtbwire":{"action":"forward","reason":"","score":0}}} <nil>
}

// A holder replaces the engine of running workers, on reload.
func ExampleHolder() {
	holder := new(inspect.Holder)
	worker := holder.NewWorker()
	fmt.Println(worker.Inspect(noImpID, inspect.Facts{}).Action)
	engine, err := inspect.New(inspect.Config{Preset: "permissive", Global: inspect.Layer{
		Severities: []inspect.Setting{{Reasons: "*.required", Severity: inspect.Observe}},
	}})
	if err != nil {
		panic(err)
	}
	holder.Swap(engine)
	fmt.Println(worker.Inspect(noImpID, inspect.Facts{}).Action)
	// Output:
	// refuse
	// forward
}

func ExampleReasonByID() {
	r, _ := inspect.ReasonByID("limit.size")
	fmt.Println(r.Inspector, r.Severity, int(r.NBR), r.Text)
	fmt.Println(inspect.NoBidReasonText(r.NBR))
	// Output:
	// decode refuse 500 document too long
	// the request is beyond a limit of the receiver (size, elements, memory, work)
}

func ExampleReasons() {
	fmt.Println(inspect.Reasons()[0].ID)
	// Output: json.syntax
}

func ExampleOwnNoBidReasons() {
	for _, r := range inspect.OwnNoBidReasons() {
		fmt.Println(int(r.NBR), r.Text)
	}
	// Output:
	// 500 the request is beyond a limit of the receiver (size, elements, memory, work)
	// 501 a rule of the receiver refuses the request
	// 502 no bid of the answer may be sent
}

func ExampleParseSeverity() {
	for _, word := range []string{"refuse", "error", "observe", "info"} {
		s, err := inspect.ParseSeverity(word)
		fmt.Println(s, err)
	}
	// Output:
	// refuse <nil>
	// refuse <nil>
	// observe <nil>
	// observe <nil>
}

func ExampleSampleOf() {
	worker := new(inspect.Worker)
	if err := worker.Decode(banner); err != nil {
		panic(err)
	}
	fmt.Printf("%.4f\n", inspect.SampleOf(worker.Request(), banner))
	// Output: 0.4852
}

// cheap is a condition. Package condition makes them from text.
type cheap struct{}

func (cheap) Holds(in *rule.Input) (bool, error) {
	for i := range in.Request.Imp {
		if floor := in.Request.Imp[i].BidFloor; floor == nil || *floor < 0.1 {
			return true, nil
		}
	}
	return false, nil
}

// Rules of a partner's layer are asked for that partner alone.
func ExampleRule() {
	rule := inspect.Rule{Name: "floor-too-low", When: cheap{}, Message: "a floor is below 0.1"}
	engine, err := inspect.New(inspect.Config{Partners: map[string]inspect.Partner{
		"exchange-a": {Layer: inspect.Layer{Rules: []inspect.Rule{rule}}},
	}})
	if err != nil {
		panic(err)
	}
	worker := engine.NewWorker()
	for _, partner := range []string{"exchange-a", "exchange-b"} {
		v := worker.Inspect(banner, inspect.Facts{Partner: partner})
		fmt.Println(partner, v.Action, v.Reason, int(v.NBR))
		for _, e := range v.Errors {
			fmt.Println("count an error of", e.ID)
		}
	}
	r, _ := engine.ReasonByID("policy.floor-too-low")
	fmt.Printf("%s, of %s\n", r.Text, r.Layer)
	// Output:
	// exchange-a refuse policy.floor-too-low 501
	// exchange-b forward  0
	// a floor is below 0.1, of partner "exchange-a"
}

// removeSite is a program, and as it needs no memory its own editor.
type removeSite struct{}

func (p removeSite) NewEditor() rule.Editor { return p }

func (removeSite) Append(edits []wire.Edit, _ []byte, _ *openrtb.BidRequest) ([]wire.Edit, error) {
	return append(edits, wire.Remove("/site")), nil
}

// A scrub changes what is forwarded.
func ExampleScrub() {
	engine, err := inspect.New(inspect.Config{Global: inspect.Layer{
		Scrubs: []inspect.Scrub{{Name: "site", When: cheap{}, Program: removeSite{}}},
	}})
	if err != nil {
		panic(err)
	}
	v := engine.NewWorker().Inspect(banner, inspect.Facts{})
	out, err := v.Apply(nil, banner)
	fmt.Println(v.Action, v.Scrubs, string(out), err)
	// Output: forward [site] {"id":"1","imp":[{"id":"1","banner":{"w":300,"h":250}}]} <nil>
}

// A response is judged against the request. What a gateway enforces is what Apply leaves.
func ExampleWorker_JudgeResponse() {
	worker := new(inspect.Worker)
	if err := worker.Decode([]byte(`{"id":"1","imp":[{"id":"1","bidfloor":2,"banner":{"w":300,"h":250}}],"badv":["bad.example"]}`)); err != nil {
		panic(err)
	}
	body := []byte(`{"id":"1","seatbid":[{"bid":[{"id":"a","impid":"1","price":1},{"id":"b","impid":"1","price":3}]}]}`)
	v := worker.JudgeResponse(body, inspect.Facts{})
	for _, b := range v.Removed {
		fmt.Printf("bid %d of seat %d: %s\n", b.Bid, b.Seat, b.Reason)
	}
	out, err := v.Apply(nil, body)
	if v.Action == inspect.ActionRefuse || err != nil {
		panic("no bid is left")
	}
	fmt.Printf("%s\n", out)
	// Output:
	// bid 0 of seat 0: response.Bid.price.floor
	// {"id":"1","seatbid":[{"bid":[{"id":"b","impid":"1","price":3}]}]}
}
