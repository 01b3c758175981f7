package openrtb_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/openrtb"
)

// This file is about what keeps a text alive. Each test gives a text away, ends its use, runs the collector once, and
// wants a cleanup of the text to run. Whatever was used to decode is still there then: arenas and decoders because the
// test holds them, what is in the pools because they survive one collection.

// watched copies a text, and returns a channel that is closed when the copy was collected.
func watched(text []byte) (data []byte, collected chan struct{}) {
	data = append(make([]byte, 0, max(len(text), 64)), text...) // below 16 bytes, several values share memory
	collected = make(chan struct{})
	runtime.AddCleanup(&data[:1][0], func(c chan struct{}) { close(c) }, collected)
	return data, collected
}

// gone runs the collector once and reports whether the text was collected.
func gone(collected chan struct{}) bool {
	runtime.GC()
	select {
	case <-collected:
		return true
	case <-time.After(2 * time.Second):
		return false
	}
}

// idleCases are texts that leave something behind in every kind of memory that a decoder has.
var idleCases = []struct{ name, text string }{
	{"tagged", string(tagged(5, 3))},
	{"growing", string(tagged(5, 40))},
	{"strings", `{"bcat":["a","b","c","d","e","f","g","h","i"],"cur":["x"],"wseat":["y","z"]}`},
	{"escapes", `{"id":"\n","cur":["a\tb","c"],"\u0078":1,"user":{"data":[{"id":"\/"}]}}`},
	{"ext", `{"ext":{"a":[1,2]},"imp":[{"ext":"x","banner":{"ext":[]}}],"site":{"ext":0.5}}`},
	{"members twice", `{"id":"a","id":"b","site":{"id":"c"},"site":{"name":"d"},"imp":[{"id":"e"},{"id":"f"}],"imp":[{"id":"g"}],"cur":["h"],"cur":["i","j"]}`},
	{"members taken back", `{"id":"a","id":null,"site":{"id":"c"},"site":null,"imp":[{"id":"e"}],"imp":null,"cur":["h"],"cur":null,"ext":"x","ext":null}`},
	{"refused at the end", `{"id":"a","site":{"id":"c"},"imp":[{"id":"e","ext":"x"}],"cur":["h"]}x`},
	{"refused in an array of objects", `{"id":"a","imp":[{"id":"e"},{"id":"f"},{"id":"g"},{"id":"h"},{"id":"i","banner":{"id":"j"}},5]}`},
	{"refused in an array of strings", `{"id":"a","cur":["a","b","c","d","e","f","g",5]}`},
	{"refused in an array of strings, for an escape", `{"id":"a","cur":["a","b","\x"]}`},
	{"refused in an array of strings, for a comma", `{"id":"a","cur":["a","b" "c"]}`},
	{"refused in an object", `{"site":{"publisher":{"id":"a","name":"b","ext":{},"cat":["c"],"domain":0}}}`},
	{"refused for its memory", `{"id":"a","imp":[` + strings.Repeat(`{},`, 30_000) + `{"id":"b"}]}`},
	{"refused before it is read", `{"id":"a"`},
	{"put right", `{"id":5,"cur":"USD","imp":{"id":6,"secure":"1"}}`},
}

// TestIdleArenaKeepsNoText releases requests and keeps the arenas.
func TestIdleArenaKeepsNoText(t *testing.T) {
	for _, c := range idleCases {
		if poisoned && strings.HasPrefix(c.name, "members") {
			continue // what nobody can reach any more is not poisoned; nor is the arena used again
		}
		data, collected := watched([]byte(c.text))
		v, err := openrtb.ParseFastArena(data)
		if err != nil {
			continue // nothing to hold the arena by; the decoder of the next test has the same memory
		}
		openrtb.ReleaseArena(v)
		if !gone(collected) {
			t.Fatalf("%s: the text is still there after the release", c.name)
		}
		runtime.KeepAlive(v) // it points into the arena
	}
	data, collected := watched(taggedResponse(5, 9))
	w, err := openrtb.ParseResponseFastArena(data)
	if err != nil {
		t.Fatal(err)
	}
	openrtb.ReleaseResponseArena(w)
	if !gone(collected) {
		t.Error("a response's text is still there after the release")
	}
	runtime.KeepAlive(w)
}

// TestIdleDecoderKeepsNoText decodes something else, or resets, and keeps the decoder.
func TestIdleDecoderKeepsNoText(t *testing.T) {
	next := []byte(`{"id":"next"}`)
	for _, m := range modes {
		d, rd := openrtb.NewDecoder(m.options...), openrtb.NewResponseDecoder(m.options...)
		for _, c := range idleCases {
			data, collected := watched([]byte(c.text))
			_, _ = d.Decode(data)
			if _, err := d.Decode(next); err != nil {
				t.Fatal(err)
			}
			if !gone(collected) {
				t.Fatalf("%s, %v: the text is still there after the next one", c.name, m.mode)
			}
			data, collected = watched([]byte(c.text))
			_, _ = d.Decode(data)
			d.Reset()
			if !gone(collected) {
				t.Fatalf("%s, %v: the text is still there after Reset", c.name, m.mode)
			}
		}
		data, collected := watched(taggedResponse(5, 9))
		_, _ = rd.Decode(data)
		rd.Reset()
		if !gone(collected) {
			t.Errorf("%v: a response's text is still there after Reset", m.mode)
		}
		runtime.KeepAlive(d)
		runtime.KeepAlive(rd)
	}
}

// TestDroppedResultKeepsNoText drops results, and errors are kept: they have copies of what they say.
func TestDroppedResultKeepsNoText(t *testing.T) {
	for _, c := range idleCases {
		for _, parse := range []struct {
			name string
			f    func([]byte) (*openrtb.BidRequest, error)
		}{{"Parse", openrtb.Parse}, {"ParseFast", openrtb.ParseFast}} {
			data, collected := watched([]byte(c.text))
			v, err := parse.f(data)
			if err == nil && mem.ZeroCopy && parse.name == "ParseFast" && c.name == "tagged" {
				select { // it is not collected for another reason than that it was dropped
				case <-collected:
					t.Fatal("the text was collected under its value")
				case <-time.After(time.Millisecond):
				}
				runtime.KeepAlive(v)
			}
			if !gone(collected) {
				t.Fatalf("%s, %s: the text is still there", c.name, parse.name)
			}
			runtime.KeepAlive(err)
		}
	}
}

// TestOwnersKeepNoText keeps what owns its memory, while the text goes.
func TestOwnersKeepNoText(t *testing.T) {
	data, collected := watched(tagged(5, 9))
	owned, err := openrtb.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	v, err := openrtb.ParseFastArena(data)
	if err != nil {
		t.Fatal(err)
	}
	clone := v.Clone()
	openrtb.ReleaseArena(v)
	if !gone(collected) {
		t.Error("a result of Parse, or a clone, keeps the text")
	}
	for _, v := range []*openrtb.BidRequest{owned, clone} {
		if s := checkTagged(v, 5, leaves(9)); s != "" {
			t.Error(s)
		}
	}
}
