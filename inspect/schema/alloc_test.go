package schema

import (
	"reflect"
	"testing"

	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/internal/seen"
	"github.com/rtbwire/rtbwire/openrtb"
)

// allocs runs a check until its memory is warm, and then counts.
func allocs(t *testing.T, name string, check func() Report) {
	t.Helper()
	if !mem.ZeroCopy {
		t.Skip("this build copies the strings that it reads out of an ext and out of payloads")
	}
	for range 2 {
		check()
	}
	if n := testing.AllocsPerRun(5, func() {
		if r := check(); len(r.Findings) != 0 {
			t.Fatalf("%s:%s", name, describe(r))
		}
	}); n != 0 {
		t.Errorf("%s allocates %v times", name, n)
	}
}

// TestAllocations checks that documents without findings cost no memory, decoded or not.
func TestAllocations(t *testing.T) {
	c := strict(t)
	for _, base := range []string{"site", "app", "dooh"} {
		data := clean(t, base)
		v := mustRequest(t, data)
		allocs(t, "RequestValue of "+base, func() Report { return c.RequestValue(v, data) })
		allocs(t, "RequestValue of "+base+" without text", func() Report { return c.RequestValue(v, nil) })
		if mem.ZeroCopy { // else the decoder copies strings
			allocs(t, "Request of "+base, func() Report { return c.Request(data) })
		}
		allocs(t, "the text layer on "+base, func() Report {
			c.begin(data, nil)
			if !c.text(Request, objBidRequest) {
				t.Fatal("not read")
			}
			return c.finish()
		})
	}
	for _, base := range []string{"response", "answer"} {
		data := clean(t, base)
		v := mustResponse(t, data)
		allocs(t, "ResponseValue of "+base, func() Report { return c.ResponseValue(v, data) })
		if mem.ZeroCopy { // else the decoder copies strings
			allocs(t, "Response of "+base, func() Report { return c.Response(data) })
		}
	}
	request, response := clean(t, "site"), clean(t, "answer")
	req, resp := mustRequest(t, request), mustResponse(t, response)
	allocs(t, "PairValues", func() Report { return c.PairValues(req, resp, request, response) })
	if mem.ZeroCopy { // else the decoder copies strings
		allocs(t, "Pair", func() Report { return c.Pair(request, response) })
	}
}

// TestAllocationsOff checks that rules that are off cost no memory either, whatever the document:
// an engine without rules checks the whole corpus.
func TestAllocationsOff(t *testing.T) {
	c := strict(t, WithSeverity("*", Off))
	var values []*openrtb.BidRequest
	for _, data := range corpus(t, "requests") {
		if v, err := openrtb.Parse(data); err == nil {
			values = append(values, v)
		}
	}
	if len(values) < 1900 {
		t.Fatalf("%d requests", len(values))
	}
	for _, v := range values {
		allocs(t, "RequestValue of "+v.ID, func() Report { return c.RequestValue(v, nil) })
	}
	var answers []*openrtb.BidResponse
	for _, data := range corpus(t, "responses") {
		if v, err := openrtb.ParseResponse(data); err == nil {
			answers = append(answers, v)
		}
	}
	for i, v := range answers {
		allocs(t, "ResponseValue of "+v.ID, func() Report { return c.ResponseValue(v, nil) })
		allocs(t, "PairValues of "+v.ID, func() Report { return c.PairValues(values[i], v, nil, nil) })
	}
}

// TestMemoryIsReleased checks that a checker does not keep the memory of a large document.
func TestMemoryIsReleased(t *testing.T) {
	c := strict(t, WithMaxFindings(MaxFindingsDefault))
	for _, kind := range []string{"currencies", "duplicates", "wrong types", "unknown keys", "strings that are no Unicode", "one long native request"} {
		c.Request(hostile(kind, hostileSize))
	}
	for i := range c.docs {
		d := &c.docs[i]
		if cap(d.nodes) > keptMax || cap(d.edits) > keptMax || cap(d.patch) > keptMax || d.data != nil {
			t.Errorf("document %d keeps %d nodes, %d edits, %d bytes", i, cap(d.nodes), cap(d.edits), cap(d.patch))
		}
	}
	if cap(c.json.bytes) > keptMax || cap(c.numbers) > keptMax || cap(c.memory.inner) > keptMax || namesKept(&c.seen.Groups) > keptMax || namesKept(&c.memory.keys) > keptMax || c.pairs.lists.hashed != nil {
		t.Error("the checker keeps a part of the document")
	}
}

// namesKept returns how many names g has room for.
func namesKept(g *seen.Groups) int {
	return reflect.ValueOf(g).Elem().FieldByName("names").Cap()
}
