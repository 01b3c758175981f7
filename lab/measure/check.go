package measure

import (
	"encoding/json"
	"fmt"

	"github.com/rtbwire/rtbwire/lab/data"
	"github.com/rtbwire/rtbwire/lab/engine"
	"github.com/rtbwire/rtbwire/openrtb"
)

// Check returns what an engine gets wrong, "" for nothing: every document has to decode to what
// encoding/json reads, and encoding/json has to read the same from what the engine writes. An
// engine that fails is reported and not timed.
func (b *Bench) Check(e *engine.Engine, s *data.Set, op Op) (wrong string) {
	defer func() {
		if r := recover(); r != nil {
			wrong = fmt.Sprintf("panics: %.200v", r)
		}
	}()
	failed, first := 0, ""
	for i, text := range s.Docs {
		if op == Encode && i%(1+len(s.Docs)/200) != 0 {
			continue // checking what is written takes long, so that some documents have to do
		}
		if d := b.checkOne(e, s, op, i, text); d != "" {
			if failed++; failed == 1 {
				first = fmt.Sprintf("document %d: %s", i, d)
			}
		}
	}
	if failed == 0 {
		return ""
	}
	if len(s.Docs) == 1 {
		return first[len("document 0: "):]
	}
	return fmt.Sprintf("%d of %d documents, the first: %s", failed, len(s.Docs), first)
}

// expected has what encoding/json reads from a document.
type expected struct {
	value, normal any
	fields        engine.Fields
	err           error
}

// expectedOf returns what encoding/json reads from a set's documents.
func (b *Bench) expectedOf(s *data.Set) []expected {
	if b.expected == nil {
		b.expected = map[string][]expected{}
	}
	if w, ok := b.expected[s.Name]; ok {
		return w
	}
	plain, _ := engine.Find(engine.All(), "encoding-json")
	want := make([]expected, len(s.Docs))
	for i, text := range s.Docs {
		w := &want[i]
		if w.value, w.err = Reference(text, s.Response); w.err != nil {
			continue
		}
		w.normal = normal(w.value)
		if !s.Response {
			w.err = plain.Fields(text, &w.fields)
		}
	}
	b.expected[s.Name] = want
	return want
}

func (b *Bench) checkOne(e *engine.Engine, s *data.Set, op Op, i int, text []byte) string {
	want := &b.expectedOf(s)[i]
	if want.err != nil {
		return "encoding/json: " + want.err.Error()
	}
	c := codec(e, s)
	switch op {
	case Decode, Encode:
		got, err := valueOf(c, text, s.Response)
		if err != nil {
			return "refused: " + short(err.Error())
		}
		if c.Release != nil {
			defer c.Release(got)
		}
		if op == Decode {
			return engine.Diff(got, want.value)
		}
		out, err := c.Encode(nil, got)
		if err != nil {
			return "not written: " + short(err.Error())
		}
		back, err := Reference(out, s.Response)
		if err != nil {
			return "wrote what encoding/json refuses: " + short(err.Error())
		}
		return engine.Diff(normal(back), want.normal)
	case Partial:
		var got engine.Fields
		if err := e.Fields(text, &got); err != nil {
			return "refused: " + short(err.Error())
		}
		return engine.Diff(got, want.fields)
	default:
		if !e.Validate(text) {
			return "refused"
		}
		return ""
	}
}

// Reference returns what encoding/json reads.
func Reference(text []byte, response bool) (any, error) {
	var v any = new(openrtb.BidRequest)
	if response {
		v = new(openrtb.BidResponse)
	}
	return v, json.Unmarshal(text, v)
}

// normal writes and reads a value with encoding/json. Empty slices and spaces in ext, which
// encoders write in different ways, are the same afterwards.
func normal(v any) any {
	text, err := json.Marshal(v)
	if err != nil {
		return v
	}
	_, response := v.(*openrtb.BidResponse)
	back, err := Reference(text, response)
	if err != nil {
		return v
	}
	return back
}

func short(s string) string {
	if len(s) > 200 {
		return s[:200] + "..."
	}
	return s
}

// Laxity counts the broken requests that an engine accepts, by what is wrong with them.
type Laxity struct {
	Accepted, Of map[string]int
}

// Accepts decodes broken requests and counts those that the engine accepts.
func Accepts(e *engine.Engine, broken []data.Broken) Laxity {
	l := Laxity{map[string]int{}, map[string]int{}}
	for _, r := range broken {
		l.Of[r.Fault]++
		if accepts(e, r.Text) {
			l.Accepted[r.Fault]++
		}
	}
	return l
}

func accepts(e *engine.Engine, text []byte) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	if e.Request.Decode == nil {
		return e.Fields(text, new(engine.Fields)) == nil
	}
	v, err := e.Request.Decode(text)
	if err == nil && e.Request.Release != nil {
		e.Request.Release(v)
	}
	return err == nil
}
