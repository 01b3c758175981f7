package main

const (
	mallocAlone    = "the heap"
	arenaAlone     = "an arena"
	withExceptions = "errors thrown"
	noExceptions   = "errors returned"
)

// manyCores is how many the published machine has.
const manyCores = 96

var allocators = Source{
	Name:    "Parsing JSON in C & C++: Singleton Tax",
	URL:     "https://ashvardanian.com/posts/parsing-json-with-allocators-cpp/",
	Machine: "two Intel Xeon 4 with 96 cores together and one thread on each, yyjson 0.10.0, nlohmann::json 3.11.3, three packets of 0.4 to 0.5 KB",
	About: "The published experiment is repeated with its own needle: one literal, searched in values alone, and a third of the packets malformed. " +
		"\"All cores\" are those of the machine, with a thread on each.",
	Rows: []Row{
		{
			ID: "yyjson-arena", Section: "results", Said: "An arena takes 12% off the time of yyjson: 325 ns, 370 with malloc",
			Tests: []Test{{"", "cpp/packets/yyjson-arena-needle/over-yyjson-malloc-needle", About(1.14, edge)}},
			Why:   []Reason{anyhow("yyjson asks for memory once a packet. What an arena can save is one malloc and one free.")},
		},
		{
			ID: "yyjson-nlohmann", Section: "results", Said: "nlohmann::json is 20 times as slow as yyjson where it throws, and 15 times where it does not",
			Tests: []Test{
				{withExceptions, "cpp/packets/yyjson-malloc-needle/over-nlohmann-throw-needle", About(20, edge)},
				{noExceptions, "cpp/packets/yyjson-malloc-needle/over-nlohmann-noexcept-needle", About(15, edge)},
			},
			Beside: []Beside{
				{"an arena for both, errors thrown", "cpp/packets/yyjson-arena-needle/over-nlohmann-arena-throw-needle", Times},
				{"an arena for both, errors returned", "cpp/packets/yyjson-arena-needle/over-nlohmann-arena-noexcept-needle", Times},
			},
			Why: []Reason{anyhow("One of the three packets is invalid. Throwing and catching takes microseconds, so that the ratio depends on how errors are reported.")},
		},
		{
			ID: "nlohmann-throw", Section: "results", Said: "nlohmann::json is 1.37 times as fast where errors are returned and not thrown (4,762 and 6,539 ns)",
			Tests: []Test{{"", "cpp/packets/nlohmann-noexcept-needle/over-nlohmann-throw-needle", About(1.37, edge)}},
			Why:   []Reason{anyhow("An exception is a search through tables of the program, and an allocation.")},
		},
		{
			ID: "nlohmann-arena", Section: "results", Said: "An arena makes nlohmann::json 1.08 and 1.11 times as fast (6,539 to 6,027 and 4,762 to 4,307 ns)",
			Tests: []Test{
				{withExceptions, "cpp/packets/nlohmann-arena-throw-needle/over-nlohmann-throw-needle", About(1.08, edge)},
				{noExceptions, "cpp/packets/nlohmann-arena-noexcept-needle/over-nlohmann-noexcept-needle", About(1.11, edge)},
			},
			Why: []Reason{anyhow("nlohmann::json takes memory for every key, string and container. How much an arena saves is how dear the allocator that it replaces is, and the parser reads byte by byte either way.")},
		},
		{
			ID: "allocation-alone", Section: "results", Said: "Allocation alone costs nlohmann::json more than yyjson's whole parse (4,762 less 4,307 is 455 ns, yyjson takes 370)",
			Tests: []Test{{"", "cpp/packets/nlohmann-noexcept-needle/heap-over-yyjson-malloc-needle", Above(1)}},
			Why:   []Reason{anyhow("It is the difference between the heap and an arena, over the time of yyjson with the heap.")},
		},
		{
			ID: "yyjson-scales", Section: "results", Said: "yyjson scales perfectly to all cores, with malloc and with an arena (370 and 369 ns, 325 and 326)", Cores: manyCores,
			Tests: []Test{
				{mallocAlone, "cpp/packets/all/yyjson-malloc-needle/time-of-one", About(1, edge)},
				{arenaAlone, "cpp/packets/all/yyjson-arena-needle/time-of-one", About(1, edge)},
			},
			Beside: []Beside{{"cores", "cpp/cores", Plain}},
			Why:    []Reason{anyhow("It asks for memory once or twice a packet, which the allocator has in a cache of each thread.")},
		},
		{
			ID: "nlohmann-all-cores", Section: "results", Said: "nlohmann::json takes 1.9 times as long on all cores where it throws (6,539 to 12,249 ns), and 2.6 times where it does not (4,762 to 12,612)", Cores: manyCores,
			Tests: []Test{
				{withExceptions, "cpp/packets/all/nlohmann-throw-needle/time-of-one", About(1.87, edge)},
				{noExceptions, "cpp/packets/all/nlohmann-noexcept-needle/time-of-one", About(2.65, edge)},
			},
			Beside: []Beside{{"cores", "cpp/cores", Plain}},
			Why:    []Reason{anyhow("The allocator keeps a cache of free memory for each thread. Cores that share caches, power or execution units slow each other down without it.")},
		},
		{
			ID: "arena-all-cores", Section: "results", Said: "On all cores an arena barely helps nlohmann::json: 1.03 and 1.05 times (12,249 to 11,866 and 12,612 to 11,975 ns)", Cores: manyCores,
			Tests: []Test{
				{withExceptions, over("cpp/packets/all/nlohmann-throw-needle/wall", "cpp/packets/all/nlohmann-arena-throw-needle/wall"), About(1.03, edge)},
				{noExceptions, over("cpp/packets/all/nlohmann-noexcept-needle/wall", "cpp/packets/all/nlohmann-arena-noexcept-needle/wall"), About(1.05, edge)},
			},
			Beside: []Beside{{"cores", "cpp/cores", Plain}},
			Why:    []Reason{anyhow("With the arena some calls of the heap remain, and every thread reads the locale of the process.")},
		},
		{
			ID: "isspace", Section: "results", Said: "Synchronization is not in malloc alone: it lurks in what depends on the locale, such as std::isspace (counted as held: nlohmann::json calls isspace)", Form: Plain,
			Tests: []Test{{"", "cpp/packets/nlohmann-arena-noexcept-needle/isspace-calls", Above(0)}},
			Beside: []Beside{
				{"calls of localeconv", "cpp/packets/nlohmann-arena-noexcept-needle/localeconv-calls", Plain},
				{"calls of the heap with an arena", "cpp/packets/nlohmann-arena-noexcept-needle/heap-calls", Plain},
			},
			Why: []Reason{despite("Its lexer compares bytes. What it asks the locale for is the decimal point, once for each parse (localeconv); and its lexer and the stacks of its parser have the default allocator, whatever that of the document is.")},
		},
		{
			ID: "four-kilobytes", Section: "arena", Said: "4 KB on the stack are enough (counted as held: no packet is refused)", Form: Share,
			Tests: []Test{
				{"the three packets", "cpp/packets/yyjson-4096/refused", AtMost(0)},
				{onCorpus, "cpp/corpus/yyjson-4096/refused", AtMost(0)},
				{"nlohmann::json with the three packets", "cpp/packets/nlohmann-4096/refused", AtMost(0)},
			},
			Why: []Reason{anyhow("What a packet needs grows with its length and the number of its values. The corpus has longer packets than the three, up to the payload of an Ethernet frame.")},
		},
		{
			ID: "simdjson-large", Section: "the cast", Said: "simdjson is the fastest for large inputs (counted as held: faster than the fastest other library with a document of a megabyte)",
			Tests:  []Test{{"", "cpp/1MB/simdjson/over-best-other", Above(1)}},
			Beside: []Beside{{"with the three packets", "cpp/packets/simdjson/over-best-other", Times}},
			Why:    []Reason{anyhow("It finds all structure with SIMD first. The document is an array of packets of the corpus.")},
		},
		{
			ID: "simdjson-allocator", Section: "the cast", Said: "simdjson takes no custom allocator (counted as held: its parser takes its buffers from the heap)", Form: Plain,
			Tests:  []Test{{"", "cpp/packets/simdjson-ondemand/first-heap-calls", Above(0)}},
			Beside: []Beside{{"calls of the heap for later packets", "cpp/packets/simdjson-ondemand/heap-calls", Plain}},
			Why:    []Reason{because("No parser and no document has a parameter for one, which the benchmark checks when it is compiled. A parser keeps its buffers: it asks for memory with the first packet of a size, and never again.")},
		},
		{
			ID: "pmr", Section: "the allocator", Said: "std::pmr is slower than an allocator without virtual calls",
			Tests: []Test{{"", "cpp/packets/nlohmann-pmr/time-of-nlohmann-arena-noexcept", Above(1)}},
			Why:   []Reason{because("Every call goes through a virtual function, and every container carries a pointer to its resource."), despite("A compiler that sees the resource calls it directly.")},
		},
		{
			ID: "one-malloc", Section: "results", Said: "yyjson needs one malloc for a packet", Form: Plain,
			Tests: []Test{{"", "cpp/packets/yyjson-malloc-needle/heap-calls", Count(1)}},
			Why:   []Reason{because("The block for all values is sized by the length of the text."), despite("It copies the text first, unless it may change it, and asks again where its guess of the number of values was too low.")},
		},
	},
}
