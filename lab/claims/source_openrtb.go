package main

// banner, app and corpus are what statements about other types are tested on.
const (
	onBanner = "the banner request"
	onApp    = "the app request"
	onCorpus = "the corpus"
)

// ratios tests a ratio on three sets.
func ratios(what string, rule Rule) []Test {
	return []Test{
		{onBanner, "decode/banner/" + what, rule},
		{onApp, "decode/app/" + what, rule},
		{onCorpus, "decode/mixed_shuffled/" + what, rule},
	}
}

// again tests a figure of the articles' own experiment.
func again(figure string, rule Rule) []Test { return []Test{{"", "published/" + figure, rule}} }

// today shows a ratio with the newest versions, on types that have the whole specification, beside
// the one of the articles' experiment.
func today(what string, form Form) []Beside {
	const types = "the whole specification, newest versions: "
	return []Beside{
		{types + onBanner, "decode/banner/" + what, form},
		{"the same, " + onApp, "decode/app/" + what, form},
		{"the same, " + onCorpus, "decode/mixed_shuffled/" + what, form},
	}
}

var openrtbParsing = Source{
	Name:    "Go JSON Performance in Adtech: Profiling OpenRTB Bid Request Parsing",
	URL:     "https://tokarevxvi.dev/blog/go-json-performance-openrtb/",
	Machine: "Apple M2 Pro, Go 1.26.2, go-json 0.10.6, json-iterator 1.1.12, a banner request of 804 bytes",
	About: "Its experiment is measured again in lab/published: 70 fields of 11 objects, a request with the same members, and the " +
		"same versions of libraries. What is in parentheses is another experiment, and decides nothing. easyjson is measured on the whole " +
		"specification alone.",
	Rows: []Row{
		{
			ID: "jsoniter", Section: "benchmarks", Said: "json-iterator is 3.5 times as fast as encoding/json (2,185 and 7,685 ns)",
			Tests: again("banner/encoding-json/over-jsoniter", About(3.5, edge)), Beside: today("encoding-json/over-jsoniter", Times),
			Why: []Reason{
				anyhow("json-iterator makes a string of every key of a struct with more than ten fields. The source has one such struct; the specification has many."),
			},
		},
		{
			ID: "jsoniter-ceiling", Section: "benchmarks", Said: "json-iterator is near what can be had with reflection (counted as held: it takes at most 15% longer than segmentio's library, another one that reads types when the program runs)",
			Tests: again("banner/jsoniter/over-segmentio", AtMost(1.15)),
			Why: []Reason{
				because("Both make a decoder of a type once, and follow it for each value."),
				despite("Both make a decoder of a type once, and follow it for each value; segmentio's allocates fewer objects."),
			},
		},
		{
			ID: "gojson", Section: "benchmarks", Said: "goccy/go-json is 4.8 times as fast as encoding/json (1,590 and 7,685 ns)",
			Tests: again("banner/encoding-json/over-gojson", About(4.8, edge)), Beside: today("encoding-json/over-gojson", Times),
			Why: []Reason{
				anyhow("go-json compiles a plan for each type and reads the text once; what remains is strings, keys, and memory, which grows with the fields of the types."),
			},
		},
		{
			ID: "gojson-pool", Section: "benchmarks", Said: "go-json into a pooled target is 5.1 times as fast as encoding/json (1,514 and 7,685 ns)",
			Tests: again("banner/encoding-json/over-gojson-pool", About(5.1, edge)), Beside: today("encoding-json/over-gojson-pool", Times),
			Why: []Reason{
				anyhow("The pool saves the outer struct alone. Everything that it points to is allocated for each request."),
			},
		},
		{
			ID: "jsoniter-gojson", Section: "benchmarks", Said: "go-json is 1.37 times as fast as json-iterator (1,590 and 2,185 ns)",
			Tests: again("banner/jsoniter/over-gojson", About(1.37, edge)), Beside: today("jsoniter/over-gojson", Times),
			Why: []Reason{anyhow("Both read the text once. json-iterator makes strings of the keys of large structs and allocates more objects.")},
		},
		{
			ID: "pool-one-allocation", Section: "pooling", Said: "A pool for the outer struct saves one allocation of 23", Form: Plain,
			Tests:  again("banner/gojson/allocs-beyond-gojson-pool", Count(1)),
			Beside: []Beside{{"the whole specification, newest versions", "decode/banner/gojson/allocs-beyond-gojson-pool", Plain}},
			Why:    []Reason{because("Only the outer struct comes from the pool; slices, pointers and strings inside it do not."), despite("What the pool saves depends on what its user keeps in the struct.")},
		},
		{
			ID: "gojson-allocations", Section: "benchmarks", Said: "go-json needs 23 allocations where encoding/json needs 49", Form: Plain,
			Tests: []Test{
				{"go-json", "published/banner/gojson/allocs", Count(23)},
				{"encoding/json", "published/banner/encoding-json/allocs", Count(49)},
			},
			Beside: append(today("gojson/allocs-over-encoding-json", Share), Beside{"the same, go-json without copies of strings, on the banner", "decode/banner/gojson-unsafe/allocs-over-encoding-json", Share}),
			Why:    []Reason{anyhow("go-json 0.10.6 copies the text once, and strings point into the copy; 0.12.0 copies each string unless it is told not to.")},
		},
		{
			ID: "gojson-bytes", Section: "benchmarks", Said: "go-json allocates more bytes than encoding/json, 1,963 and 1,840, and fewer objects",
			Tests: []Test{
				{"bytes", "published/banner/gojson/bytes-over-encoding-json", Above(1)},
				{"objects", "published/banner/gojson/allocs-over-encoding-json", Below(1)},
			},
			Beside: []Beside{{"go-json", "published/banner/gojson/bytes", Plain}, {"encoding/json", "published/banner/encoding-json/bytes", Plain}},
			Why:    []Reason{because("go-json 0.10.6 copies the whole text first, which is one object of 896 bytes, where encoding/json makes an object of each string.")},
		},
		{
			ID: "two-hundred-thousand", Section: "profile", Said: "200,000 requests take 1.54 s with encoding/json and 0.385 s with go-json: 4 times as long",
			Tests: again("banner/encoding-json/over-gojson", About(4, edge)),
			Why:   []Reason{anyhow("It is the same comparison as that of the benchmarks, under a profiler and with what the program does before.")},
		},
		{
			ID: "easyjson-comparable", Section: "other libraries", Said: "easyjson is comparable to go-json (counted as held: within 15% of each other)",
			Tests: ratios("easyjson/over-gojson", About(1, 0.15)),
			Why:   []Reason{anyhow("The generated code reads token by token through a lexer and checks its state on each; go-json has a compiled plan for the type.")},
		},
		{
			ID: "easyjson-contaminates-speed", Section: "other libraries", Said: "With easyjson's methods in the binary, encoding/json gets faster",
			Tests: []Test{{"", "decode/banner/encoding-json/over-encoding-json-contaminated", Above(1)}},
			Why: []Reason{
				because("encoding/json sees that the types have UnmarshalJSON and calls it: the contaminated row measures easyjson's code after a validation by encoding/json."),
				despite("encoding/json calls the generated UnmarshalJSON, but reads the text twice before: to validate it, and to find its end."),
			},
		},
		{
			ID: "easyjson-contaminates-allocations", Section: "other libraries", Said: "With easyjson's methods in the binary, json-iterator allocates more", Form: Plain,
			Tests: []Test{{"", "decode/banner/jsoniter-contaminated/allocs-beyond-jsoniter", Above(0)}},
			Why: []Reason{
				because("json-iterator hands a type with UnmarshalJSON a copy of its text."),
				despite("json-iterator hands the whole request to the generated method at once, which allocates fewer objects than json-iterator does."),
			},
		},
		{
			ID: "indirect-flat", Section: "profile", Said: "`indirect` takes 1.9% of the time of encoding/json itself (flat)", Form: Share,
			Tests:  again("profile/encoding-json/indirect/flat", About(0.019, edge)),
			Beside: []Beside{{"the whole specification", "profile/encoding-json/indirect/flat", Share}},
			Why:    []Reason{anyhow("It follows pointers and looks for methods; the work is in what it calls.")},
		},
		{
			ID: "indirect-cumulative", Section: "profile", Said: "`indirect` takes 15.9% with all that it calls (cumulative)", Form: Share,
			Tests:  again("profile/encoding-json/indirect/cumulative", About(0.159, edge)),
			Beside: []Beside{{"the whole specification", "profile/encoding-json/indirect/cumulative", Share}},
			Why:    []Reason{anyhow("What it calls is reflect.New for every optional field: the share grows and shrinks with the cost of memory on a machine, and with the share of fields that are pointers.")},
		},
		{
			ID: "checkvalid", Section: "profile", Said: "`checkValid`, the pass that validates the text, takes 6.5% itself (flat)", Form: Share,
			Tests:  again("profile/encoding-json/checkvalid/flat", About(0.065, edge)),
			Beside: []Beside{{"with the functions of the scanner that it calls for each byte", "published/profile/encoding-json/checkvalid/cumulative", Share}},
			Why:    []Reason{anyhow("Most of the pass is in the functions that it calls for each byte, which the flat share leaves out.")},
		},
		{
			ID: "indirect-real-cost", Section: "profile", Said: "`indirect` is the real cost of encoding/json (counted as held: more than the validation pass, both with what they call)",
			Tests:  again("profile/encoding-json/indirect/over-checkvalid", Above(1)),
			Beside: []Beside{{"the whole specification", "profile/encoding-json/indirect/over-checkvalid", Times}},
			Why:    []Reason{despite("encoding/json reads the whole text before it decodes the first value (checkValid), and that pass alone costs more than all pointers."), because("Memory for optional fields costs more than the pass over the text that validates it.")},
		},
		{
			ID: "madvise", Section: "profile", Said: "`madvise` takes 8.4% of the time of encoding/json", Form: Share,
			Tests: again("profile/encoding-json/madvise/flat", About(0.084, edge)),
			Why:   []Reason{despite("The runtime gives memory back to the system in the background, which costs macOS more than Linux."), because("The runtime gives memory back to the system and asks for it again.")},
		},
		{
			ID: "processor-time", Section: "where Go fits", Said: "50,000 requests a second of 7.7 µs each take 385 ms of processor time a second", Form: Plain,
			Tests:   []Test{{"", "arithmetic/50000/7700ns", Count(385)}},
			Beside:  []Beside{{"encoding/json here", "arithmetic/50000/encoding-json", Plain}, {"ParseFastArena here", "arithmetic/50000/rtbwire-arena", Plain}},
			Why:     []Reason{because("It is a product. It is the time of decoding alone, with the collector's share.")},
			Command: "cd lab && go run . --sets banner --ops decode",
		},
		{
			ID: "half-core", Section: "requests per core", Said: "A core that is busy for half of the time decodes 65,000 requests a second with encoding/json, 229,000 with json-iterator and 314,000 with go-json", Form: Plain,
			Tests: []Test{
				{"encoding/json, 7,685 ns", "published/half-core/7685ns", About(65_000, 0.01)},
				{"json-iterator, 2,185 ns", "published/half-core/2185ns", About(229_000, 0.01)},
				{"go-json, 1,590 ns", "published/half-core/1590ns", About(314_000, 0.01)},
			},
			Beside: []Beside{
				{"encoding/json here", "published/banner/encoding-json/half-core", Plain},
				{"json-iterator here", "published/banner/jsoniter/half-core", Plain},
				{"go-json here", "published/banner/gojson/half-core", Plain},
			},
			Why: []Reason{because("They are quotients of the times of one request, 500 ms over each; a service has other work than decoding.")},
		},
		{
			ID: "half-load", Section: "requests per core", Said: "At the rate of half load, computed from the time of one request, encoding/json keeps a worker busy for half of the time", Form: Share, Cores: 2,
			Tests:  again("service/encoding-json/busy", About(0.5, edge)),
			Beside: []Beside{{"the whole specification, beside 64 MB of live objects", "service/encoding-json/busy", Share}},
			Why: []Reason{
				despite("A request in a service finds colder caches than one in a loop, and a collector that works beside it."),
				because("The rate was computed in that way. Nothing else is alive, so that the collector has little to walk."),
			},
		},
		{
			ID: "specification-fields", Section: "data model", Said: "The specification has roughly 200 fields", Form: Plain,
			Tests:  []Test{{"", "census/specification/values", About(200, edge)}},
			Beside: []Beside{{"with objects and arrays", "census/specification/fields", Plain}},
			Why:    []Reason{anyhow("All objects that a request can have are counted, each once, without fields that contain others. OpenRTB 2.6 has grown every few months.")},
		},
		{
			ID: "populated-fields", Section: "data model", Said: "A realistic request populates 20 to 30 fields", Form: Plain,
			Tests: []Test{
				{"a request with the members of the source's", "census/published/fields", Between(20, 30)},
				{"the median of the corpus", "census/corpus/fields-median", Between(20, 30)},
				{"the app request", "census/app/fields", Between(20, 30)},
			},
			Beside: []Beside{
				{"the banner request of the whole specification", "census/banner/fields", Plain},
				{"a tenth of the corpus has at most", "census/corpus/fields-p10", Plain}, {"nine tenths at most", "census/corpus/fields-p90", Plain},
			},
			Why: []Reason{anyhow("Values are counted, not the objects and arrays around them, and a field once, however often its object comes. The corpus is the test data of an open-source server, whose requests are shorter than those of exchanges.")},
		},
		{
			ID: "parallel-gain", Section: "parallel", Said: "With ten goroutines a request takes 43% less time", Form: Share, Cores: 10,
			Tests: again("parallel/10/saved/gojson-pool", About(0.43, edge)),
			Beside: []Beside{
				{"a goroutine for each core", "published/parallel/all/saved/gojson-pool", Share}, {"cores", "published/cores", Plain},
				{"the whole specification, newest versions, as many as cores", "parallel/banner/all/saved/gojson-pool", Share},
			},
			Why: []Reason{anyhow("Goroutines share no data; what they share is the allocator's memory and the collector. The most that can be saved is one minus one over the number of cores.")},
		},
		{
			ID: "allocations-p99", Section: "tail latency", Said: "The number of allocations decides p99 (counted as held: it orders engines by p99, each at half load, Kendall's tau of 0.8 or more)", Form: Plain, Cores: 4,
			Tests: again("service/order/kendall/allocs-p99", AtLeast(0.8)),
			Beside: []Beside{
				{"tau of the mean and p99", "published/service/order/kendall/mean-p99", Plain},
				{"the whole specification, all engines at one rate", "service/order/kendall/allocs-p99", Plain},
			},
			Why: []Reason{despite("Collections are started by bytes, not by objects, and a request waits until a worker is free: p99 has the time of decoding in it.")},
		},
		{
			ID: "allocations-p99-more-than-mean", Section: "tail latency", Said: "It decides p99 more than it decides the mean", Form: Plain, Cores: 4,
			Tests:  again("service/order/kendall/allocs-p99-beyond-mean", Above(0)),
			Beside: []Beside{{"the whole specification, all engines at one rate", "service/order/kendall/allocs-p99-beyond-mean", Plain}},
			Why:    []Reason{anyhow("The collector's work is done beside the requests and slows all of them; only its short stops are tail alone.")},
		},
		{
			ID: "allocations-collector", Section: "where Go fits", Said: "Every allocation makes work for the collector (counted as held: tau of 0.5 or more between allocations and the collector's share, engines at half load)", Form: Plain, Cores: 4,
			Tests:  again("service/order/kendall/allocs-collector", AtLeast(0.5)),
			Beside: []Beside{{"the whole specification, all engines at one rate", "service/order/kendall/allocs-collector", Plain}},
			Why:    []Reason{anyhow("The collector is started by bytes, not by objects, and walks what is alive, not what was allocated.")},
		},
	},
}
