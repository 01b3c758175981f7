package conformance

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
)

// These tests are about what keeps a text alive. Each test gives a text away, ends its use, runs
// the collector once, and expects the text's cleanup to run. What decoded the text is still alive
// then: the tests hold the arenas and decoders, and pools survive one collection.

// watched returns a copy of a text, and a channel that is closed when the copy is collected.
func watched(text []byte) (data []byte, collected chan struct{}) {
	data = append(make([]byte, 0, max(len(text), 64)), text...) // values below 16 bytes may share memory
	collected = make(chan struct{})
	runtime.AddCleanup(&data[:1][0], func(c chan struct{}) { close(c) }, collected)
	return data, collected
}

// gone runs the collector once and reports whether the text was collected. The cleanup runs soon
// after, unless the machine is busy; only a text that is kept takes the whole minute.
func gone(collected chan struct{}) bool {
	runtime.GC()
	select {
	case <-collected:
		return true
	case <-time.After(time.Minute):
		return false
	}
}

// idleCases are texts that use every kind of memory that a decoder has.
var idleCases = []struct{ name, text string }{
	{"tagged", string(testkit.TaggedRequest(5, 3))},
	{"growing", string(testkit.TaggedRequest(5, 40))},
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
	{"repaired", `{"id":5,"cur":"USD","imp":{"id":6,"secure":"1"}}`},
}

// TestIdleArenaKeepsNoText releases requests and keeps the arenas.
func TestIdleArenaKeepsNoText(t *testing.T) {
	for _, c := range idleCases {
		if testkit.Poisoned && strings.HasPrefix(c.name, "members") {
			continue // unreachable values are not poisoned, and the arena is not used again
		}
		data, collected := watched([]byte(c.text))
		v, err := openrtb.ParseFastArena(data)
		if err != nil {
			continue // nothing holds the arena; TestIdleDecoderKeepsNoText has the same case
		}
		openrtb.ReleaseArena(v)
		if !gone(collected) {
			t.Fatalf("%s: the text is still alive after the release", c.name)
		}
		runtime.KeepAlive(v) // it points into the arena
	}
	data, collected := watched(testkit.TaggedResponse(5, 9))
	w, err := openrtb.ParseResponseFastArena(data)
	if err != nil {
		t.Fatal(err)
	}
	openrtb.ReleaseResponseArena(w)
	if !gone(collected) {
		t.Error("a response's text is still alive after the release")
	}
	runtime.KeepAlive(w)
}

// TestIdleDecoderKeepsNoText decodes another document, or calls Reset, and keeps the decoder.
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
				t.Fatalf("%s, %v: the text is still alive after the next document", c.name, m.mode)
			}
			data, collected = watched([]byte(c.text))
			_, _ = d.Decode(data)
			d.Reset()
			if !gone(collected) {
				t.Fatalf("%s, %v: the text is still alive after Reset", c.name, m.mode)
			}
		}
		data, collected := watched(testkit.TaggedResponse(5, 9))
		_, _ = rd.Decode(data)
		rd.Reset()
		if !gone(collected) {
			t.Errorf("%v: a response's text is still alive after Reset", m.mode)
		}
		runtime.KeepAlive(d)
		runtime.KeepAlive(rd)
	}
}

// TestDroppedResultKeepsNoText drops results and keeps errors, which have copies of what they say.
func TestDroppedResultKeepsNoText(t *testing.T) {
	for _, c := range idleCases {
		for _, parse := range []struct {
			name string
			f    func([]byte) (*openrtb.BidRequest, error)
		}{{"Parse", openrtb.Parse}, {"ParseFast", openrtb.ParseFast}} {
			data, collected := watched([]byte(c.text))
			v, err := parse.f(data)
			if err == nil && mem.ZeroCopy && parse.name == "ParseFast" && c.name == "tagged" {
				select { // not collected while the value is in use
				case <-collected:
					t.Fatal("the text was collected while its value was in use")
				case <-time.After(time.Millisecond):
				}
				runtime.KeepAlive(v)
			}
			if !gone(collected) {
				t.Fatalf("%s, %s: the text is still alive", c.name, parse.name)
			}
			runtime.KeepAlive(err)
		}
	}
}

// TestOwnersKeepNoText keeps values that own their memory: the text is collected all the same.
func TestOwnersKeepNoText(t *testing.T) {
	data, collected := watched(testkit.TaggedRequest(5, 9))
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
		if s := testkit.CheckTagged(v, 5, testkit.TaggedLeaves(9)); s != "" {
			t.Error(s)
		}
	}
}
