package openrtb_test

import (
	"testing"

	"github.com/rtbwire/rtbwire/internal/twin"
	"github.com/rtbwire/rtbwire/openrtb"
)

// This file fuzzes what one document leaves behind for the next: in an arena, a decoder, an index, a buffer. What shows
// only in a sequence is what the tests of single documents cannot see.

// plan says how a sequence goes; a fuzzer makes it out of a number.
type plan uint32

func (p plan) count() int            { return 2 + int(p&3)%3 }
func (p plan) response(i int) bool   { return p>>(2+i)&1 != 0 }
func (p plan) keep(i int) bool       { return p>>(6+i)&1 != 0 } // not released before the next one is decoded
func (p plan) mode(i int) int        { return int(p>>(10+2*i)&3) % len(modes) }
func (p plan) scribble(i int) byte   { return " x\"\\}0\xff\x00"[p>>(18+i)&7] } // over the text, after the release
func (p plan) sameBuffer(i int) bool { return p>>(22+i)&1 == 0 }

// FuzzSequence decodes two to four documents one after the other, requests and responses mixed, in the same arena and by
// the same decoders. Each result has to be that of a new decoder: nothing of an earlier document, accepted or refused,
// may be visible in a later one, and nothing of a later one in an earlier one that is still in use.
func FuzzSequence(f *testing.F) {
	list := seeds(f)
	r := newRand(11)
	some := func() []byte { return list[r.IntN(len(list))] }
	for i, seed := range list {
		if i%4 == 0 {
			f.Add(seed, some(), some(), some(), r.Uint32())
		}
	}
	for i, ending := range endings { // right after something that is accepted and has escapes
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
		defer chooseLevel(a)()
		sequenceOfArenas(t, docs, p)
		sequenceOfValues(t, docs, p)
		sequenceOfDecoders(t, docs, p)
	})
}

// live is a document that was decoded into an arena and is not released yet.
type live struct {
	text    []byte
	got     decoding
	want    decoding
	release func()
}

func (l *live) check(t *testing.T, when string) {
	t.Helper()
	if s := l.got.diff(l.want); s != "" {
		t.Errorf("%s, %q: %s", when, l.text, s)
	}
}

// sequenceOfArenas uses the arenas of the pool, several of them at the same time if the plan keeps documents.
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
			l.got = decodingOf(v, nil, err)
			l.release = func() { openrtb.ReleaseResponseArena(v) }
		} else {
			v, err := openrtb.ParseFastArena(l.text)
			l.got = decodingOf(v, nil, err)
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

// sequenceOfValues keeps the results of Parse and ParseFast, which own their objects, until all are decoded. The text of
// Parse is the caller's again at once.
func sequenceOfValues(t *testing.T, docs [][]byte, p plan) {
	var kept []*live
	keep := func(text, doc []byte, response bool, v any, err error) {
		kept = append(kept, &live{text: text, got: decodingOf(v, nil, err), want: decodeFresh(response, 0, append([]byte(nil), doc...))})
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

// sequenceOfDecoders uses one decoder of each type and mode. The texts lie in one buffer, so that what is behind a text
// is the rest of the one before.
func sequenceOfDecoders(t *testing.T, docs [][]byte, p plan) {
	requests, responses := make([]*openrtb.Decoder, len(modes)), make([]*openrtb.ResponseDecoder, len(modes))
	for i, m := range modes {
		requests[i], responses[i] = openrtb.NewDecoder(m.options...), openrtb.NewResponseDecoder(m.options...)
	}
	decode := func(kind, mode int, text []byte) decoding {
		if kind == 1 {
			v, err := responses[mode].Decode(text)
			return decodingOf(v, responses[mode].Saved(), err)
		}
		v, err := requests[mode].Decode(text)
		return decodingOf(v, requests[mode].Saved(), err)
	}
	var buffer [fuzzMax]byte
	var clone, first *openrtb.BidRequest
	for i, doc := range docs {
		text := buffer[:len(doc)]
		if !p.sameBuffer(i) {
			text = make([]byte, len(doc))
		}
		copy(text, doc)
		// By the decoders of the plan's mode, and by those of default mode, which see every document.
		for _, mode := range []int{0, p.mode(i)} {
			for kind := range 2 {
				want := decodeFresh(kind == 1, mode, append([]byte(nil), doc...))
				got := decode(kind, mode, text)
				if s := got.diff(want); s != "" {
					t.Errorf("%d: %v, response %v: %q: %s", i, modes[mode].mode, kind == 1, doc, s)
				}
				if v, ok := got.value.(*openrtb.BidRequest); ok && got.err == nil && clone == nil {
					clone, first = v.Clone(), want.value.(*openrtb.BidRequest)
				}
			}
		}
	}
	if clone != nil {
		if s := twin.Diff(clone, first); s != "" {
			t.Errorf("the clone of an earlier request has changed: %s", s)
		}
	}
}
