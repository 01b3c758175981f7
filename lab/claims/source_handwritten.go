package main

var handwrittenDecoder = Source{
	Name:    "Hand-Writing an OpenRTB JSON Decoder in Go",
	URL:     "https://ptfl.pages.dev/blog/go-json-handwritten-openrtb/",
	Machine: "Apple M2 Pro, Go 1.26.2, a banner request of 804 bytes",
	About: "Its design is rebuilt in lab/handwritten for the whole specification, with SSE2 and NEON: `handwritten-fast` without an arena, " +
		"`arena as published` with one for the objects that the post names, `handwritten` with slabs for everything.",
	Rows: []Row{
		{
			ID: "fast", Section: "results", Said: "`ParseFast`, without an arena, is 5.7 times as fast as encoding/json (1,360 and 7,685 ns)",
			Tests: ratios("encoding-json/over-handwritten-fast", About(5.7, 0.25)),
			Why:   []Reason{anyhow("It reads the text once, into fields that it knows, and its strings point into the text.")},
		},
		{
			ID: "arena", Section: "results", Said: "`ParseFastArena` is 6.2 times as fast as encoding/json (1,245 and 7,685 ns)",
			Tests: ratios("encoding-json/over-handwritten", About(6.2, 0.25)),
			Why:   []Reason{anyhow("Here the arena has slabs for all objects, optional numbers and lists, where the post's has a few objects.")},
		},
		{
			ID: "fast-gojson-pool", Section: "results", Said: "`ParseFast` is 1.11 times as fast as go-json with a pooled target (1,360 and 1,514 ns)",
			Tests: ratios("gojson-pool/over-handwritten-fast", About(1.11, 0.25)),
			Why:   []Reason{anyhow("go-json copies strings, which takes memory; the decoder by hand points into the text. Pointers and lists are allocated by both.")},
		},
		{
			ID: "arena-gojson-pool", Section: "results", Said: "`ParseFastArena` is 1.22 times as fast as go-json with a pooled target (1,245 and 1,514 ns)",
			Tests: ratios("gojson-pool/over-handwritten", About(1.22, 0.25)),
			Why:   []Reason{anyhow("Slabs for every kind of object leave hardly anything to allocate; the post's arena leaves 14 allocations of 19.")},
		},
		{
			ID: "arena-fast", Section: "arena", Said: "The arena takes 8% off the time of `ParseFast` (1,245 and 1,360 ns)",
			Tests: []Test{
				{"the arena as published", "ablation/classic/banner/arena-no-slabs/over-fast", About(0.915, 0.08)},
				{"slabs for everything", "ablation/classic/banner/arena/over-fast", About(0.915, 0.08)},
			},
			Why: []Reason{anyhow("Memory is most of the time of a decoder that copies nothing: an arena is worth as much as it covers.")},
		},
		{
			ID: "bytes", Section: "results", Said: "`ParseFast` allocates half as many bytes as go-json with a pooled target (968 and 1,804)", Form: Share,
			Tests: ratios("handwritten-fast/bytes-over-gojson-pool", About(0.54, 0.25)),
			Why:   []Reason{anyhow("Both allocate what pointers and lists need, which grows with the types; go-json copies strings beside it.")},
		},
		{
			ID: "allocations-remain", Section: "arena", Said: "14 allocations remain with an arena, and only other types would save them", Form: Plain,
			Tests: []Test{
				{"the arena as published", "ablation/classic/banner/arena-no-slabs/allocs", AtLeast(14)},
				{"slabs for everything", "ablation/classic/banner/arena/allocs", AtLeast(14)},
			},
			Why: []Reason{anyhow("Slabs of int, float64, string and of each struct serve pointers and lists of the same types; nothing has to change for the caller.")},
		},
		{
			ID: "optional-int", Section: "arena", Said: "One allocation for each optional `*int` can't be avoided (the banner request has optional numbers: at least one)", Form: Plain,
			Tests: []Test{
				{"the classic design without an arena", "decode/banner/handwritten-fast/allocs", AtLeast(1)},
				{"rtbwire's ParseFastArena", "decode/banner/rtbwire-arena/allocs", AtLeast(1)},
			},
			Why: []Reason{anyhow("A pointer may point into a slab. openrtb.ParseFastArena has the same `*int64` fields and allocates nothing once it is warm.")},
		},
		{
			ID: "integers-simd", Section: "what paid", Said: "Integers read inline cut more than NEON for strings",
			Tests:  []Test{{"", "ablation/classic/banner/atoi/over-byte-loop", Above(1)}},
			Beside: []Beside{{"strconv.Atoi instead of inline digits", "ablation/classic/banner/atoi/over-fast", Times}, {"bytes one by one instead of SIMD", "ablation/classic/banner/byte-loop/over-fast", Times}},
			Why:    []Reason{anyhow("Strings of a bid request are short, a few tens of bytes, and a banner request has a dozen numbers of one to three digits.")},
		},
		{
			ID: "minified-simd", Section: "what paid", Said: "Minified input cuts more than NEON for strings",
			Tests:  []Test{{"", "ablation/classic/banner/indented/over-byte-loop", Above(1)}},
			Beside: []Beside{{"indented instead of minified", "ablation/classic/banner/indented/over-fast", Times}},
			Why:    []Reason{anyhow("Indentation by two spaces doubles the length of a request, and the classic design skips white space byte by byte.")},
		},
		{
			ID: "assembly", Section: "what paid", Said: "Assembly was the last percent (counted as held: a loop over bytes takes at most 5% longer)",
			Tests: []Test{
				{onBanner, "ablation/classic/banner/byte-loop/over-fast", AtMost(1.05)},
				{onApp, "ablation/classic/app/byte-loop/over-fast", AtMost(1.05)},
				{onCorpus, "ablation/classic/mixed/byte-loop/over-fast", AtMost(1.05)},
			},
			Why: []Reason{anyhow("The longer the strings, the more a vector saves. A decoder that finds all brackets and quotes with SIMD first, as rtbwire's does, gains from it everywhere.")},
		},
		{
			ID: "goroutines", Section: "parallel", Said: "With ten goroutines the arena is 2.5 times as fast as go-json with a pooled target (348 and 876 ns)",
			Tests: []Test{
				{"2 goroutines", "parallel/banner/2/gojson-pool/over-handwritten", About(2.5, 0.25)},
				{"10 goroutines", "parallel/banner/10/gojson-pool/over-handwritten", About(2.5, 0.25)},
				{"as many as cores", "parallel/banner/all/gojson-pool/over-handwritten", About(2.5, 0.25)},
			},
			Beside: []Beside{{"one goroutine", "parallel/banner/1/gojson-pool/over-handwritten", Times}, {"rtbwire's ParseFastArena, 10 goroutines", "parallel/banner/10/gojson-pool/over-rtbwire-arena", Times}},
			Why:    []Reason{anyhow("What engines allocate they wait for together: the collector stops and assists all goroutines. An arena takes part in none of that.")},
		},
		{
			ID: "gojson-profile", Section: "the question", Said: "go-json's profile has strings (12.5%) and keys (16.7%) and nothing else of note (counted as held: both take more than memory does)",
			Tests:  []Test{{"", "profile/gojson/memory/over-strings-and-keys", Below(1)}},
			Beside: []Beside{{"strings and keys, in shares of all time", "profile/gojson/strings-and-keys/cumulative", Share}, {"memory", "profile/gojson/memory/cumulative", Share}},
			Why:    []Reason{anyhow("The source's profile has 24 samples, 3 of them for strings, by functions alone and not by what they call. go-json 0.12.0 copies strings.")},
		},
	},
}
