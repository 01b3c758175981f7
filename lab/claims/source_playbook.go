package main

var playbook = Source{
	Name:    "8.4 encoding/json: Optimize (a playbook)",
	URL:     "https://senior-stack.uz/Roadmap/Programming-Languages/languages/golang/08-standard-library/04-encoding-json/optimize/",
	Machine: "Go 1.22, amd64, Linux",
	About:   "Each section's own struct, calls and parameters are the case; [the playbook's page](playbook.md) has all of them.",
	Rows: []Row{
		{
			ID: "1-allocations", Section: "1", Said: "A Marshal of a small struct takes 2 to 4 allocations", Form: Plain,
			Tests: []Test{{"", "playbook/1/marshal/allocs", Between(2, 4)}},
			Why:   []Reason{because("The struct is boxed in an interface and the result is a copy; buffers come from a pool."), despite("Buffers come from a pool: what is left is the box for the struct and the result.")},
		},
		{
			ID: "1-allocations-dominate", Section: "1", Said: "Allocations are the main cost of JSON (counted as held: half of the processor time and more)", Form: Share,
			Tests: []Test{
				{"Marshal", "playbook/1/marshal/allocating", AtLeast(0.5)},
				{"Unmarshal", "playbook/1/unmarshal/allocating", AtLeast(0.5)},
			},
			Why: []Reason{anyhow("encoding/json reads and writes byte by byte, and reads every text twice; a small struct has little to allocate.")},
		},
		{
			ID: "2-first-call", Section: "2", Said: "The first call for a type is far slower than later ones (counted as held: ten times and more)",
			Tests: []Test{{"", "playbook/2/first-call/over-later-call", AtLeast(10)}},
			Why:   []Reason{because("The plan of the type is made with the first call and kept.")},
		},
		{
			ID: "2-many-types", Section: "2", Said: "A program that writes a thousand types pays, once warm, what one does that writes one",
			Tests: []Test{{"", "playbook/2/many-types/over-one-type", About(1, edge)}},
			Why:   []Reason{despite("The plans of a thousand types are looked up in a table and read from memory, where one plan stays in the nearest cache."), because("A plan is found by a look-up.")},
		},
		{
			ID: "2-hand-written", Section: "2", Said: "A MarshalJSON by hand is 5 to 10 times as fast as reflection",
			Tests: []Test{
				{"a direct call", "playbook/2/marshal/over-hand-written", Range(5, 10)},
				{"json.Marshal of a type with the method", "playbook/2/marshal/over-hand-written-method", Range(5, 10)},
			},
			Why: []Reason{anyhow("json.Marshal reads the result of MarshalJSON again, to check and compact it, and copies it.")},
		},
		{
			ID: "3-growth", Section: "3", Said: "A Marshal of 64 KB copies through about five buffers", Form: Plain,
			Tests: []Test{
				{"a bytes.Buffer that is written in small pieces", "playbook/3/growth-64k/buffers", About(5, edge)},
				{"json.Marshal with an empty pool", "playbook/3/cold-marshal/allocs", About(5, edge)},
				{"json.Marshal", "playbook/3/marshal/allocs", About(5, edge)},
			},
			Why: []Reason{anyhow("json.Marshal takes its buffer from a pool of the package: once warm, it has the size of an earlier result, and only the result is allocated.")},
		},
		{
			ID: "3-pre-sized", Section: "3", Said: "A buffer sized before saves the copies (counted as held: less time than one that grows)",
			Tests: []Test{
				{"many Encodes into one buffer", "playbook/3/each-pre-sized/over-each-growing", Below(1)},
				{"one large Encode", "playbook/3/pre-sized/over-growing", Below(1)},
				{"one small Encode into 4,096 bytes", "playbook/3/small-4096/over-small-growing", Below(1)},
			},
			Why: []Reason{anyhow("An Encoder writes into a pooled buffer of the package first, and copies from there once: the buffer of the caller grows at most once for each Encode.")},
		},
		{
			ID: "3-encoder-memory", Section: "3", Said: "An Encoder on a file keeps one encoded field in memory, not the document (counted as held: at most a tenth of it)",
			Tests: []Test{{"", "playbook/3/encoder-to-file/peak-of-document", AtMost(0.1)}},
			Why:   []Reason{despite("Encode writes once, when the whole value is encoded: the document is in memory first.")},
		},
		{
			ID: "4-pooled-encoder", Section: "4", Said: "A pooled buffer with an Encoder and the copy-out pays for small payloads (counted as held: faster than Marshal)",
			Tests: []Test{
				{"the function as written", "playbook/4/pooled-encoder/over-marshal", Below(1)},
				{"it without SetEscapeHTML(false)", "playbook/4/pooled-escaping/over-marshal", Below(1)},
				{"it without the copy", "playbook/4/pooled-no-copy/over-marshal", Below(1)},
			},
			Why: []Reason{anyhow("json.Marshal has a pool inside. The pattern adds an Encoder for each call and a second buffer; without the copy it saves the result.")},
		},
		{
			ID: "4-above-cap", Section: "4", Said: "For payloads beyond the pool's cap it is noise (counted as held: not faster than Marshal)",
			Tests: []Test{{"", "playbook/4/above-cap/over-above-cap-marshal", AtLeast(1)}},
			Why:   []Reason{anyhow("A buffer above the cap is dropped: every call grows a new one, and copies the result in the end.")},
		},
		{
			ID: "4-escape-html", Section: "4", Said: "The pattern sets SetEscapeHTML(false) (counted as held: text with tags is written in less time)",
			Tests: []Test{{"", "playbook/4/no-escape-html/over-escape-html", Below(1)}},
			Why:   []Reason{because("Six characters for each bracket and ampersand are not written.")},
		},
		{
			ID: "4-decoder", Section: "4", Said: "A Decoder can be pooled like a buffer (counted as held: of 100 bodies, none is answered with what another one left, or refused for another one)", Form: Plain,
			Tests: []Test{
				{"what the last body left", "playbook/4/pooled-decoder/left-over-served", Count(0)},
				{"bodies after a bad one", "playbook/4/pooled-decoder/permanent-error", Count(0)},
			},
			Why: []Reason{despite("A Decoder can't be given another reader. It keeps what it has read ahead, and its first syntax error for good.")},
		},
		{
			ID: "5-raw-message", Section: "5", Said: "Where 1% of events need a heavy payload, RawMessage saves the others' parsing (counted as held: less time than parsing all)",
			Tests: []Test{
				{"a payload of one record", "playbook/5/raw-message/over-full", Below(1)},
				{"one of ten records", "playbook/5/large-raw-message/over-large-full", Below(1)},
			},
			Beside: []Beside{{"a number, which is not heavy", "playbook/5/number-raw-message/over-number-full", Times}},
			Why:    []Reason{anyhow("The payload is still validated and copied. What is saved is its values, so that it depends on how many there are.")},
		},
		{
			ID: "5-largest-gain", Section: "5", Said: "It is the largest gain that the standard library alone offers (counted as held: more than others for the same loop)",
			Tests: []Test{
				{"Unmarshal of each line instead of a Decoder", "playbook/5/raw-message/over-line-by-line", Below(1)},
				{"one variable for all events", "playbook/5/raw-message/over-reused-variable", Below(1)},
			},
			Why: []Reason{anyhow("Both others parse every payload.")},
		},
		{
			ID: "5-borrows", Section: "5", Said: "RawMessage borrows the decoder's buffer (counted as held: payloads that are kept change with the next Decode)", Form: Plain,
			Tests: []Test{
				{"a variable of each event", "playbook/5/fresh/aliases", AtLeast(1)},
				{"one variable for all events", "playbook/5/reused/aliases", AtLeast(1)},
			},
			Why: []Reason{anyhow("UnmarshalJSON appends to the RawMessage: a copy of the text. A variable that is used again has its bytes overwritten by the next one.")},
		},
		{
			ID: "6-batch", Section: "6", Said: "Marshal of a slice of a million records doubles the memory",
			Tests: []Test{{"", "playbook/6/batch/peak-of-records", About(2, 0.25)}},
			Why:   []Reason{despite("The buffer grows by doubling and the result is a copy of it: more than one JSON document is alive at the end.")},
		},
		{
			ID: "6-stream", Section: "6", Said: "Encoding record by record adds a few kilobytes to 200 MB of records (counted as held: less than 5%)",
			Tests: []Test{
				{"records passed by value, as the section does", "playbook/6/stream/peak-of-records", AtMost(1.05)},
				{"records passed by pointer", "playbook/6/stream-pointers/peak-of-records", AtMost(1.05)},
			},
			Why: []Reason{
				because("Each record is encoded and written before the next one."),
				sometimes("Each record is encoded and written before the next one. A record that is passed by value is copied into an interface, which is garbage afterwards."),
			},
		},
		{
			ID: "7-strict", Section: "7", Said: "Strict decoding takes 10 to 20% longer, for the check of keys and the construction of a Decoder",
			Tests: []Test{{"", "playbook/7/strict-decoder/over-unmarshal", Longer(0.1, 0.2)}},
			Beside: []Beside{
				{"strict against a lenient Decoder", "playbook/7/strict-decoder/over-decoder", Times},
				{"strict against a lenient Decoder, 64 KiB", "playbook/7/large-strict-decoder/over-large-decoder", Times},
			},
			Why: []Reason{anyhow("The benchmark of the section compares a Decoder with Unmarshal. Looking at an unknown key is a branch that a lenient decoder has too: what costs is the Decoder and its buffer.")},
		},
		{
			ID: "8-number-allocations", Section: "8", Said: "json.Number adds two allocations for each field (elsewhere in the section: one)", Form: Plain,
			Tests: []Test{{"", "playbook/8/number/allocs-per-field", Count(2)}},
			Why:   []Reason{despite("One: the text of the number. Parsing it allocates nothing, and a number decoded into an int64 allocates nothing in either case.")},
		},
		{
			ID: "8-number-time", Section: "8", Said: "json.Number and its parse cost measurable time (counted as held: more than a typed field)",
			Tests: []Test{{"", "playbook/8/number/over-typed", Above(1)}},
			Why:   []Reason{anyhow("The digits are checked, copied and parsed later, where an int64 is parsed at once.")},
		},
		{
			ID: "9-append-format", Section: "9", Said: "A marshaler with AppendFormat beats one with fmt.Sprintf",
			Tests: []Test{
				{"a direct call", "playbook/9/sprintf/over-append-format", Above(1)},
				{"json.Marshal", "playbook/9/sprintf-marshal/over-append-format-marshal", Above(1)},
			},
			Why: []Reason{because("One allocation instead of several, and no interpretation of a format.")},
		},
		{
			ID: "9-scratch", Section: "9", Said: "A scratch array in the encoder allocates nothing for a call", Form: Plain,
			Tests: []Test{{"", "playbook/9/scratch/allocs", Count(0)}},
			Why:   []Reason{because("The array is part of the encoder, and the output has room.")},
		},
		{
			ID: "10-indent", Section: "10", Said: "MarshalIndent doubles the cost of Marshal",
			Tests: []Test{
				{"the struct", "playbook/10/small-marshal-indent/over-small-marshal", About(2, 0.25)},
				{"a bid request of 5 KB", "playbook/10/request-marshal-indent/over-request-marshal", About(2, 0.25)},
				{"64 KiB of events", "playbook/10/events-marshal-indent/over-events-marshal", About(2, 0.25)},
			},
			Why: []Reason{anyhow("The output is read again byte by byte and written a second time into a buffer of its own.")},
		},
		{
			ID: "10-existing", Section: "10", Said: "json.Indent of existing text is far cheaper than Unmarshal and MarshalIndent (counted as held: a third of the time)",
			Tests: []Test{
				{"reading into an any", "playbook/10/request-indent/over-request-any-again", AtMost(0.34)},
				{"reading into its type", "playbook/10/request-indent/over-request-typed-again", AtMost(0.34)},
			},
			Why: []Reason{because("It reads the text once and makes no values.")},
		},
		{
			ID: "11-gojson", Section: "11", Said: "goccy/go-json is often 2 to 3 times as fast as the standard library, on common shapes",
			Tests: eachShape("encoding-json", "gojson", Range(2, 3)),
			Why:   []Reason{anyhow("It depends on the shape of the document, as the playbook says.")},
		},
		{
			ID: "11-sonic", Section: "11", Said: "sonic is often the fastest on amd64 Linux (counted as held: faster than the fastest other library)",
			Tests: fastest("sonic-fastest", playbookShapes),
			Why:   []Reason{anyhow("sonic compiles each type to machine code, and copies strings with SIMD. Reading makes objects for pointers, and these come from the same allocator for every library. It is in its fastest configuration, which escapes no HTML.")},
		},
		{
			ID: "11-easyjson", Section: "11", Said: "easyjson is the fastest option for fixed schemas (counted as held: faster than the fastest other library)",
			Tests: fastest("easyjson", playbookShapes[2:]),
			Why:   []Reason{despite("Its code reads token by token and checks the state of a lexer on each; sonic and go-json have plans for a type, too, which are made when the program runs.")},
		},
		{
			ID: "11-jsoniter", Section: "11", Said: "json-iterator is focused on fewer allocations (counted as held: fewer than the standard library, with the playbook's own struct)", Form: Share,
			Tests: []Test{
				{"reading the struct", over("playbook/11/user-read-jsoniter/allocs", "playbook/11/user-read-encoding-json/allocs"), Below(1)},
				{"writing the struct", over("playbook/11/user-write-jsoniter/allocs", "playbook/11/user-write-encoding-json/allocs"), Below(1)},
			},
			Beside: []Beside{{"reading a request of 804 bytes", "playbook/11/banner-read-jsoniter/allocs-over-banner-read-encoding-json", Times}},
			Why:    []Reason{anyhow("Writing is two allocations with each: the box of the struct and the result. Of a struct with more than ten fields, as those of a bid request are, json-iterator makes a string of every key.")},
		},
		{
			ID: "12-token", Section: "12", Said: "Decoder.Token reads a huge document in the memory of one element (counted as held: less than a hundredth of the document)",
			Tests: []Test{{"", "playbook/12/walk/peak-of-document", AtMost(0.01)}},
			Why:   []Reason{anyhow("The Decoder's buffer has one element and what was read ahead; elements that were read are garbage until the next collection.")},
		},
		{
			ID: "13-second-document", Section: "13", Said: "Decode one value from the body and drain the rest: a second document is passed over (share of such requests that are answered with 200)", Form: Share,
			Tests: []Test{{"", "playbook/13/second-document/accepted", AtLeast(1)}},
			Why:   []Reason{because("Decode reads one value, and the drain throws away what follows: a body of two documents is accepted.")},
		},
		{
			ID: "13-drain", Section: "13", Said: "Without the drain the connection is lost (counted as held: a new connection for every second request or more)", Form: Plain,
			Tests: []Test{
				{"bodies of one document", "playbook/13/no-drain-0/connections", AtLeast(0.5)},
				{"100 KB left unread", "playbook/13/no-drain-100k/connections", AtLeast(0.5)},
				{"900 KB left unread", "playbook/13/no-drain-900k/connections", AtLeast(0.5)},
			},
			Beside: []Beside{{"900 KB drained", "playbook/13/drain-900k/connections", Plain}},
			Why:    []Reason{anyhow("net/http reads what is left of a body itself, up to 256 KiB, when the handler returns.")},
		},
		{
			ID: "13-limit", Section: "13", Said: "MaxBytesReader bounds what is read (counted as held: a quarter of a body of 8 MB or less)", Form: Share,
			Tests: []Test{{"", "playbook/13/limit/read-over-no-limit", AtMost(0.25)}},
			Why:   []Reason{because("After the limit of 1 MiB nothing is read for the handler, and the connection is closed.")},
		},
		{
			ID: "14-any", Section: "14", Said: "A typed struct skips what decoding into any allocates",
			Tests: []Test{
				{"time", "playbook/14/any/over-struct", Above(1)},
				{"allocations", "playbook/14/any/allocs-over-struct", Above(1)},
			},
			Why: []Reason{anyhow("Maps, keys and boxed numbers are all allocated; a struct with optional fields has pointers, which are allocated too.")},
		},
		{
			ID: "14-any-slice", Section: "14", Said: "[]any allocates for every element where []MyStruct does not", Form: Plain,
			Tests: []Test{
				{"allocations of an element in []any, at least one", "playbook/14/any-slice/allocs-per-element", AtLeast(1)},
				{"allocations of an element in []MyStruct, none", "playbook/14/struct-slice/allocs-per-element", AtMost(0.1)},
			},
			Why: []Reason{because("Each element of []any is a map in an interface, with its keys and values; a struct is in the array.")},
		},
		{
			ID: "14-pointers", Section: "14", Said: "[]*BigStruct is not always a win for decoding (counted as held: not faster than []BigStruct)",
			Tests: []Test{
				{"elements of 24 bytes", "playbook/14/small-pointers/over-small-values", AtLeast(1)},
				{"elements of about 500 bytes", "playbook/14/large-pointers/over-large-values", AtLeast(1)},
			},
			Why: []Reason{anyhow("A slice of values is copied when it grows, a slice of pointers has an allocation for each element.")},
		},
		{
			ID: "14-room", Section: "14", Said: "A MarshalJSON that reserves room is far cheaper than one that grows (counted as held: 1.5 times)",
			Tests: []Test{
				{"a direct call", "playbook/14/no-room/over-room", AtLeast(1.5)},
				{"json.Marshal", "playbook/14/no-room-marshal/over-room-marshal", AtLeast(1.5)},
			},
			Why: []Reason{anyhow("Growing costs some allocations. json.Marshal adds a second reading of the result, which costs the same either way.")},
		},
		{
			ID: "14-buffer", Section: "14", Said: "A []byte of a fixed size saves the allocation of a bytes.Buffer", Form: Plain,
			Tests: []Test{{"", "playbook/14/buffer/allocs-beyond-room", AtLeast(0.9)}},
			Why:   []Reason{despite("The buffer is a variable of the function: the compiler keeps it on the stack.")},
		},
		{
			ID: "14-names", Section: "14", Said: "ASCII field names are faster to write than others (counted as held: 3%)",
			Tests: []Test{{"", "playbook/14/other-names/over-ascii-names", AtLeast(1.03)}},
			Why:   []Reason{despite("Names are quoted once, when the plan of the type is made.")},
		},
		{
			ID: "15-symbols", Section: "15", Said: "A CPU profile of JSON has reflect.Value.Field, reflect.Value.Interface, strconv.formatBits and encodeState.string at its top (counted as held: 1% of the samples or more)", Form: Share,
			Tests: []Test{
				{"reflect.Value.Field", "playbook/15/reflect-value-field/cpu", AtLeast(0.01)},
				{"reflect.Value.Interface", "playbook/15/reflect-value-interface/cpu", AtLeast(0.01)},
				{"strconv.formatBits", "playbook/15/formatbits/cpu", AtLeast(0.01)},
				{"encodeState.string", "playbook/15/string/cpu", AtLeast(0.01)},
			},
			Why: []Reason{anyhow("The table has names of earlier releases: encodeState.string is no longer there, appendString does its work.")},
		},
		{
			ID: "15-map", Section: "15", Said: "runtime.mapassign at the top means that objects are decoded into maps (counted as held: into an any 1% or more)", Form: Share,
			Tests:  []Test{{"", "playbook/15/mapassign/cpu", AtLeast(0.01)}},
			Beside: []Beside{{"into a struct", "playbook/15/mapassign-into-struct/cpu", Share}},
			Why:    []Reason{because("Every key of every object is put into a map[string]any.")},
		},
		{
			ID: "15-indirect", Section: "15", Said: "json.indirect is usually the dominant allocator of Unmarshal (counted as held: half of the bytes or more)", Form: Share,
			Tests: []Test{{"", "playbook/15/indirect/allocated", AtLeast(0.5)}},
			Why:   []Reason{despite("It allocates what pointers point to. Strings and lists are allocated elsewhere.")},
		},
		{
			ID: "16-small", Section: "16", Said: "Marshal of a small struct takes less than a microsecond", Form: Plain,
			Tests: []Test{{"", "playbook/16/marshal-small/ns", Below(1000)}},
			Why:   []Reason{because("The struct has six fields.")},
		},
		{
			ID: "16-gain", Section: "16", Said: "In a handler that does anything else, JSON five times as fast saves about 1% (counted as held: at most 2%)", Form: Share,
			Tests: []Test{
				{"an answer over loopback, by the clock", "playbook/16/round-trip/saved-of-five", AtMost(0.02)},
				{"a handler that decodes a bid request, processor time", "playbook/16/handler-0/saved-of-five", AtMost(0.02)},
				{"a handler that does ten times as much beside it", "playbook/16/handler-400/saved-of-five", AtMost(0.02)},
			},
			Beside: []Beside{{"decoding's share of that handler", "playbook/16/handler-0/json-share", Share}},
			Why:    []Reason{anyhow("The rest of the handler decides. A bidder waits for no database: decoding is a large part of what it does.")},
		},
		{
			ID: "16-ten-percent", Section: "16", Said: "Switch when JSON is more than 10% of the processor time (counted as held: it tells for four handlers of four whether go-json saves 5% or more)", Form: Plain,
			Tests: []Test{{"", "playbook/16/rule/right", Count(4)}},
			Why: []Reason{
				because("go-json saves about two thirds of the time of decoding."),
				despite("A library that is 3.5 times as fast saves 5% where JSON takes 7%, below the limit of the rule."),
			},
		},
		{
			ID: "16-sonic", Section: "16", Said: "sonic needs amd64 Linux for full performance, and falls back to a slower path on darwin/arm64 (counted as held: it compiles decoders to machine code on one and not on the other)", Form: Flag,
			Tests: []Test{
				{"linux/amd64", "playbook/16/sonic/compiles-linux-amd64", Yes},
				{"darwin/arm64", "playbook/16/sonic/compiles-darwin-arm64", No},
			},
			Why: []Reason{because("The package that compiles decoders is not part of a build for arm64, where a decoder made of functions takes its place. How much slower that is was not measured.")},
		},
		{
			ID: "17-v2", Section: "17", Said: "encoding/json/v2 allocates less for common types", Form: Share,
			Tests: ratios("encoding-json-v2/allocs-over-encoding-json", Below(1)),
			Why:   []Reason{anyhow("It has one pass and no copies for unquoting; objects for pointers are the same.")},
		},
		{
			ID: "17-cache", Section: "17", Said: "Its plans of types are more compact and found faster", Form: Times,
			Tests: []Test{
				{"bytes that the first call for a type allocates", "playbook/17/v2-new-types/bytes-over-v1-new-types", Below(1)},
				{"time of a call with 1,000 warm types in turn", "playbook/17/v2-warm-types/over-v1-warm-types", Below(1)},
			},
			Why: []Reason{anyhow("The types are structs of six fields. What the first call allocates has the result of that call in it.")},
		},
		{
			ID: "17-standard", Section: "17", Said: "encoding/json/v2 is not in the standard library", Form: Flag,
			Tests: []Test{
				{"a usual build", "playbook/17/importable/default", No},
				{"a build with GOEXPERIMENT=jsonv2", "playbook/17/importable/experiment", No},
			},
			Why: []Reason{anyhow("It comes with Go since 1.25, as an experiment.")},
		},
		{
			ID: "18-reflection", Section: "18", Said: "The marshaler by hand is 5 times as fast: 85 and 440 ns",
			Tests: []Test{{"", "playbook/18/marshal/over-hand-written", About(5.2, 0.25)}},
			Why:   []Reason{anyhow("The function by hand is called directly, which json.Marshal never does. What is left of its time is one allocation and the quoting of strings.")},
		},
		{
			ID: "18-allocations", Section: "18", Said: "3 allocations with reflection, 1 by hand", Form: Plain,
			Tests: []Test{
				{"reflection", "playbook/18/marshal/allocs", Count(3)},
				{"the function by hand", "playbook/18/hand-written/allocs", Count(1)},
			},
			Why: []Reason{anyhow("With reflection: the box of the struct and the result. By hand: the result.")},
		},
		{
			ID: "18-bytes", Section: "18", Said: "192 bytes with reflection, 128 by hand", Form: Plain,
			Tests: []Test{
				{"reflection", "playbook/18/marshal/bytes", Count(192)},
				{"the function by hand", "playbook/18/hand-written/bytes", Count(128)},
			},
			Why: []Reason{anyhow("With reflection: the struct, 80 bytes, and its JSON of about as many. By hand: what make reserves.")},
		},
		{
			ID: "18-quote", Section: "18", Said: "strconv.AppendQuote writes nearly JSON: only a few characters differ (counted as held: what it writes is JSON)", Form: Flag,
			Tests:  []Test{{"", "playbook/18/append-quote/invalid", No}},
			Beside: []Beside{{"characters that JSON reads as others, or not at all", "playbook/18/append-quote/misread", Plain}},
			Why:    []Reason{despite("It writes \\x00, \\a, \\v and \\U0001f600, which no JSON parser accepts; it does not escape single quotes.")},
		},
	},
}

// playbookShapes are what section 11 is tried with: the struct of the playbook, and bid requests.
var playbookShapes = [][2]string{
	{"user-read", "reading the struct"}, {"user-write", "writing the struct"},
	{"banner-read", "reading a request of 804 bytes"}, {"banner-write", "writing a request of 804 bytes"},
	{"app-read", "reading a request of 5 KB"}, {"app-write", "writing a request of 5 KB"},
}

// eachShape tests the time of one library over that of another.
func eachShape(a, b string, rule Rule) (tests []Test) {
	for _, s := range playbookShapes {
		tests = append(tests, Test{s[1], "playbook/11/" + s[0] + "-" + a + "/over-" + s[0] + "-" + b, rule})
	}
	return tests
}

// fastest tests whether a library takes less time than all others.
func fastest(library string, shapes [][2]string) (tests []Test) {
	for _, s := range shapes {
		tests = append(tests, Test{s[1], "playbook/11/" + s[0] + "-" + library + "/over-best-other", Below(1)})
	}
	return tests
}
