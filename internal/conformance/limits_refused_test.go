package conformance

import (
	"fmt"
	"strings"
)

// groups are all families, by what they try.
var groups = []struct {
	name     string
	families []family
}{
	{"values larger than their text", memoryFamilies},
	{"long or deep text", longFamilies},
	{"repairs, one after the other", repairFamilies},
	{"keys and paths", keyFamilies},
	{"cut off", cutFamilies},
	{"wrong at the end", lateFamilies},
}

// families returns the families of all groups.
func families() (all []family) {
	for _, g := range groups {
		all = append(all, g.families...)
	}
	return all
}

// padded is a family of documents that repeat a text between a head and a tail.
func padded(name, head, text, tail string) family {
	return family{name, func(size int) string {
		return head + strings.Repeat(text, max(0, size-len(head)-len(tail))/len(text)) + tail
	}}
}

// numbered is a family of documents that repeat a text with a number in it.
func numbered(name, head, format, tail string) family {
	return family{name, func(size int) string {
		var b strings.Builder
		b.WriteString(head)
		for i := 0; i == 0 || b.Len()+len(tail) < size; i++ {
			fmt.Fprintf(&b, format, i)
		}
		return b.String() + tail
	}}
}

// nested is a family of documents that nest an object or array as deep as their size allows, up to
// levels.
func nested(name, open, inner, closing string, levels int) family {
	return family{name, func(size int) string {
		n := min(levels, max(1, (size-len(inner))/(len(open)+len(closing))))
		return strings.Repeat(open, n) + inner + strings.Repeat(closing, n)
	}}
}

// after is a family of realistic requests without the closing brace, and with a tail.
func after(name, tail string) family {
	return family{name, func(size int) string {
		doc := realisticRequest(size - len(tail))
		return doc[:len(doc)-1] + tail
	}}
}

// repairFamilies have something to repair in every few bytes. Other modes refuse most of them.
var repairFamilies = []family{
	padded("bytes that are not UTF-8", `{"id":"`, "\xff", `"}`),
	padded("bytes that are not UTF-8, unknown", `{"x":"`, "\xff", `"}`),
	padded("bytes that are not UTF-8 in a key", `{"`, "\xff", `":0}`),
	padded("bytes that are not UTF-8 in a key, and a fault", `{"`, "\xff", `":x}`),
	padded("half surrogates", `{"id":"`, `\ud800`, `"}`),
	repeated("numbers for strings", `{"bcat":[`, `0`, `,`, `]}`),
	repeated("strings for integers", `{"imp":[{"banner":{"api":[`, `"1"`, `,`, `]}}]}`),
	repeated("fractions for integers", `{"imp":[{"banner":{"api":[`, `1e0`, `,`, `]}}]}`),
	repeated("quoted members", `{`, `"at":"1"`, `,`, `}`),
	repeated("bare values for arrays", `{`, `"cur":0`, `,`, `}`),
	repeated("bare objects for arrays", `{"imp":[`, `{"metric":{"type":0}}`, `,`, `]}`),
	repeated("repairs, and a fault at the end", `{"bcat":[`, `0`, `,`, `,x]}`),
	repeated("repairs, and a type at the end", `{"bcat":[`, `0`, `,`, `,{}]}`),
	repeated("repairs far down", `{"user":{"data":[{"segment":[{"id":"a"},{"id":"b"}]},{"segment":[`, `{"id":0}`, `,`, `]}]}}`),
	repeated("tilde for integers", `{"imp":[{"banner":{"api":[`, `"~"`, `,`, `]}}]}`),
}

// keyFamilies are about the search for repeated keys and the paths of errors.
var keyFamilies = []family{
	numbered("different keys, then one again", `{"x":0`, `,"%x":0`, `,"x":0}`),
	numbered("different keys with escapes", `{"x":0`, `,"\n%x":0`, `}`),
	numbered("objects with many keys", `{"x":[0`, `,{"a":0,"b":0,"c":0,"d":0,"%x":0}`, `]}`),
	numbered("many keys, and a fault", `{"x":0`, `,"%x":0`, `,"y":x}`),
	nested("a repeated key far down", `{"a":`, `{"a":0,"a":0}`, `}`, 1000),
	nested("a repeated key in arrays far down", `{"a":[`, `{"a":0,"a":0}`, `]}`, 500),
	nested("objects far down, and a fault", `{"a":`, `x`, `}`, 1020),
	nested("objects without a name far down, and a fault", `{"":`, `x`, `}`, 1020),
	nested("long keys far down, and a fault", `{"`+strings.Repeat("k", 40)+`":`, `x`, `}`, 1020),
	nested("escapes in keys far down, and a fault", `{"\u0000\u0000~/":`, `x`, `}`, 1020),
	nested("arrays far down, and a fault", `{"a":[0,`, `x`, `]}`, 500),
	padded("a long key, and a fault", `{"`, `k`, `":x}`),
	padded("a long key of escapes, and a fault", `{"`, `\n`, `":x}`),
	padded("a long key of tildes, and a fault", `{"`, `~/`, `":x}`),
	padded("a long key of wide characters, and a fault", `{"`, `€`, `":x}`),
	padded("a long key, and a fault in a known object", `{"imp":[{"`, `k`, `":{"x":x}}]}`),
	repeated("a long list, and a fault", `{"bcat":[`, `""`, `,`, `,x]}`),
}

// cutFamilies end too early.
var cutFamilies = []family{
	padded("arrays", `{"ext":`, `[`, ``),
	padded("arrays of arrays", `{"ext":`, `[[],`, ``),
	padded("objects", ``, `{"a":`, ``),
	padded("known objects", `{"site":`, `{"publisher":`, ``),
	padded("a string", `{"id":"`, `a`, ``),
	padded("a string with escapes", `{"id":"`, `\n`, ``),
	padded("an unknown string, before a brace", `{"x":"`, `a`, `}`),
	padded("a string with escapes, before a brace", `{"id":"`, `\n`, `}`),
	padded("a key", `{"`, `k`, ``),
	padded("a number", `{"at":`, `1`, ``),
	padded("spaces", `{"at":1,`, ` `, ``),
	padded("impressions", `{"imp":[`, `{},`, ``),
	padded("impressions, before a brace", `{"imp":[`, `{},`, `{}`),
	after("after a value", ``),
	after("after a comma", `,`),
	after("in a key", `,"ke`),
	after("after a key", `,"key"`),
	after("after a colon", `,"key":`),
	after("in a word", `,"key":tr`),
	after("in a number", `,"key":-`),
	after("in an escape", `,"key":"\u00`),
	after("in objects, before a brace", `,"imp":[{"banner":{"w":1}`),
}

// lateFamilies are requests like others up to their end.
var lateFamilies = []family{
	after("a type", `,"at":"1"}`),
	after("a range", `,"at":99999999999999999999}`),
	after("syntax", `,"at":x}`),
	after("an escape", `,"id":"\x"}`),
	after("a control character", ",\"id\":\"\n\"}"),
	after("not UTF-8", ",\"id\":\"\xff\"}"),
	after("not UTF-8, unknown", ",\"x\":\"\xff\"}"),
	after("half a surrogate pair", `,"id":"\ud800"}`),
	after("a number", `,"at":01}`),
	after("something after the end", `}x}`),
	after("a repeated key", `,"id":"1"}`),
	after("an array", `,"imp":[{"banner":[]}]}`),
	{"a byte order mark", func(size int) string { return "\ufeff" + realisticRequest(size) }},
	{"a byte order mark and a fault", func(size int) string { return "\ufeff" + realisticRequest(size) + "x" }},
	{"a byte order mark, spaces and a fault", func(size int) string { return "\ufeff" + strings.Repeat(" ", size) + "x" }},
	{"an array for the document", func(size int) string { return `[` + realisticRequest(size) + `]` }},
	padded("spaces in an array", `{"x":[`, ` `, `x]}`),
	padded("spaces after a value", `{"at":1`, ` `, `x}`),
	padded("spaces after the document", `{}`, ` `, `x}`),
	padded("a number that is too large", `{"imp":[{"bidfloor":1`, `0`, `e999}]}`),
	padded("a number with too many digits", `{"at":1`, `0`, `}`),
}

// responseFamilies and nativeFamilies are values larger than their text for other roots.
var (
	responseFamilies = []family{
		repeated("seats", `{"seatbid":[`, `{}`, `,`, `]}`),
		repeated("bids", `{"seatbid":[{"bid":[`, `{}`, `,`, `]}]}`),
		repeated("bids with prices", `{"seatbid":[{"bid":[`, `{"price":1,"w":1,"h":1}`, `,`, `]}]}`),
		repeated("bids with domains", `{"seatbid":[{"bid":[`, `{"adomain":[""],"cat":[""],"attr":[1]}`, `,`, `]}]}`),
		repeated("seats with bids", `{"seatbid":[`, `{"bid":[{},{}]}`, `,`, `]}`),
	}
	nativeFamilies = []family{
		repeated("assets", `{"assets":[`, `{}`, `,`, `]}`),
		repeated("assets of everything", `{"assets":[`, `{"title":{},"img":{},"video":{},"data":{},"link":{}}`, `,`, `]}`),
		repeated("trackers", `{"eventtrackers":[`, `{}`, `,`, `]}`),
		repeated("methods", `{"eventtrackers":[`, `{"methods":[1]}`, `,`, `]}`),
		repeated("links", `{"link":{"clicktrackers":[`, `""`, `,`, `]}}`),
	}
)

// realisticRequest returns a valid request of about a length like those on the wire.
func realisticRequest(size int) string {
	const (
		short = `{"id":"80ce30c53c16","imp":[{"id":"1","banner":{"w":300,"h":250}}],"at":1,"test":0`
		site  = `,"site":{"id":"102855","cat":["IAB3-1"],"domain":"www.example.com","page":"https://www.example.com/1234.html","publisher":{"id":"8953","name":"example.com"}}`
		agent = `,"device":{"ua":"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36","ip":"64.124.253.1","geo":{"lat":37.7,"lon":-122.4,"country":"USA"}}`
		more  = `,"bidfloor":0.03,"bidfloorcur":"USD","secure":1,"instl":0,"tagid":"agltb3B1Yi1pbmN","banner":{"pos":1,"battr":[13],"format":[{"w":300,"h":250},{"w":728,"h":90}],"ext":{"a":[1,2]}}}`
	)
	doc := short
	for _, part := range []string{site, agent} {
		if len(doc)+len(part) < size {
			doc += part
		}
	}
	if len(doc)+2*len(more) >= size {
		return doc + "}"
	}
	var b strings.Builder
	b.WriteString(`{"id":"80ce30c53c16","at":1,"test":0` + site + agent + `,"imp":[`)
	for i := 1; i == 1 || b.Len()+len(more)+20 < size; i++ {
		if i > 1 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":"%d"%s`, i, more)
	}
	return b.String() + "]}"
}

// realisticResponse is realisticRequest for a response.
func realisticResponse(size int) string {
	var b strings.Builder
	b.WriteString(`{"id":"1234567890","bidid":"abc1123","cur":"USD","seatbid":[{"seat":"512","bid":[`)
	for i := 1; i == 1 || b.Len()+250 < size; i++ {
		if i > 1 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":"%d","impid":"102","price":9.43`, i)
		if size > 250 {
			b.WriteString(`,"nurl":"http://adserver.example.com/winnotice?impid=102","iurl":"http://adserver.example.com/pathtosampleimage","adomain":["advertiserdomain.example.com"],"cid":"campaign111","crid":"creative112","attr":[1,2,3]`)
		}
		b.WriteByte('}')
	}
	return b.String() + "]}]}"
}

// realisticNative is realisticRequest for a native request.
func realisticNative(size int) string {
	var b strings.Builder
	b.WriteString(`{"ver":"1.2","assets":[`)
	for i := 1; i == 1 || b.Len()+100 < size; i++ {
		if i > 1 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":%d,"required":1,"img":{"type":3,"wmin":836,"hmin":627,"mimes":["image/jpeg"]}}`, i)
	}
	return b.String() + "]}"
}
