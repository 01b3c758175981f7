package main

// banner, app and corpus are what most statements about OpenRTB are tested on.
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

var openrtbParsing = Source{
	Name:    "Go JSON Performance in Adtech: Profiling OpenRTB Bid Request Parsing",
	URL:     "https://ptfl.pages.dev/blog/go-json-performance-openrtb/",
	Machine: "Apple M2 Pro, Go 1.26.2, a banner request of 804 bytes",
	About: "Its types have 70 fields of 11 objects. Here another one of 804 bytes is decoded into types that have " +
		"the whole specification.",
	Rows: []Row{
		{
			ID: "jsoniter", Section: "benchmarks", Said: "json-iterator is 3.5 times as fast as encoding/json (2,185 and 7,685 ns)",
			Tests: ratios("encoding-json/over-jsoniter", About(3.5, 0.25)),
			Why: []Reason{
				anyhow("json-iterator makes a string of every key of a struct with more than ten fields. The source has one such struct; the specification has many."),
			},
		},
		{
			ID: "gojson", Section: "benchmarks", Said: "goccy/go-json is 4.8 times as fast as encoding/json (1,590 and 7,685 ns)",
			Tests: ratios("encoding-json/over-gojson", About(4.8, 0.25)),
			Why: []Reason{
				anyhow("go-json compiles a plan for each type and reads the text once; what remains is strings, keys, and memory, which grows with the fields of the types."),
			},
		},
		{
			ID: "gojson-pool", Section: "benchmarks", Said: "go-json into a pooled target is 5.1 times as fast as encoding/json (1,514 and 7,685 ns)",
			Tests: ratios("encoding-json/over-gojson-pool", About(5.1, 0.25)),
			Why: []Reason{
				anyhow("The pool saves the outer struct alone. Everything that it points to is allocated for each request."),
			},
		},
		{
			ID: "jsoniter-gojson", Section: "benchmarks", Said: "go-json is 1.37 times as fast as json-iterator (1,590 and 2,185 ns)",
			Tests: ratios("jsoniter/over-gojson", About(1.37, 0.25)),
			Why:   []Reason{anyhow("Both read the text once. json-iterator makes strings of the keys of large structs and allocates more objects.")},
		},
		{
			ID: "pool-one-allocation", Section: "pooling", Said: "A pool for the outer struct saves one allocation of 23", Form: Plain,
			Tests: []Test{{"", "decode/banner/gojson/allocs-beyond-gojson-pool", Count(1)}},
			Why:   []Reason{because("Only the outer struct comes from the pool; slices, pointers and strings inside it do not."), despite("What the pool saves depends on what its user keeps in the struct.")},
		},
		{
			ID: "gojson-allocations", Section: "benchmarks", Said: "go-json needs 23 allocations where encoding/json needs 49: 47%", Form: Share,
			Tests:  ratios("gojson/allocs-over-encoding-json", About(0.47, 0.25)),
			Beside: []Beside{{"go-json without copies of strings, on the banner", "decode/banner/gojson-unsafe/allocs-over-encoding-json", Share}},
			Why:    []Reason{anyhow("go-json 0.12.0, which is measured here, copies every string unless it is told not to.")},
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
			Tests: []Test{{"", "profile/encoding-json/indirect/flat", About(0.019, 0.5)}},
			Why:   []Reason{anyhow("It follows pointers and looks for methods; the work is in what it calls.")},
		},
		{
			ID: "indirect-cumulative", Section: "profile", Said: "`indirect` takes 15.9% with all that it calls (cumulative)", Form: Share,
			Tests: []Test{{"", "profile/encoding-json/indirect/cumulative", About(0.159, 0.25)}},
			Why:   []Reason{anyhow("What it calls is reflect.New for every optional field: the share grows and shrinks with the cost of memory on a machine, and with the share of fields that are pointers.")},
		},
		{
			ID: "indirect-real-cost", Section: "profile", Said: "`indirect` is the real cost of encoding/json (counted as held: more than the validation pass)",
			Tests: []Test{{"", "profile/encoding-json/indirect/over-checkvalid", Above(1)}},
			Why:   []Reason{despite("encoding/json reads the whole text before it decodes the first value (checkValid), and that pass alone costs more than all pointers."), because("Memory for optional fields costs more than the pass over the text that validates it.")},
		},
		{
			ID: "processor-time", Section: "where Go fits", Said: "50,000 requests a second of 7.7 µs each take 385 ms of processor time a second", Form: Plain,
			Tests:   []Test{{"", "arithmetic/50000/7700ns", Count(385)}},
			Beside:  []Beside{{"encoding/json here", "arithmetic/50000/encoding-json", Plain}, {"ParseFastArena here", "arithmetic/50000/rtbwire-arena", Plain}},
			Why:     []Reason{because("It is a product. It is the time of decoding alone, with the collector's share.")},
			Command: "cd lab && go run . --sets banner --ops decode",
		},
		{
			ID: "half-load", Section: "requests per core", Said: "At the rate of half load, computed from the time of one request, the workers of encoding/json are busy for half of the time", Form: Share,
			Tests: []Test{{"", "service/encoding-json/busy", About(0.5, 0.1)}},
			Why: []Reason{
				despite("The service decodes beside 64 MB of live objects, which the collector has to walk."),
				because("The rate was computed in that way, and the workers of the slowest engine are as busy as foreseen."),
			},
		},
		{
			ID: "specification-fields", Section: "data model", Said: "The specification has roughly 200 fields", Form: Plain,
			Tests: []Test{{"", "census/specification/fields", About(200, 0.25)}},
			Why:   []Reason{despite("OpenRTB 2.6 has grown every few months; all objects that a request can have are counted, each once.")},
		},
		{
			ID: "populated-fields", Section: "data model", Said: "A realistic request populates 20 to 30 fields", Form: Plain,
			Tests: []Test{
				{"the banner request of 804 bytes", "census/banner/fields", Between(20, 30)},
				{"the median of the corpus", "census/corpus/fields-median", Between(20, 30)},
				{"the app request", "census/app/fields", Between(20, 30)},
			},
			Beside: []Beside{{"a tenth of the corpus has at most", "census/corpus/fields-p10", Plain}, {"nine tenths at most", "census/corpus/fields-p90", Plain}},
			Why:    []Reason{anyhow("Fields are counted once for each request, however often an object comes. The corpus is the test data of an open-source server, whose requests are shorter than those of exchanges.")},
		},
		{
			ID: "parallel-gain", Section: "parallel", Said: "In parallel a request takes 43% less time", Form: Share,
			Tests: []Test{
				{"2 goroutines", "parallel/banner/2/saved/gojson-pool", About(0.43, 0.25)},
				{"10 goroutines", "parallel/banner/10/saved/gojson-pool", About(0.43, 0.25)},
				{"as many as cores", "parallel/banner/all/saved/gojson-pool", About(0.43, 0.25)},
			},
			Beside: []Beside{{"cores", "parallel/cores", Plain}},
			Why:    []Reason{anyhow("Goroutines share no data; what they share is the allocator's memory and the collector. The most that can be saved is one minus one over the number of cores.")},
		},
		{
			ID: "allocations-p99", Section: "tail latency", Said: "The number of allocations decides p99 (counted as held: it orders engines by p99, Kendall's tau of 0.8 or more)", Form: Plain,
			Tests:  []Test{{"", "service/order/kendall/allocs-p99", AtLeast(0.8)}},
			Beside: []Beside{{"tau with the mean", "service/order/kendall/allocs-mean", Plain}},
			Why:    []Reason{despite("Collections are started by bytes, not by objects, and a request waits until a worker is free: p99 has the time of decoding in it.")},
		},
		{
			ID: "allocations-p99-more-than-mean", Section: "tail latency", Said: "It decides p99 more than it decides the mean", Form: Plain,
			Tests: []Test{{"", "service/order/kendall/allocs-p99-beyond-mean", Above(0)}},
			Why:   []Reason{anyhow("The collector's work is done beside the requests and slows all of them; only its short stops are tail alone.")},
		},
		{
			ID: "allocations-collector", Section: "where Go fits", Said: "Every allocation makes work for the collector (counted as held: tau of 0.5 or more between allocations and the collector's share)", Form: Plain,
			Tests: []Test{{"", "service/order/kendall/allocs-collector", AtLeast(0.5)}},
			Why:   []Reason{anyhow("The collector is started by bytes, not by objects, and walks what is alive, not what was allocated.")},
		},
	},
}
