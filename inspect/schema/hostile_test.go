package schema

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/cputime"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// hostile makes a document of about size bytes that is as costly as possible in one way.
func hostile(kind string, size int) []byte {
	front := `{"id":"1",`
	var back string
	var each func(int) string
	switch kind {
	case "impressions":
		front, back, each = `{"id":"1","imp":[{}`, `]}`, func(int) string { return `,{}` }
	case "impressions with ids":
		front, back, each = `{"id":"1","imp":[{}`, `]}`, func(i int) string { return fmt.Sprintf(`,{"id":"%d","video":{"podid":"%d"}}`, i, i) }
	case "impressions with deals":
		deals := strings.Repeat(`,{"id":"x"}`, linearMax+1)
		front, back, each = `{"id":"1","imp":[{}`, `]}`, func(i int) string { return fmt.Sprintf(`,{"id":"%d","pmp":{"deals":[{}%s]}}`, i, deals) }
	case "deals":
		front, back, each = `{"id":"1","imp":[{"pmp":{"deals":[{}`, `]}}]}`, func(i int) string { return fmt.Sprintf(`,{"id":"%d"}`, i) }
	case "companions":
		front, back, each = `{"imp":[{"video":{"companionad":[{}`, `]}}]}`, func(i int) string { return fmt.Sprintf(`,{"id":"%d"}`, i) }
	case "duplicates":
		back, each = `"id":"1"}`, func(int) string { return `"id":"1",` }
	case "duplicates of large values":
		back, each = `"id":"1"}`, func(int) string { return `"imp":[{"id":1,"Id":2,"tagid":"\ud800"}],` }
	case "duplicates of unknown keys":
		back, each = `"id":"1"}`, func(int) string { return `"x":1,` }
	case "unknown keys":
		back, each = `"id":"1"}`, func(i int) string { return fmt.Sprintf(`"x%d":1,`, i) }
	case "unknown keys with escapes":
		back, each = `"id":"1"}`, func(i int) string { return fmt.Sprintf(`"\u0078%d":1,`, i) }
	case "unknown keys in many objects":
		front, back, each = `{"imp":[{}`, `]}`, func(i int) string { return `,{"x":1,"y":2,"z":3}` }
	case "keys of another case":
		back, each = `"id":"1"}`, func(int) string { return `"ID":1,` }
	case "one long key":
		return []byte(`{"` + strings.Repeat("k", size) + `":1}`)
	case "one long key twice":
		key := strings.Repeat("k", size/2)
		return []byte(`{"` + key + `":1,"` + key + `":1}`)
	case "one long key with escapes":
		return []byte(`{"` + strings.Repeat(`\u0041`, size/6) + `":1}`)
	case "one long string":
		return []byte(`{"site":{"domain":"` + strings.Repeat("a.", size/2) + `"}}`)
	case "wrong types":
		front, back, each = `{"imp":[{}`, `]}`, func(int) string { return `,5` }
	case "wrong types inside":
		front, back, each = `{"imp":[{}`, `]}`, func(int) string { return `,{"id":5,"banner":{"w":"x"}}` }
	case "wrong type for arrays":
		front, back, each = `{"imp":[{}`, `]}`, func(int) string { return `,{"metric":{"type":{}}}` }
	case "nulls":
		front, back, each = `{"imp":[null`, `]}`, func(int) string { return `,null` }
	case "strings that are no Unicode":
		front, back, each = `{"cur":["USD"`, `]}`, func(int) string { return ",\"\xff\"" }
	case "currencies":
		front, back, each = `{"cur":["USD"`, `]}`, func(i int) string { return fmt.Sprintf(`,"%d"`, i) }
	case "numbers":
		front, back, each = `{"ext":[1`, `]}`, func(int) string { return `,1e-9` }
	case "one long number":
		return []byte(`{"imp":[{"bidfloor":` + strings.Repeat("1", size) + `}]}`)
	case "one long wrong number":
		return []byte(`{"tmax":` + strings.Repeat("1", size) + `.5}`)
	case "native requests":
		inner := `"{\"a\":[{}],\"b\":\"c\"}"`
		front, back, each = `{"imp":[{}`, `]}`, func(int) string { return `,{"native":{"request":` + inner + `,"ver":"1.2"}}` }
	case "one long native request":
		return []byte(`{"imp":[{"native":{"request":"{` + strings.Repeat(`\"a\":1,`, size/8) + `\"b\":2}","ver":"1.0"}}]}`)
	case "ext with many keys":
		front, back, each = `{"user":{"ext":{"a":1`, `}}}`, func(i int) string { return fmt.Sprintf(`,"%d":{}`, i) }
	case "supply chain":
		front, back, each = `{"source":{"schain":{"nodes":[{}`, `]}}}`, func(int) string { return `,{"asi":"a"}` }
	case "nesting":
		return slices.Concat([]byte(`{"ext":[1`), []byte(strings.Repeat(`,`+strings.Repeat("[", 1000)+strings.Repeat("]", 1000), size/2001)), []byte(`]}`))
	default:
		panic(kind)
	}
	b := []byte(front)
	for i := 0; len(b) < size; i++ {
		b = append(b, each(i)...)
	}
	return append(b, back...)
}

var hostileKinds = []string{
	"impressions", "impressions with ids", "impressions with deals", "deals", "companions",
	"duplicates", "duplicates of large values", "duplicates of unknown keys",
	"unknown keys", "unknown keys with escapes", "unknown keys in many objects", "keys of another case",
	"one long key", "one long key twice", "one long key with escapes", "one long string",
	"wrong types", "wrong types inside", "wrong type for arrays", "nulls", "strings that are no Unicode",
	"currencies", "numbers", "one long number", "one long wrong number",
	"native requests", "one long native request", "ext with many keys", "supply chain", "nesting",
}

// hostileSize is the length of the documents, and hostileTime the CPU time that each may take on a
// slow machine with the race detector. They take a fraction of it. A quadratic algorithm would take
// minutes for most of them, which hold 10,000 to 150,000 elements.
const (
	hostileSize = 1 << 18
	hostileTime = 20 * time.Second
)

func inTime(t *testing.T, name string, check func() Report) Report {
	t.Helper()
	var r Report
	if took := cputime.Of(func() { r = check() }); took > hostileTime {
		t.Errorf("%s: %v", name, took)
	}
	checkCounts(t, r)
	return r
}

// TestHostileRequests checks that time grows no faster than the length of a document, whatever it
// holds.
func TestHostileRequests(t *testing.T) {
	few := strict(t, WithMaxFindings(MaxFindingsDefault))
	all := strict(t)
	lenient := strict(t, WithMaxFindings(MaxFindingsDefault), WithLenient(true))
	for _, kind := range hostileKinds {
		data := hostile(kind, hostileSize)
		r := inTime(t, kind, func() Report { return few.Request(data) })
		if len(r.Findings) > MaxFindingsDefault {
			t.Errorf("%s: %d findings are kept", kind, len(r.Findings))
		}
		switch kind {
		case "impressions with ids", "duplicates", "unknown keys", "wrong types inside", "supply chain", "companions":
			counts := r.Counts
			if r := inTime(t, kind+", all findings", func() Report { return all.Request(data) }); r.Counts != counts || r.Dropped != 0 {
				t.Errorf("%s: counts %v with few findings kept, %v with all", kind, counts, r.Counts)
			}
		case "duplicates of large values", "wrong types", "wrong type for arrays", "one long wrong number", "strings that are no Unicode", "keys of another case":
			inTime(t, kind+", lenient", func() Report { return lenient.Request(data) })
		}
	}
}

// TestHostileValues does the same for decoded values, whose text only locates findings.
func TestHostileValues(t *testing.T) {
	for _, kind := range []string{"impressions", "impressions with ids", "impressions with deals", "deals", "companions", "supply chain", "currencies", "native requests"} {
		data := hostile(kind, hostileSize)
		v := decodedWhole(t, data)
		c, all := strict(t, WithMaxFindings(MaxFindingsDefault)), strict(t)
		few := inTime(t, kind, func() Report { return c.RequestValue(v, data) })
		many := inTime(t, kind+", all findings", func() Report { return all.RequestValue(v, data) })
		if few.Counts != many.Counts || len(few.Findings) > MaxFindingsDefault {
			t.Errorf("%s: counts %v with few findings kept, %v with all", kind, few.Counts, many.Counts)
		}
	}
}

// TestMegabyteOfImpressions checks the shortest text with the most objects.
func TestMegabyteOfImpressions(t *testing.T) {
	data := hostile("impressions", 1<<20)
	c := strict(t, WithMaxFindings(MaxFindingsDefault))
	r := inTime(t, "a megabyte", func() Report { return c.Request(data) })
	if !slices.Equal(ids(r), []string{"json.limit"}) {
		t.Errorf("not refused:%s", describe(r))
	}
}

// decodedWhole decodes without a memory limit, as callers of RequestValue may.
func decodedWhole(t *testing.T, data []byte) *openrtb.BidRequest {
	t.Helper()
	v, err := decodeLarge(string(data))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func decodeLarge(text string) (*openrtb.BidRequest, error) {
	return openrtb.NewDecoder(wire.MaxMemory(4096, 1<<30)).Decode([]byte(text))
}

// TestHostilePairs makes requests with long lists and responses with many bids. Comparing each with
// each would take minutes.
func TestHostilePairs(t *testing.T) {
	const n = 20000
	list := func(format string) string {
		var b strings.Builder
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(strings.ReplaceAll(format, "N", strconv.Itoa(i)))
		}
		return b.String()
	}
	for name, x := range map[string]struct{ request, response string }{
		"impressions": {
			`{"id":"1","imp":[` + list(`{"id":"iN","tagid":"`+strings.Repeat("x", 40)+`"}`) + `]}`,
			`{"id":"1","seatbid":[{"bid":[` + list(`{"impid":"iN"}`) + `]}]}`,
		},
		"deals": {
			`{"id":"1","imp":[{"id":"1","pmp":{"deals":[` + list(`{"id":"dN","guar":1,"bidfloorcur":"USD"}`) + `]}}]}`,
			`{"id":"1","seatbid":[{"bid":[` + list(`{"impid":"1","dealid":"dN"}`) + `]}]}`,
		},
		"seats": {
			`{"id":"1","imp":[{"id":"1","pmp":{"deals":[` + list(`{"id":"dN","guar":1,"bidfloorcur":"USD"}`) + `]}}],"wseat":[` + list(`"sN"`) + `]}`,
			`{"id":"1","seatbid":[` + list(`{"seat":"sN","bid":[]}`) + `]}`,
		},
		"block lists": {
			`{"id":"1","imp":[{"id":"1"}],"bcat":[` + list(`"cN"`) + `],"badv":[` + list(`"N.example"`) + `],"bapp":[` + list(`"aN"`) + `],"wlang":[` + list(`"lN"`) + `]}`,
			`{"id":"1","seatbid":[{"bid":[` + list(`{"impid":"1","cat":["xN","yN-N"],"adomain":["N.x.other"],"bundle":"bN","language":"mN"}`) + `]}]}`,
		},
		"lists of one impression": {
			`{"id":"1","imp":[{"id":"1","video":{"battr":[` + list(`N`) + `],"api":[` + list(`N`) + `],"protocols":[` + list(`N`) + `],"rqddurs":[` + list(`N`) + `],"durfloors":[` + list(`{}`) + `]}}]}`,
			`{"id":"1","seatbid":[{"bid":[` + list(`{"impid":"1","attr":[-1],"apis":[-1],"protocol":-1,"dur":-1}`) + `]}]}`,
		},
		"sizes": {
			`{"id":"1","imp":[{"id":"1","banner":{"format":[` + list(`{"w":N}`) + `]}}]}`,
			`{"id":"1","seatbid":[{"bid":[` + list(`{"impid":"1","w":1,"h":1}`) + `]}]}`,
		},
	} {
		c := strict(t, WithMaxFindings(MaxFindingsDefault))
		req, err := decodeLarge(x.request)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		resp, err := openrtb.NewResponseDecoder(wire.MaxMemory(4096, 1<<30)).Decode([]byte(x.response))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		inTime(t, name, func() Report { return c.PairValues(req, resp, []byte(x.request), []byte(x.response)) })
	}
}
