package main

var handwrittenDecoder = Source{
	Name:    "Hand-Writing an OpenRTB JSON Decoder in Go",
	URL:     "https://tokarevxvi.dev/blog/go-json-handwritten-openrtb/",
	Machine: "Apple M2 Pro, Go 1.26.2, go-json 0.10.6, a banner request of 804 bytes",
	About: "Its design is rebuilt in lab/published/classic, for its types and with its arena, in code of our own that allocates the same, and is " +
		"a little faster on amd64 than the published code. It has NEON on arm64, and vectors elsewhere only where rows are about them: SSE2 and AVX2 on amd64. " +
		"What is in parentheses is another experiment, and decides nothing: `handwritten-fast` and `handwritten` are the design for the whole " +
		"specification, the latter with slabs for everything.",
	Rows: []Row{
		{
			ID: "fast", Section: "results", Said: "`ParseFast`, without an arena, is 5.7 times as fast as encoding/json (1,360 and 7,685 ns)",
			Tests: again("banner/encoding-json/over-fast", About(5.7, edge)), Beside: today("encoding-json/over-handwritten-fast", Times),
			Why: []Reason{anyhow("It reads the text once, into fields that it knows, and its strings point into the text.")},
		},
		{
			ID: "arena", Section: "results", Said: "`ParseFastArena` is 6.2 times as fast as encoding/json (1,245 and 7,685 ns)",
			Tests: again("banner/encoding-json/over-arena", About(6.2, edge)),
			Beside: append([]Beside{{"rtbwire-gen's code for the same types, arena", "published/banner/encoding-json/over-rtbwire-arena", Times}},
				today("encoding-json/over-handwritten", Times)...),
			Why: []Reason{anyhow("The arena has the request, what it points to, and its impressions. Slabs for all objects, optional numbers and lists save much more.")},
		},
		{
			ID: "fast-gojson-pool", Section: "results", Said: "`ParseFast` is 1.11 times as fast as go-json with a pooled target (1,360 and 1,514 ns)",
			Tests: again("banner/gojson-pool/over-fast", About(1.11, edge)), Beside: today("gojson-pool/over-handwritten-fast", Times),
			Why: []Reason{anyhow("go-json copies the text, which takes memory; the decoder by hand points into it. Pointers and lists are allocated by both.")},
		},
		{
			ID: "arena-gojson-pool", Section: "results", Said: "`ParseFastArena` is 1.22 times as fast as go-json with a pooled target (1,245 and 1,514 ns)",
			Tests: again("banner/gojson-pool/over-arena", About(1.22, edge)),
			Beside: append([]Beside{{"rtbwire-gen's code for the same types, arena", "published/banner/gojson-pool/over-rtbwire-arena", Times}},
				today("gojson-pool/over-handwritten", Times)...),
			Why: []Reason{anyhow("The arena leaves 14 allocations of 19, so that memory is still a large part of its time. go-json's part is larger: it copies the text.")},
		},
		{
			ID: "neon-gojson", Section: "what paid", Said: "With NEON for strings the decoder is level with go-json (counted as held: within 15% of each other)",
			Tests:  again("banner/gojson/over-fast-vectors", About(1, 0.15)),
			Beside: []Beside{{"bytes one by one instead of vectors, over the decoder with them", "published/banner/fast-byteloop/over-fast-vectors", Times}},
			Why:    []Reason{anyhow("The decoder by hand has fewer bytes to allocate; go-json finds keys with less work for each byte.")},
		},
		{
			ID: "arena-fast", Section: "arena", Said: "The arena takes 8% off the time of `ParseFast` (1,245 and 1,360 ns)",
			Tests: again("banner/arena/over-fast", About(0.915, edge)),
			Beside: []Beside{
				{"the whole specification, the same arena", "ablation/classic/banner/arena-no-slabs/over-fast", Times},
				{"the whole specification, slabs for everything", "ablation/classic/banner/arena/over-fast", Times},
			},
			Why: []Reason{anyhow("Memory is most of the time of a decoder that copies nothing: an arena is worth as much as it covers.")},
		},
		{
			ID: "bytes", Section: "results", Said: "`ParseFast` allocates half as many bytes as go-json with a pooled target (968 and 1,804)", Form: Share,
			Tests: again("banner/fast/bytes-over-gojson-pool", About(0.54, edge)), Beside: today("handwritten-fast/bytes-over-gojson-pool", Share),
			Why: []Reason{anyhow("Both allocate what pointers and lists need, which grows with the types; go-json copies the text beside it.")},
		},
		{
			ID: "memory", Section: "results", Said: "`ParseFast` makes 19 allocations of 968 bytes, `ParseFastArena` 14 of 392", Form: Plain,
			Tests: []Test{
				{"objects of `ParseFast`", "published/banner/fast/allocs", Count(19)},
				{"bytes of `ParseFast`", "published/banner/fast/bytes", Count(968)},
				{"objects of `ParseFastArena`", "published/banner/arena/allocs", Count(14)},
				{"bytes of `ParseFastArena`", "published/banner/arena/bytes", Count(392)},
			},
			Beside: []Beside{{"objects of rtbwire-gen's code, arena", "published/banner/rtbwire-arena/allocs", Plain}},
			Why:    []Reason{because("What is allocated is a matter of the design and the types, not of the machine.")},
		},
		{
			ID: "allocations-remain", Section: "arena", Said: "14 allocations remain with an arena, and only other types would save them", Form: Plain,
			Tests: []Test{
				{"the arena as published", "published/banner/arena/allocs", AtLeast(13.5)},
				{"rtbwire-gen's arena for the same types", "published/banner/rtbwire-arena/allocs", AtLeast(13.5)},
			},
			Beside: []Beside{{"slabs in the classic design, the whole specification", "ablation/classic/banner/arena/allocs", Plain}},
			Why:    []Reason{anyhow("Slabs of int, float64, string and of each struct serve pointers and lists of the same types; nothing has to change for the caller.")},
		},
		{
			ID: "optional-int", Section: "arena", Said: "One allocation for each optional `*int` can't be avoided (the request has six)", Form: Plain,
			Tests: []Test{
				{"the decoder as published, with its arena", "published/banner/arena/allocs", AtLeast(6)},
				{"rtbwire-gen's arena for the same types", "published/banner/rtbwire-arena/allocs", AtLeast(6)},
			},
			Beside: []Beside{
				{"the whole specification, without an arena", "decode/banner/handwritten-fast/allocs", Plain},
				{"the same, openrtb.ParseFastArena", "decode/banner/rtbwire-arena/allocs", Plain},
			},
			Why: []Reason{anyhow("A pointer may point into a slab. The generated code has the same `*int` fields and allocates nothing once it is warm.")},
		},
		{
			ID: "atoi", Section: "what paid", Said: "strconv.Atoi takes 9% of the time of the decoder", Form: Share,
			Tests:  again("profile/fast-atoi/atoi/cumulative", About(0.09, edge)),
			Beside: []Beside{{"time with strconv.Atoi over that with inline digits", "published/banner/fast-atoi/over-fast-vectors", Times}},
			Why:    []Reason{anyhow("The request has twelve integers, of one to four digits.")},
		},
		{
			ID: "integers-simd", Section: "what paid", Said: "Integers read inline cut more than NEON for strings",
			Tests: again("banner/fast-atoi/over-fast-byteloop", Above(1)),
			Beside: []Beside{
				{"strconv.Atoi instead of inline digits", "published/banner/fast-atoi/over-fast-vectors", Times},
				{"bytes one by one instead of vectors", "published/banner/fast-byteloop/over-fast-vectors", Times},
				{"the first over the second, the whole specification", "ablation/classic/banner/atoi/over-byte-loop", Times},
			},
			Why: []Reason{anyhow("Strings of a bid request are short, a few tens of bytes, and a banner request has a dozen numbers of one to three digits.")},
		},
		{
			ID: "minified-simd", Section: "what paid", Said: "Minified input cuts more than NEON for strings",
			Tests: again("indented/over-fast-byteloop", Above(1)),
			Beside: []Beside{
				{"indented instead of minified", "published/indented/over-fast-vectors", Times},
				{"the same over bytes one by one, the whole specification", "ablation/classic/banner/indented/over-byte-loop", Times},
			},
			Why: []Reason{anyhow("Indentation by two spaces doubles the length of a request, and the classic design skips white space byte by byte.")},
		},
		{
			ID: "assembly", Section: "what paid", Said: "Assembly was the last percent (counted as held: a loop over bytes takes at most 5% longer)",
			Tests: again("banner/fast-byteloop/over-fast-vectors", AtMost(1.05)),
			Beside: []Beside{
				{"the whole specification, " + onBanner, "ablation/classic/banner/byte-loop/over-fast", Times},
				{"the same, " + onApp, "ablation/classic/app/byte-loop/over-fast", Times},
				{"the same, " + onCorpus, "ablation/classic/mixed/byte-loop/over-fast", Times},
			},
			Why: []Reason{anyhow("The longer the strings, the more a vector saves. A decoder that finds all brackets and quotes with SIMD first, as rtbwire's does, gains from it everywhere.")},
		},
		{
			ID: "bitmap", Section: "what go-json does better", Said: "On large structs go-json's search for keys, a bitmap of the fields that are still possible, is faster than a switch (objects of integers are decoded)",
			Tests: []Test{
				{"16 fields", "published/keys/16/switch-over-gojson", Above(1)},
				{"64 fields", "published/keys/64/switch-over-gojson", Above(1)},
			},
			Beside: []Beside{{"8 fields", "published/keys/8/switch-over-gojson", Times}},
			Why: []Reason{
				anyhow("The compiler makes a search by length and value of a switch. go-json has bitmaps for up to 16 fields, and a map for more."),
			},
		},
		{
			ID: "goroutines", Section: "parallel", Said: "With ten goroutines the arena is 2.5 times as fast as go-json with a pooled target (348 and 876 ns)", Cores: 10,
			Tests: again("parallel/10/gojson-pool/over-arena", About(2.5, edge)),
			Beside: []Beside{
				{"one goroutine", "published/parallel/1/gojson-pool/over-arena", Times},
				{"a goroutine for each core", "published/parallel/all/gojson-pool/over-arena", Times},
				{"rtbwire-gen's code for the same types, 10 goroutines", "published/parallel/10/gojson-pool/over-rtbwire-arena", Times},
			},
			Why: []Reason{anyhow("What engines allocate they wait for together: the collector stops and assists all goroutines. An arena takes part in none of that.")},
		},
		{
			ID: "gojson-profile", Section: "the question", Said: "go-json's profile has strings (12.5%) and keys (16.7%) and nothing else of note (counted as held: both take more than memory does)",
			Tests: again("profile/gojson/memory/over-strings-and-keys", Below(1)),
			Beside: []Beside{
				{"strings themselves", "published/profile/gojson/strings/flat", Share}, {"keys themselves", "published/profile/gojson/keys/flat", Share},
				{"memory, with what it calls", "published/profile/gojson/memory/cumulative", Share},
				{"memory over both, the whole specification and go-json 0.12.0", "profile/gojson/memory/over-strings-and-keys", Times},
				{"strings and keys there", "profile/gojson/strings-and-keys/cumulative", Share}, {"memory there", "profile/gojson/memory/cumulative", Share},
			},
			Why: []Reason{anyhow("The source's profile has 24 samples, 3 of them for strings, by functions alone and not by what they call.")},
		},
	},
}
