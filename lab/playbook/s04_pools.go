package main

import (
	"encoding/json"

	"github.com/rtbwire/rtbwire/lab/figures"
)

var pools = experiment{
	section: 4, name: "pools", title: "sync.Pool of encoders, decoders, and buffers",
	says: "Keep buffers, encoders and decoders in a sync.Pool; copy the result out before the buffer goes back, and drop buffers " +
		"over 64 KiB. It pays for many small documents, and is noise for those over the cap or amid other allocations.",
	method: "The section's function (pooled buffer, new Encoder, no HTML escapes, copy of the result) against Marshal, with the " +
		"struct of six fields, with 256 KiB of events, and amid ten other allocations. Decoders are pooled with a " +
		"reader that is switched to the next body. What goes wrong is shown by running it.",
	cases: []label{
		{"marshal", "Marshal"},
		{"pooled-encoder", "the section's function"},
		{"pooled-escaping", "the same without SetEscapeHTML(false), so that it writes what Marshal writes"},
		{"pooled-with-encoder", "the same, with the Encoder in the pool too"},
		{"unpooled", "the same without a pool: new buffer, new Encoder, copy"},
		{"pooled-no-copy", "pooled buffer, written to its destination instead of copied"},
		{"escape-html", "a string of 1 kB with tags, HTML escaped"},
		{"no-escape-html", "the same with SetEscapeHTML(false)"},
		{"above-cap-marshal", "256 KiB, Marshal"},
		{"above-cap", "256 KiB, the section's function, whose cap drops the buffer"},
		{"without-cap", "256 KiB, the section's function without the cap"},
		{"amid-others-marshal", "the struct amid ten other allocations, Marshal"},
		{"amid-others", "the struct amid ten other allocations, the section's function"},
		{"new-decoder", "reading the struct, a new Decoder for each body"},
		{"pooled-decoder", "reading the struct, a pooled Decoder"},
	},
	values: []label{
		{"pooled-encoder/over-marshal", "time of the section's function / Marshal"},
		{"pooled-escaping/over-marshal", "time of the same with HTML escapes / Marshal"},
		{"pooled-with-encoder/over-marshal", "time with a pooled Encoder / Marshal"},
		{"pooled-encoder/over-unpooled", "time of the section's function / without a pool"},
		{"pooled-no-copy/over-marshal", "time without the copy / Marshal"},
		{"no-escape-html/over-escape-html", "text with tags: time without HTML escapes / with"},
		{"above-cap/over-above-cap-marshal", "256 KiB: time of the section's function / Marshal"},
		{"without-cap/over-above-cap-marshal", "256 KiB: time without the cap / Marshal"},
		{"amid-others/over-amid-others-marshal", "amid other allocations: time of the section's function / Marshal"},
		{"pooled-decoder/over-new-decoder", "time of a pooled Decoder / a new one"},
		{"cap/kept", "memory that a pool with the cap keeps after 8 large documents"},
		{"no-cap/kept", "the same without the cap"},
		{"cap/kept-over-no-cap", "memory kept, with the cap / without"},
		{"aliased/changed", "of 1,000 results, changed later when the buffer's own slice is returned"},
		{"copied/changed", "of 1,000 results, changed later when a copy is returned"},
		{"pooled-decoder/left-over-served", "of 100 bodies, answered with what was left of the body before"},
		{"pooled-decoder/permanent-error", "of 100 good bodies after one bad body, refused"},
	},
	keys: []string{
		"pooled-encoder/over-marshal", "pooled-escaping/over-marshal", "pooled-encoder/allocs", "marshal/allocs",
		"above-cap/over-above-cap-marshal", "pooled-decoder/left-over-served", "pooled-decoder/permanent-error",
	},
	claims: []claim{
		{"pooling pays for small documents (5% or more)", "you replace Marshal by the section's function for small documents",
			"pooled-encoder/over-marshal", atMost(0.95)},
		{"pooling pays for small documents (5% or more)", "you keep HTML escapes as Marshal has them",
			"pooled-escaping/over-marshal", atMost(0.95)},
		{"pooling pays for small documents (5% or more)", "you use an Encoder and a buffer anyway",
			"pooled-encoder/over-unpooled", atMost(0.95)},
		{"pooling pays for small documents (5% or more)", "you write the pooled buffer out instead of copying it",
			"pooled-no-copy/over-marshal", atMost(0.95)},
		{"pooling is noise above the cap (less than 5% gained)", "documents exceed the cap (no gain)", "above-cap/over-above-cap-marshal", atLeast(0.95)},
		{"pooling is noise amid other allocations (less than 5% gained)", "other allocations surround it (no gain)",
			"amid-others/over-amid-others-marshal", atLeast(0.95)},
		{"a cap keeps pools small (a tenth or less)", "rare documents are large", "cap/kept-over-no-cap", atMost(0.1)},
		{"a result must be copied out", "the result outlives the call", "aliased/changed", atLeast(1)},
		{"a copy is safe", "the result outlives the call", "copied/changed", atMost(0)},
		{"a Decoder is a candidate for a pool: no body gets another's answer", "you pool a json.Decoder",
			"pooled-decoder/left-over-served", atMost(0)},
		{"a Decoder is a candidate for a pool: a bad body spoils no other", "you pool a json.Decoder",
			"pooled-decoder/permanent-error", atMost(0)},
	},
	seconds: [2]float64{25, 4},
	run: func(t *trial) error {
		if err := t.pooledTimes(); err != nil {
			return err
		}
		t.say("what pools keep")
		large, err := eventsOfSize(t.pick(4<<20, 1<<20, 100<<10))
		if err != nil {
			return err
		}
		kept := map[string][]float64{}
		for range t.pick(5, 3, 1) {
			for name, limit := range map[string]int{"cap": poolCap, "no-cap": 1 << 62} {
				k, err := keptAfterBurst(limit, large)
				if err != nil {
					return err
				}
				kept[name] = append(kept[name], k)
			}
		}
		t.set("cap/kept", median(kept["cap"], "B"))
		t.set("no-cap/kept", median(kept["no-cap"], "B"))
		t.set("cap/kept-over-no-cap", quotients(kept["cap"], kept["no-cap"]))

		p := newBufferPool(poolCap)
		for name, encode := range map[string]func(any) ([]byte, error){"aliased": p.encodeAliased, "copied": p.encode} {
			changed, err := countChanged(encode, 1000)
			if err != nil {
				return err
			}
			t.set(name+"/changed", figures.Exactly(float64(changed), "results"))
		}
		served, err := leftOverServed(100)
		if err != nil {
			return err
		}
		t.set("pooled-decoder/left-over-served", figures.Exactly(float64(served), "bodies"))
		t.set("pooled-decoder/permanent-error", figures.Exactly(float64(refusedAfterBad(100)), "bodies"))
		return nil
	},
}

// pooledTimes measures the ways to write and read with pools.
func (t *trial) pooledTimes() error {
	section, escaping, uncapped := newBufferPool(poolCap), newBufferPool(poolCap), newBufferPool(1<<62)
	escaping.escapeHTML = true
	kept := newEncoderPool()
	bodies := newDecoderPool()
	tags := map[string]string{"html": htmlText}
	large, err := eventsOfSize(t.pick(256<<10, 256<<10, 70<<10))
	if err != nil {
		return err
	}
	encode := func(p *bufferPool, v any) func() error {
		return func() error { _, err := p.encode(v); return err }
	}
	write := func() error { _, err := json.Marshal(someUser); return err }
	for _, group := range [][]way{
		{
			{name: "marshal", do: write},
			{name: "pooled-encoder", do: encode(section, someUser)},
			{name: "pooled-escaping", do: encode(escaping, someUser)},
			{name: "pooled-with-encoder", do: func() error { _, err := kept.encode(someUser); return err }},
			{name: "unpooled", do: func() error { _, err := encodeUnpooled(someUser); return err }},
			{name: "pooled-no-copy", do: func() error { return section.encodeTo(discard, someUser) }},
		},
		{{name: "escape-html", do: encode(escaping, tags)}, {name: "no-escape-html", do: encode(section, tags)}},
		{
			marshal("above-cap-marshal", large),
			{name: "above-cap", do: encode(section, large)}, {name: "without-cap", do: encode(uncapped, large)},
		},
		{
			{name: "amid-others-marshal", do: amidOthers(write)},
			{name: "amid-others", do: amidOthers(encode(section, someUser))},
		},
		{
			{name: "new-decoder", do: decodeNew}, {name: "pooled-decoder", do: func() error {
				_, err := bodies.decode([]byte(userText))
				return err
			}},
		},
	} {
		if err := t.compare(group...); err != nil {
			return err
		}
	}
	for _, pair := range [][2]string{
		{"pooled-encoder", "marshal"}, {"pooled-escaping", "marshal"}, {"pooled-with-encoder", "marshal"},
		{"pooled-encoder", "unpooled"}, {"pooled-no-copy", "marshal"}, {"no-escape-html", "escape-html"},
		{"above-cap", "above-cap-marshal"}, {"without-cap", "above-cap-marshal"},
		{"amid-others", "amid-others-marshal"}, {"pooled-decoder", "new-decoder"},
	} {
		t.over(pair[0], pair[1])
	}
	return nil
}
