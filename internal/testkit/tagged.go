package testkit

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// TaggedRequest makes a bid request with that many impressions. Every string holds the tag, every
// integer is it, and every float is it and a half. So a byte of another request shows wherever it
// is, and so does a lost one. Some strings have escapes, which decoders copy into their arena.
func TaggedRequest(tag, imps int) []byte {
	t := strconv.Itoa(tag)
	var b strings.Builder
	b.WriteString(`{"id":"id ` + t + `","at":` + t + `,"cur":["c` + t + `","\u0063` + t + `"],"bcat":[`)
	for i := range imps {
		b.WriteString(`"b` + t + `",`)
		if i%3 == 0 {
			b.WriteString(`"\tb` + t + `",`)
		}
	}
	b.WriteString(`"` + t + `"],"imp":[`)
	for i := range imps {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`{"id":"` + t + `","tagid":"a \"b\" ` + t + `","bidfloor":` + t + `.5,"secure":` + t +
			`,"banner":{"w":` + t + `,"format":[{"w":` + t + `,"h":` + t + `},{"w":` + t + `}],"api":[` + t + `,` + t + `,` + t +
			`]},"pmp":{"deals":[{"id":"d` + t + `","bidfloor":` + t + `.5,"wseat":["s` + t + `","\\` + t + `"]}]},"ext":{"t":` + t + `}}`)
	}
	b.WriteString(`],"site":{"name":"n ` + t + `","publisher":{"id":"p` + t + `"}},"device":{"ua":"\/` + t + `","geo":{"lat":` + t +
		`.5}},"user":{"data":[{"segment":[{"id":"` + t + `"}]}],"eids":[{"uids":[{"id":"u` + t + `"},{"id":"\nu` + t + `"}]}]},"ext":[` + t + `]}`)
	return []byte(b.String())
}

// TaggedResponse is [TaggedRequest] for a bid response.
func TaggedResponse(tag, bids int) []byte {
	t := strconv.Itoa(tag)
	var b strings.Builder
	b.WriteString(`{"id":"` + t + `","cur":"\u0020` + t + `","seatbid":[{"seat":"` + t + `","bid":[`)
	for i := range bids {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`{"id":"` + t + `","price":` + t + `.5,"adm":"<a href=\"` + t + `\">","adomain":["` + t + `","x` + t + `"],"w":` + t + `,"ext":"` + t + `"}`)
	}
	b.WriteString(`]}],"nbr":` + t + `}`)
	return []byte(b.String())
}

// TaggedLeaves is the number of leaves that [Walk] finds in TaggedRequest(tag, imps).
func TaggedLeaves(imps int) int { return 13 + 17*imps + (imps+2)/3 }

// CheckTagged returns the first leaf of a tagged document's value, or of a part of one, that does
// not hold the tag; "" if all do. leaves is how many there must be, or -1 for any number.
func CheckTagged(v any, tag, leaves int) (problem string) {
	text, count := strconv.Itoa(tag), 0
	Walk(v, func(path string, v reflect.Value) {
		count++
		ok := false
		switch x := v.Interface().(type) {
		case json.RawMessage:
			ok = strings.Contains(string(x), text)
		default:
			switch v.Kind() { //nolint:exhaustive // there are no others
			case reflect.String:
				ok = strings.HasSuffix(strings.TrimRight(v.String(), `">`), text)
			case reflect.Int:
				ok = v.Int() == int64(tag)
			case reflect.Float64:
				ok = v.Float() == float64(tag)+0.5
			}
		}
		if !ok && problem == "" {
			problem = fmt.Sprintf("%s is %.100q, which does not hold the tag %d", path, fmt.Sprint(v), tag)
		}
	})
	if problem == "" && leaves >= 0 && count != leaves {
		problem = fmt.Sprintf("%d leaves, want %d", count, leaves)
	}
	return problem
}
