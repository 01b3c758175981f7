package main

const (
	mallocAlone    = "the heap"
	arenaAlone     = "an arena"
	withExceptions = "errors thrown"
	noExceptions   = "errors returned"
)

var allocators = Source{
	Name:    "Parsing JSON in C & C++: Singleton Tax",
	URL:     "https://ashvardanian.com/posts/parsing-json-with-allocators-cpp",
	Machine: "96 cores, three packets of 0.4 to 0.7 KB",
	About: "The published experiment is repeated with its own needle: one literal, searched in values alone. The figures with 16 threads are from " +
		"comments in the code of the source, taken on 16 cores of Intel Xeon 4.",
	Rows: []Row{
		{
			ID: "yyjson-arena", Section: "results", Said: "An arena takes 12% off the time of yyjson: 325 ns, 370 with malloc",
			Tests: []Test{{"", "cpp/packets/yyjson-arena-needle/over-yyjson-malloc-needle", About(1.14, 0.08)}},
			Why:   []Reason{anyhow("yyjson asks for memory once a packet. What an arena can save is one malloc and one free.")},
		},
		{
			ID: "yyjson-nlohmann", Section: "results", Said: "yyjson is 15 to 20 times as fast as nlohmann::json",
			Tests: []Test{
				{mallocAlone + " and " + withExceptions, "cpp/packets/yyjson-malloc-needle/over-nlohmann-throw-needle", Between(15, 20)},
				{mallocAlone + " and " + noExceptions, "cpp/packets/yyjson-malloc-needle/over-nlohmann-noexcept-needle", Between(15, 20)},
				{arenaAlone + " and " + withExceptions, "cpp/packets/yyjson-arena-needle/over-nlohmann-arena-throw-needle", Between(15, 20)},
				{arenaAlone + " and " + noExceptions, "cpp/packets/yyjson-arena-needle/over-nlohmann-arena-noexcept-needle", Between(15, 20)},
			},
			Why: []Reason{anyhow("One of the three packets is invalid. Throwing and catching takes microseconds, so that the ratio depends on how errors are reported; the source's own figures give 13 where they are returned.")},
		},
		{
			ID: "nlohmann-throw", Section: "results", Said: "nlohmann::json is 1.37 times as fast where errors are returned and not thrown (4,762 and 6,539 ns)",
			Tests: []Test{{"", "cpp/packets/nlohmann-noexcept-needle/over-nlohmann-throw-needle", About(1.37, 0.25)}},
			Why:   []Reason{anyhow("An exception is a search through tables of the program, and an allocation.")},
		},
		{
			ID: "nlohmann-arena", Section: "results", Said: "An arena barely helps nlohmann::json: 1.08 and 1.11 times (6,539 to 6,027 and 4,762 to 4,307 ns)",
			Tests: []Test{
				{withExceptions, "cpp/packets/nlohmann-arena-throw-needle/over-nlohmann-throw-needle", About(1.08, 0.1)},
				{noExceptions, "cpp/packets/nlohmann-arena-noexcept-needle/over-nlohmann-noexcept-needle", About(1.11, 0.1)},
			},
			Why: []Reason{anyhow("nlohmann::json takes memory for every key, string and container. How much an arena saves is how dear the allocator that it replaces is, and the parser reads byte by byte either way.")},
		},
		{
			ID: "nlohmann-locks", Section: "conclusions", Said: "Locks lurk elsewhere: with an arena, parsing with nlohmann::json still reaches the global allocator", Form: Plain,
			Tests: []Test{{"", "cpp/packets/nlohmann-arena-noexcept-needle/heap-calls", Above(0)}},
			Why:   []Reason{because("Its lexer and the stacks of its parser have the default allocator, whatever the allocator of the document is."), despite("The parser's own strings and vectors are short enough not to reach the heap here.")},
		},
		{
			ID: "all-cores", Section: "results", Said: "Times double on all cores (763 for 358 ns and 8,132 for 4,251 with 16 threads)",
			Tests: []Test{
				{"yyjson with malloc", "cpp/packets/all/yyjson-malloc-needle/time-of-one", About(2, 0.25)},
				{"nlohmann::json with malloc", "cpp/packets/all/nlohmann-noexcept-needle/time-of-one", About(2, 0.25)},
			},
			Beside: []Beside{{"cores", "cpp/cores", Plain}},
			Why:    []Reason{anyhow("The allocator keeps a cache of free memory for each thread; packets take their memory from there and give it back. Cores that share caches, power or execution units slow each other down without it.")},
		},
		{
			ID: "all-cores-arena", Section: "conclusions", Said: "It is the allocator that doubles them (counted as held: times grow by more than 10% with malloc, and by less with an arena)",
			Tests: []Test{
				{"yyjson with malloc", "cpp/packets/all/yyjson-malloc-needle/time-of-one", Above(1.1)},
				{"nlohmann::json with malloc", "cpp/packets/all/nlohmann-noexcept-needle/time-of-one", Above(1.1)},
				{"yyjson with an arena", "cpp/packets/all/yyjson-arena-needle/time-of-one", AtMost(1.1)},
				{"nlohmann::json with an arena", "cpp/packets/all/nlohmann-arena-noexcept-needle/time-of-one", AtMost(1.1)},
			},
			Beside: []Beside{{"cores", "cpp/cores", Plain}},
			Why:    []Reason{anyhow("The source's own figures double with an arena too: 642 for 319 ns.")},
		},
		{
			ID: "four-kilobytes", Section: "arena", Said: "4 KB on the stack is enough (counted as held: no packet is refused)", Form: Share,
			Tests: []Test{
				{"the three packets", "cpp/packets/yyjson-4096/refused", AtMost(0)},
				{onCorpus, "cpp/corpus/yyjson-4096/refused", AtMost(0)},
				{"nlohmann::json with the three packets", "cpp/packets/nlohmann-4096/refused", AtMost(0)},
			},
			Why: []Reason{anyhow("What a packet needs grows with its length and the number of its values. The corpus has longer packets than the three.")},
		},
		{
			ID: "simdjson-allocator", Section: "the cast", Said: "simdjson can't take an allocator, a reason to look elsewhere (counted as held: a parser that is used again still calls the heap)", Form: Plain,
			Tests:  []Test{{"", "cpp/packets/simdjson-ondemand/heap-calls", Above(0)}},
			Beside: []Beside{{"heap calls of the first packet", "cpp/packets/simdjson-ondemand/first-heap-calls", Plain}},
			Why:    []Reason{despite("It has no parameter for an allocator. A parser keeps its buffers: it asks for memory with the first packet of a size, and never again.")},
		},
		{
			ID: "pmr", Section: "conclusions", Said: "std::pmr is slower than an allocator without virtual calls",
			Tests: []Test{{"", "cpp/packets/nlohmann-pmr/time-of-nlohmann-arena-noexcept", Above(1)}},
			Why:   []Reason{because("Every call goes through a virtual function, and every container carries a pointer to its resource."), despite("A compiler that sees the resource calls it directly.")},
		},
		{
			ID: "one-malloc", Section: "yyjson", Said: "yyjson needs one malloc for a packet", Form: Plain,
			Tests: []Test{{"", "cpp/packets/yyjson-malloc-needle/heap-calls", Count(1)}},
			Why:   []Reason{because("The block for all values is sized by the length of the text."), despite("It copies the text first, unless it may change it, and asks again where its guess of the number of values was too low.")},
		},
		{
			ID: "allocators", Section: "further reading", Said: "Advanced allocators (jemalloc, mimalloc, tcmalloc) help where memory is taken often",
			Tests: []Test{
				{"jemalloc", "cpp/packets/nlohmann-jemalloc/over-nlohmann-noexcept", Above(1)},
				{"mimalloc", "cpp/packets/nlohmann-mimalloc/over-nlohmann-noexcept", Above(1)},
				{"tcmalloc", "cpp/packets/nlohmann-tcmalloc/over-nlohmann-noexcept", Above(1)},
			},
			Why: []Reason{anyhow("On one thread, glibc's cache for each thread answers requests of these sizes in a few nanoseconds too.")},
		},
	},
}
