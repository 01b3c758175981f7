package schema_test

import (
	"fmt"

	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/wire"
)

// The decoded request is there before it is known by which rules it is judged.
func ExampleChecker_Judge() {
	strict, err := schema.New()
	if err != nil {
		panic(err)
	}
	permissive, err := schema.New(schema.WithPreset(schema.Permissive))
	if err != nil {
		panic(err)
	}
	checker := new(schema.Checker)
	checker.SetDecoding(wire.MaxSize(64 << 10))
	defer checker.Release()
	request, err := checker.Decode([]byte(`{"id":"1","test":7,"imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"id":"s"}}`))
	if err != nil {
		panic(err)
	}
	engine := strict
	if request.Site.ID == "s" { // the configuration depends on what was decoded
		engine = permissive
	}
	fmt.Println("errors:", checker.Judge(engine).Counts[schema.Error])
	// Output: errors: 0
}

// rates has one currency.
type rates struct{}

func (rates) USD(price float64, currency string) (dollars float64, known bool) {
	return 1.1 * price, currency == "EUR"
}

// A response is judged against the request that was decoded before it.
func ExampleChecker_JudgeResponse() {
	engine, err := schema.New(schema.WithPreset(schema.Exchange), schema.WithCurrencies(rates{}))
	if err != nil {
		panic(err)
	}
	checker := engine.NewChecker()
	if _, err := checker.Decode([]byte(`{"id":"1","imp":[{"id":"1","bidfloor":2,"banner":{"w":300,"h":250}}]}`)); err != nil {
		panic(err)
	}
	defer checker.ReleaseResponse()
	response, err := checker.DecodeResponse([]byte(`{"id":"1","cur":"EUR","seatbid":[{"bid":[{"id":"a","id":"b","impid":"1","price":1}]}]}`))
	if err != nil {
		panic(err)
	}
	fmt.Println("bids:", len(response.SeatBid[0].Bid), "a key may be there twice:", checker.ResponseNotes()&wire.NoteDuplicateKey != 0)
	for _, f := range checker.JudgeResponse(nil).Findings {
		fmt.Println(f.ID, "at", f.Path)
	}
	// Output:
	// bids: 1 a key may be there twice: true
	// any.duplicate-key at /seatbid/0/bid/0/id
	// Bid.price.floor at /seatbid/0/bid/0/price
}
