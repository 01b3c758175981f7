package conformance

import (
	"fmt"
	"strings"
)

// family makes hostile documents of about any size.
type family struct {
	name string
	make func(size int) string
}

// repeated is a family of documents that repeat one element.
func repeated(name, head, element, separator, tail string) family {
	return family{name, func(size int) string {
		n := max(0, size-len(head)-len(tail)-len(element)) / (len(element) + len(separator))
		return head + strings.Repeat(element+separator, n) + element + tail
	}}
}

// memoryFamilies make values that are much larger than their text.
var memoryFamilies = []family{
	repeated("impressions", `{"imp":[`, `{}`, `,`, `]}`),
	repeated("impressions that are null", `{"imp":[`, `null`, `,`, `]}`),
	repeated("impressions with two numbers", `{"imp":[`, `{"secure":1,"instl":1}`, `,`, `]}`),
	repeated("impressions of banners", `{"imp":[`, `{"banner":{}}`, `,`, `]}`),
	repeated("impressions of everything", `{"imp":[`, `{"banner":{},"video":{},"audio":{},"native":{},"pmp":{},"qty":{},"refresh":{}}`, `,`, `]}`),
	repeated("one video after the other", `{"imp":[{`, `"video":{}`, `,`, `}]}`),
	repeated("one site after the other", `{`, `"site":{}`, `,`, `}`),
	repeated("one array after the other", `{`, `"imp":[{},{}]`, `,`, `}`),
	repeated("one small array after the other", `{"imp":[{"banner":{`, `"api":[1]`, `,`, `}}]}`),
	repeated("strings", `{"bcat":[`, `""`, `,`, `]}`),
	repeated("strings with escapes", `{"bcat":[`, `"\n"`, `,`, `]}`),
	repeated("longer strings with escapes", `{"bcat":[`, `"\n`+strings.Repeat("a", 130)+`"`, `,`, `]}`),
	repeated("integers", `{"imp":[{"banner":{"api":[`, `1`, `,`, `]}}]}`),
	repeated("formats", `{"imp":[{"banner":{"format":[`, `{}`, `,`, `]}}]}`),
	repeated("banners in a video", `{"imp":[{"video":{"companionad":[`, `{}`, `,`, `]}}]}`),
	repeated("two in each of many", `{"imp":[`, `{"pmp":{"deals":[{},{}]},"metric":[{},{}]}`, `,`, `]}`),
	repeated("nodes", `{"source":{"schain":{"nodes":[`, `{}`, `,`, `]}}}`),
	repeated("segments", `{"user":{"data":[`, `{"segment":[{},{}]}`, `,`, `]}}`),
	repeated("ids", `{"user":{"eids":[`, `{"uids":[{},{}]}`, `,`, `]}}`),
	repeated("agents", `{"device":{"sua":{"browsers":[`, `{"version":[""]}`, `,`, `]}}}`),
	repeated("single numbers", `{`, `"at":1`, `,`, `}`),
	repeated("unknown objects", `{"x":[`, `{}`, `,`, `]}`),
	repeated("unknown keys", `{`, `"a":{}`, `,`, `}`),
	repeated("keys with escapes", `{`, `"\n":0`, `,`, `}`),
	repeated("ext of objects", `{"ext":[`, `{}`, `,`, `]}`),
	repeated("many ext", `{"imp":[`, `{"ext":{}}`, `,`, `]}`),
	repeated("brackets", `{"x":[`, `[[[[[]]]]]`, `,`, `]}`),
	{"a long key", func(size int) string { return `{"` + strings.Repeat("k", size) + `":1}` }},
	{"a long key of escapes", func(size int) string { return `{"` + strings.Repeat(`\n`, size/2) + `":1}` }},
	{"a long string of escapes", func(size int) string { return `{"id":"` + strings.Repeat(`\n`, size/2) + `"}` }},
	{"deep", func(size int) string {
		one := strings.Repeat("[", 1000) + strings.Repeat("]", 1000)
		return `{"x":[` + strings.Repeat(one+",", size/2001) + `0]}`
	}},
}

// longFamilies make documents that take a quadratic parser long.
var longFamilies = []family{
	{"opening brackets", func(n int) string { return `{"x":` + strings.Repeat("[", n) + "}" }},
	{"opening braces", func(n int) string { return strings.Repeat(`{"a":`, n/5) + "}" }},
	{"backslashes", func(n int) string { return `{"id":"` + strings.Repeat(`\\`, n/2) + `"}` }},
	{"backslashes, unknown", func(n int) string { return `{"x":"` + strings.Repeat(`\\`, n/2) + `"}` }},
	{"quotes", func(n int) string { return `{"x":"` + strings.Repeat(`\"`, n/2) + `"}` }},
	{"a long string", func(n int) string { return `{"id":"` + strings.Repeat("a", n) + `"}` }},
	{"a long number", func(n int) string { return `{"imp":[{"bidfloor":0.` + strings.Repeat("1", n) + `}]}` }},
	{"a long integer", func(n int) string { return `{"at":` + strings.Repeat("1", n) + `}` }},
	{"a long number, unknown", func(n int) string { return `{"x":` + strings.Repeat("1", n) + `}` }},
	{"a long exponent", func(n int) string { return `{"imp":[{"bidfloor":0e` + strings.Repeat("1", n) + `}]}` }},
	{"white space", func(n int) string { return strings.Repeat(" ", n/2) + `{` + strings.Repeat("\n", n/2) + `}` }},
	{"white space at the end", func(n int) string { return `{}` + strings.Repeat(" ", n) }},
	{"white space after each comma", func(n int) string { return `{"cur":[` + strings.Repeat(`"a",`+strings.Repeat(" ", 60), n/64) + `"a"]}` }},
	{"not UTF-8", func(n int) string { return `{"id":"` + strings.Repeat("\xff", n) + `"}` }},
	{"half surrogates", func(n int) string { return `{"cur":["` + strings.Repeat(`\ud800`, n/6) + `"]}` }},
	{"strings for integers", func(n int) string { return `{"imp":[{"banner":{"api":["1"` + strings.Repeat(`,"1"`, n/4) + `]}}]}` }},
	{"wide characters", func(n int) string { return `{"id":"` + strings.Repeat("€", n/3) + `"}` }},
	{"many different keys", func(n int) string {
		var b strings.Builder
		b.WriteString(`{"x":0`)
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, `,"%x":0`, i)
		}
		return b.String() + "}"
	}},
	{"keys below many arrays", func(n int) string {
		var b strings.Builder
		b.WriteString(`{"x":` + strings.Repeat("[", 1000))
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, `{"%x":0},`, i)
		}
		return b.String() + "0" + strings.Repeat("]", 1000) + "}"
	}},
	{"an error at the very end", func(n int) string { return `{"x":[` + strings.Repeat("0,", n/2) + `]}` }},
	{"errors in nested objects", func(n int) string { return strings.Repeat(`{"site":`, min(n/8, 900)) + strings.Repeat(" ", n) + "}" }},
}
