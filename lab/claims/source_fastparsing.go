package main

var fastParsing = Source{
	Name:    "Fast JSON parsing in Go for OpenRTB",
	URL:     "https://blog.matiaspan.dev/posts/fast-json-parsing-for-open-rtb/",
	Machine: "an Intel Mac with 12 threads, in 2020, a request with one impression",
	About: "Its types have the fields that its author's service needs; here they have the whole specification. json-iterator is in its " +
		"fastest configuration, as there. jsonparser and simdjson-go do not fill structs: they are compared where twenty fields of a " +
		"request are read.",
	Rows: []Row{
		{
			ID: "jsoniter", Section: "performance", Said: "json-iterator is about 4 times as fast as encoding/json (4,730 and 17,180 ns)",
			Tests: ratios("encoding-json/over-jsoniter-fastest", About(3.63, edge)),
			Why:   []Reason{anyhow("json-iterator's last release is of 2021, encoding/json has been worked on since. json-iterator makes a string of every key of a struct with more than ten fields.")},
		},
		{
			ID: "jsoniter-easyjson", Section: "performance", Said: "json-iterator is 1.2 times as fast as easyjson (4,730 and 5,695 ns)",
			Tests: ratios("easyjson/over-jsoniter-fastest", About(1.2, edge)),
			Why:   []Reason{anyhow("easyjson allocates about half as many objects, and is generated for the types; json-iterator finds fields through compiled closures.")},
		},
		{
			ID: "easyjson-allocations", Section: "performance", Said: "easyjson needs 28 allocations where encoding/json needs 49: 57%", Form: Share,
			Tests: ratios("easyjson/allocs-over-encoding-json", About(0.57, edge)),
			Why:   []Reason{anyhow("Both make an object for each pointer, and here most objects are such: how many pointers a request fills decides.")},
		},
		{
			ID: "jsonparser", Section: "performance", Said: "json-iterator is twice as fast as jsonparser (4,730 and 9,360 ns)",
			Tests: []Test{
				{onBanner, "partial/banner/jsonparser/over-jsoniter-fastest", About(1.98, edge)},
				{onApp, "partial/app/jsonparser/over-jsoniter-fastest", About(1.98, edge)},
			},
			Why: []Reason{anyhow("jsonparser searches paths in the text. It makes no objects for what nobody asks for; the more fields are wanted, the less that saves.")},
		},
		{
			ID: "simdjson", Section: "performance", Said: "simdjson-go takes 6 times as long as json-iterator (26,658 and 4,730 ns)",
			Tests: []Test{
				{onBanner, "partial/banner/simdjson-go/over-jsoniter-fastest", About(5.64, edge)},
				{onApp, "partial/app/simdjson-go/over-jsoniter-fastest", About(5.64, edge)},
			},
			Why: []Reason{anyhow("The post allocates 115 KB for each request: a new tape each time. Here the tape is used again, as the library's documentation says.")},
		},
	},
}
