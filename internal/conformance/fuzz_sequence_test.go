package conformance

import (
	"testing"

	"github.com/rtbwire/rtbwire/internal/oracle"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
)

// plan says how a sequence of documents is decoded. A fuzzer makes it from a number.
type plan uint32

func (p plan) count() int            { return 2 + int(p&3)%3 }
func (p plan) response(i int) bool   { return p>>(2+i)&1 != 0 }
func (p plan) keep(i int) bool       { return p>>(6+i)&1 != 0 } // release it only after the next one is decoded
func (p plan) mode(i int) int        { return int(p>>(10+2*i)&3) % len(modes) }
func (p plan) scribble(i int) byte   { return " x\"\\}0\xff\x00"[p>>(18+i)&7] } // what overwrites the text after the release
func (p plan) sameBuffer(i int) bool { return p>>(22+i)&1 == 0 }

// FuzzSequence decodes two to four documents one after the other, requests and responses mixed,
// with the same arena and the same decoders. Each result must be that of a new decoder: no
// document, accepted or refused, may change the result of a later one, nor of an earlier one that
// is still in use.
func FuzzSequence(f *testing.F) {
	list := seeds(f)
	r := testkit.Rand(11)
	some := func() []byte { return list[r.IntN(len(list))] }
	for i, seed := range list {
		if i%4 == 0 {
			f.Add(seed, some(), some(), some(), r.Uint32())
		}
	}
	for i, ending := range endings { // after an accepted document with escapes
		f.Add([]byte(`{"id":"a\nb","cur":["\ud83d\ude00"],"imp":[{},{"instl":1}],"x":"\\\\"}`), []byte(ending), []byte(`{}`), []byte(ending), uint32(i)<<10)
	}
	f.Fuzz(func(t *testing.T, a, b, c, d []byte, how uint32) {
		p := plan(how)
		docs := [][]byte{a, b, c, d}[:p.count()]
		for _, doc := range docs {
			if len(doc) > fuzzMax {
				return
			}
		}
		defer chooseKernel(a)()
		sequenceOfArenas(t, docs, p)
		sequenceOfValues(t, docs, p)
		sequenceOfDecoders(t, docs, p)
	})
}

// live is a document whose value is in use.
type live struct {
	text    []byte
	got     oracle.Outcome
	want    oracle.Outcome
	release func()
}

func (l *live) check(t *testing.T, when string) {
	t.Helper()
	if s := decodersDiffer(l.got, l.want); s != "" {
		t.Errorf("%s, %q: %s", when, l.text, s)
	}
}

// sequenceOfArenas uses pooled arenas, several at the same time if the plan keeps documents.
func sequenceOfArenas(t *testing.T, docs [][]byte, p plan) {
	var open []*live
	end := func(l *live, i int) {
		l.check(t, "before its release")
		l.release()
		for j := range l.text {
			l.text[j] = p.scribble(i)
		}
	}
	for i, doc := range docs {
		l := &live{text: append([]byte(nil), doc...), want: decodeFresh(p.response(i), 0, append([]byte(nil), doc...)), release: func() {}}
		if p.response(i) {
			v, err := openrtb.ParseResponseFastArena(l.text)
			l.got = outcome(v, nil, err)
			l.release = func() { openrtb.ReleaseResponseArena(v) }
		} else {
			v, err := openrtb.ParseFastArena(l.text)
			l.got = outcome(v, nil, err)
			l.release = func() { openrtb.ReleaseArena(v) }
		}
		l.check(t, "decoded")
		if open = append(open, l); p.keep(i) {
			continue
		}
		end(open[0], i) // not always the last one
		open = open[1:]
		for _, other := range open {
			other.check(t, "after the release of another")
		}
	}
	for i, l := range open {
		end(l, i)
	}
}

// sequenceOfValues keeps the results of Parse and ParseFast, which own their objects, until all are
// decoded. The text of Parse is overwritten at once.
func sequenceOfValues(t *testing.T, docs [][]byte, p plan) {
	var kept []*live
	keep := func(text, doc []byte, response bool, v any, err error) {
		kept = append(kept, &live{text: text, got: outcome(v, nil, err), want: decodeFresh(response, 0, append([]byte(nil), doc...))})
	}
	for i, doc := range docs {
		copied, shared := append([]byte(nil), doc...), append([]byte(nil), doc...)
		if p.response(i) {
			v, err := openrtb.ParseResponse(copied)
			keep(copied, doc, true, v, err)
			v, err = openrtb.ParseResponseFast(shared)
			keep(shared, doc, true, v, err)
		} else {
			v, err := openrtb.Parse(copied)
			keep(copied, doc, false, v, err)
			v, err = openrtb.ParseFast(shared)
			keep(shared, doc, false, v, err)
		}
		for j := range copied {
			copied[j] = p.scribble(i)
		}
	}
	for _, l := range kept {
		l.check(t, "at the end")
	}
}

// sequenceOfDecoders uses one decoder of each type and mode. The texts are in one buffer, so the
// rest of one text follows the next.
func sequenceOfDecoders(t *testing.T, docs [][]byte, p plan) {
	requests, responses := make([]*openrtb.Decoder, len(modes)), make([]*openrtb.ResponseDecoder, len(modes))
	for i, m := range modes {
		requests[i], responses[i] = openrtb.NewDecoder(m.options...), openrtb.NewResponseDecoder(m.options...)
	}
	decode := func(kind, mode int, text []byte) oracle.Outcome {
		if kind == 1 {
			v, err := responses[mode].Decode(text)
			return outcome(v, responses[mode].Saved(), err)
		}
		v, err := requests[mode].Decode(text)
		return outcome(v, requests[mode].Saved(), err)
	}
	var buffer [fuzzMax]byte
	var clone, first *openrtb.BidRequest
	for i, doc := range docs {
		text := buffer[:len(doc)]
		if !p.sameBuffer(i) {
			text = make([]byte, len(doc))
		}
		copy(text, doc)
		// With the decoders of default mode, which see every document, and of the plan's mode.
		for _, mode := range []int{0, p.mode(i)} {
			for kind := range 2 {
				want := decodeFresh(kind == 1, mode, append([]byte(nil), doc...))
				got := decode(kind, mode, text)
				if s := decodersDiffer(got, want); s != "" {
					t.Errorf("%d: %v, response %v: %q: %s", i, modes[mode].mode, kind == 1, doc, s)
				}
				if v, ok := got.Value.(*openrtb.BidRequest); ok && got.Fault == nil && clone == nil {
					clone, first = v.Clone(), want.Value.(*openrtb.BidRequest)
				}
			}
		}
	}
	if clone != nil {
		if s := oracle.Diff(clone, first); s != "" {
			t.Errorf("the clone of an earlier request has changed: %s", s)
		}
	}
}
