package batch_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/rtbwire/rtbwire/batch"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/schema"
)

const twoRequests = `{"id":"1","imp":[{"id":"1","banner":{"w":300,"h":250}}]}
{"imp":[{"id":"1","banner":{"w":300,"h":250}}]}
`

// Check reports the documents that have findings, with their places, and counts the rest.
func ExampleCheck() {
	engine, err := schema.New(schema.WithPreset(schema.Permissive))
	if err != nil {
		panic(err)
	}
	inputs := []batch.Input{batch.From("bids.ndjson", strings.NewReader(twoRequests))}
	counts, err := batch.Check(context.Background(), engine, inputs, batch.Options{}, batch.Handler{
		Result: func(r *batch.Result) error {
			for _, f := range r.Findings {
				fmt.Printf("%s:%d: %v [%s] at %s\n", r.Input, f.Line, f.Severity.Level(), f.ID, f.Path)
			}
			return nil
		},
	})
	fmt.Println(counts.Documents, "documents,", counts.Invalid, "invalid,", err)
	// Output:
	// bids.ndjson:2: error [BidRequest.id.required] at /id
	// 2 documents, 1 invalid, <nil>
}

// With Judging, requests are judged by a configuration of package inspect, and refusals are counted
// by reason.
func ExampleCheck_judging() {
	judge, err := inspect.New(inspect.Config{})
	if err != nil {
		panic(err)
	}
	inputs := []batch.Input{batch.From("bids.ndjson", strings.NewReader(twoRequests))}
	var verdicts batch.Verdicts
	counts, err := batch.Check(context.Background(), new(schema.Engine), inputs,
		batch.Options{Judging: batch.Judging{Engine: judge}}, batch.Handler{Verdicts: &verdicts})
	fmt.Println(counts.Requests, "requests,", counts.Invalid, "refused,", err)
	for decision, n := range verdicts.Refused {
		fmt.Println(n, batch.RuleID(decision.Reason))
	}
	// Unordered output:
	// 2 requests, 2 refused, <nil>
	// 1 BidRequest.channel.present
	// 1 BidRequest.id.required
}

// A Tally counts findings by rule, over all documents.
func ExampleTally() {
	inputs := []batch.Input{batch.From("bids.ndjson", strings.NewReader(twoRequests+twoRequests))}
	var tally batch.Tally
	if _, err := batch.Check(context.Background(), nil, inputs, batch.Options{}, batch.Handler{Tally: &tally}); err != nil {
		panic(err)
	}
	for _, c := range tally.Rules() {
		if c.Severity == schema.Error {
			fmt.Println(c.ID, c.Findings)
		}
	}
	// Output:
	// BidRequest.id.required 2
}

// A Reader only finds the documents, here the elements of an array.
func ExampleReader() {
	r, err := batch.NewReader(batch.From("stdin", strings.NewReader(`[{"id":"1","imp":[]}, {"id":"2","seatbid":[]}]`)), batch.Options{})
	if err != nil {
		panic(err)
	}
	defer r.Close()
	for {
		doc, err := r.Next()
		if err == io.EOF {
			break
		} else if err != nil {
			panic(err)
		}
		fmt.Printf("%d:%d %v %s\n", doc.Line, doc.Column, doc.Type, doc.Data)
	}
	// Output:
	// 1:2 request {"id":"1","imp":[]}
	// 1:23 response {"id":"2","seatbid":[]}
}

// DetectType tells requests from responses without decoding them.
func ExampleDetectType() {
	fmt.Println(batch.DetectType([]byte(`{"id":"1","imp":[]}`)))
	fmt.Println(batch.DetectType([]byte(`{"id":"1","nbr":2}`)))
	fmt.Println(batch.DetectType([]byte(`{}`)))
	// Output:
	// request
	// response
	// response
}

// The files to check need not exist as files: Open can return anything that reads.
func ExampleInput() {
	in := batch.Input{
		Name: "generated",
		Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(twoRequests)), nil },
	}
	r, err := batch.NewReader(in, batch.Options{Layout: batch.LayoutLines})
	if err != nil {
		panic(err)
	}
	defer r.Close()
	doc, err := r.Next()
	fmt.Println(doc.Number, doc.Type, err)
	// Output: 1 request <nil>
}

// Layouts are read from text, as flags give them.
func ExampleParseLayout() {
	layout, err := batch.ParseLayout("values")
	fmt.Println(layout, err)
	_, err = batch.ParseLayout("csv")
	fmt.Println(err)
	// Output:
	// values <nil>
	// batch: unknown layout "csv" (want auto, lines or values)
}

// Progress tells another goroutine how far a check is.
func ExampleProgress() {
	var progress batch.Progress
	inputs := []batch.Input{batch.File("../testdata/corpus/responses.ndjson")}
	worst := 0
	_, err := batch.Check(context.Background(), nil, inputs, batch.Options{Progress: &progress}, batch.Handler{
		Result: func(r *batch.Result) error {
			if !r.Valid() {
				worst++
			}
			return nil
		},
	})
	fmt.Println(progress.Documents() > 700, progress.Read() > 100_000, worst > 10, err)
	// Output: true true true <nil>
}

// With Pairs, responses are compared with the requests that they answer.
func ExampleReadPairs() {
	engine, err := schema.New(schema.WithPreset(schema.Permissive), schema.WithSeverity("Bid.impid.ref", schema.Error))
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	requests := batch.From("requests.ndjson", strings.NewReader(twoRequests))
	pairs, err := batch.ReadPairs(ctx, requests, batch.Options{}, batch.PairLimits{})
	if err != nil {
		panic(err)
	}
	responses := `{"id":"1","seatbid":[{"bid":[{"id":"b","impid":"7","price":1}]}]}` + "\n" + `{"id":"2","nbr":2}`
	inputs := []batch.Input{batch.From("responses.ndjson", strings.NewReader(responses))}
	counts, err := batch.Check(ctx, engine, inputs, batch.Options{Pairs: pairs}, batch.Handler{
		Result: func(r *batch.Result) error {
			for _, f := range r.Findings {
				fmt.Printf("%s:%d: [%s] at %s\n", r.Input, f.Line, f.ID, f.Path)
			}
			return nil
		},
	})
	s := pairs.Stats()
	fmt.Println(counts.Pairs.Compared, "compared,", counts.Pairs.Lone, "without a request,", err)
	fmt.Println(s.Requests, "requests,", s.Nameless, "without id,", s.Unanswered, "without a response")
	// Output:
	// responses.ndjson:1: [Bid.impid.ref] at /seatbid/0/bid/0/impid
	// 1 compared, 1 without a request, <nil>
	// 1 requests, 1 without id, 0 without a response
}

// Rows have the verdict on each document and what tables of traffic are grouped by.
func ExampleCheck_rows() {
	inputs := []batch.Input{batch.From("bids.ndjson", strings.NewReader(twoRequests))}
	_, err := batch.Check(context.Background(), new(schema.Engine), inputs,
		batch.Options{Judging: batch.Judging{Engine: new(inspect.Engine)}},
		batch.Handler{Rows: func(rows []batch.Row) error {
			for _, r := range rows {
				fmt.Printf("%d: id %q, %s %s, %s of %dx%d\n", r.Line, r.ID, r.Action, r.Reason, r.Media, *r.Width, *r.Height)
			}
			return nil
		}})
	fmt.Println(err)
	// Output:
	// 1: id "1", refuse schema.BidRequest.channel.present, banner of 300x250
	// 2: id "", refuse schema.BidRequest.id.required, banner of 300x250
	// <nil>
}

// The text of a file, whether it is compressed or not.
func ExampleInput_Text() {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = io.WriteString(z, `{"id":"1"}`) // memory takes it all
	_ = z.Close()
	text, err := batch.From("bids.ndjson.gz", &packed).Text()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer text.Close()
	data, err := io.ReadAll(text)
	fmt.Println(string(data), err)
	// Output: {"id":"1"} <nil>
}

// A RowMaker makes the row of a request that was judged elsewhere, as a gateway judges it.
func ExampleRowMaker() {
	var engine inspect.Engine
	worker := engine.NewWorker()
	body := []byte(`{"id":"1","app":{"bundle":"com.example.a"}}`)
	facts := inspect.Facts{Partner: "exchange-a"}
	verdict := worker.Inspect(body, facts)
	var maker batch.RowMaker
	row := maker.Make(body, worker.Request(), &facts, &verdict)
	fmt.Println(row.Partner, row.AppBundle, row.Action, row.Reason)
	fmt.Println(maker.Size() > len(row.AppBundle))
	// Output:
	// exchange-a com.example.a refuse schema.BidRequest.imp.required
	// true
}
