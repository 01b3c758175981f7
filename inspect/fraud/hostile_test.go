package fraud

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/internal/cputime"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// hostile are requests that are as costly as possible in one way, of about n elements.
var hostile = map[string]func(n int) string{
	"impressions":              func(n int) string { return elements(n, `{"imp":[`, `{"tagid":"N"}`, `]}`) },
	"impressions without size": func(n int) string { return elements(n, `{"imp":[`, `{"tagid":"N","banner":{"format":[{},{}]}}`, `]}`) },
	"impressions that begin alike": func(n int) string {
		return elements(n, `{"imp":[`, `{"banner":{"format":[`+strings.Repeat(`{"w":1,"h":9},`, 20)+`{"w":N}]}}`, `]}`)
	},
	"impressions with deals": func(n int) string {
		return elements(n, `{"imp":[`, `{"pmp":{"deals":[`+strings.Repeat(`{"id":"a"},`, 20)+`{"id":"N"}]}}`, `]}`)
	},
	"deals": func(n int) string {
		return elements(n, `{"imp":[{"pmp":{"deals":[`, `{"bidfloor":2,"bidfloorcur":"EUR"}`, `]}}]}`)
	},
	"formats": func(n int) string { return elements(n, `{"imp":[{"banner":{"format":[`, `{"w":1,"h":1}`, `]}}]}`) },
	"nodes": func(n int) string {
		return elements(n, `{"source":{"schain":{"nodes":[`, `{"asi":"a.example","sid":"N"}`, `]}}}`)
	},
	"nodes in ext": func(n int) string {
		return elements(n, `{"source":{"ext":{"schain":{"nodes":[`, `{"asi":"a.example","sid":"N"}`, `]}}}}`)
	},
	"nodes in both ext": func(n int) string {
		chain := elements(n, `{"nodes":[`, `{"asi":"N.example","sid":"1"}`, `]}`)
		return `{"source":{"ext":{"schain":` + chain + `}},"ext":{"schain":` + chain + `}}`
	},
	"empty nodes":     func(n int) string { return elements(n, `{"source":{"schain":{"nodes":[`, `{}`, `]}}}`) },
	"sections":        func(n int) string { return elements(n, `{"regs":{"gpp_sid":[`, `-N`, `]}}`) },
	"sections in ext": func(n int) string { return elements(n, `{"regs":{"gpp_sid":[1],"ext":{"gpp_sid":[`, `"-N"`, `]}}}`) },
	"members of ext": func(n int) string {
		return elements(n, `{"regs":{"ext":{`, `"schain gdpr gpp N":{}`, `}},"user":{"ext":{"consent":"x"}}}`)
	},
	"one member of ext": func(n int) string { return elements(n, `{"regs":{"ext":{`, `"gpp":"x"`, `}}}`) },
}

// hostileTexts are requests with a text of about n characters.
var hostileTexts = map[string]func(n int) string{
	"GPP sections":     func(n int) string { return `{"regs":{"gpp":"DBACNYA` + strings.Repeat("~", n) + `"}}` },
	"a GPP header":     func(n int) string { return `{"regs":{"gpp":"DBAA` + strings.Repeat("A", n) + `~"}}` },
	"a consent string": func(n int) string { return `{"user":{"consent":"C` + strings.Repeat("A", n) + `"}}` },
	"zeros":            func(n int) string { return `{"device":{"ifa":"` + strings.Repeat("0-", n/2) + `1"}}` },
	"addresses": func(n int) string {
		return `{"device":{"ip":"` + strings.Repeat("1.", n/2) + `","ipv6":"` + strings.Repeat(":", n) + `"}}`
	},
	"users in hosts": func(n int) string {
		return pageOf("https://"+strings.Repeat("a@", n/2), strings.Repeat("b@", n/2)+"x.example")
	},
	"labels": func(n int) string {
		return pageOf("https://"+strings.Repeat("a.", n/2)+"a.com", strings.Repeat("b.", n/2)+"b.com")
	},
	"equal labels": func(n int) string {
		return pageOf("http://x."+strings.Repeat("a.", n/2)+"co.uk", "y."+strings.Repeat("a.", n/2)+"co.uk")
	},
	"long labels": func(n int) string {
		return pageOf("http://"+strings.Repeat("a", n)+".com", strings.Repeat("b", n)+".com")
	},
	"schemes": func(n int) string { return pageOf(strings.Repeat("?://", n/4), strings.Repeat("://", n/3)) },
	"colons":  func(n int) string { return pageOf("https://"+strings.Repeat(":", n), strings.Repeat("a:", n/2)) },
	"parts of a bundle": func(n int) string {
		return `{"app":{"bundle":"` + strings.Repeat("a.", n/2) + `a"},"device":{"os":"android"}}`
	},
	"ids in a store":     func(n int) string { return storeOf("https://play.google.com/?" + strings.Repeat("&id=", n/4)) },
	"numbers in a store": func(n int) string { return storeOf("https://apps.apple.com" + strings.Repeat("/id", n/3)) },
	"an unknown store":   func(n int) string { return storeOf(strings.Repeat("x.", n/2) + "amazon.com") },
}

// elements puts n elements between two texts. N is the number of an element.
func elements(n int, front, each, back string) string {
	var b strings.Builder
	b.WriteString(front)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strings.ReplaceAll(each, "N", strconv.Itoa(i+1)))
	}
	return b.String() + back
}

func pageOf(page, domain string) string {
	return fmt.Sprintf(`{"site":{"page":%q,"domain":%q,"ref":%q}}`, page, domain, page)
}

func storeOf(url string) string {
	return fmt.Sprintf(`{"app":{"bundle":"com.a.b","storeurl":%q}}`, url)
}

// TestHostileRequests checks that time grows no faster than the length of a request, whatever it
// holds. Ten times the elements take ten times as long, and a quadratic algorithm a hundred times.
func TestHostileRequests(t *testing.T) {
	const more, most = 10, 50
	elements, characters := testkit.Scale(t, 200, 800, 5000), testkit.Scale(t, 1<<14, 1<<16, 1<<18)
	config := fullConfig()
	config.Weights = map[string]int{"identifier.imps": 100}
	m := mustNew(t, config)
	var scratch Scratch
	took := func(doc string) time.Duration {
		r, err := openrtb.NewDecoder(wire.MaxMemory(4096, 1<<30)).Decode([]byte(doc))
		if err != nil {
			t.Fatalf("%v: %s", err, testkit.Abridged([]byte(doc)))
		}
		in := Input{r, fullFacts()}
		best := time.Hour
		for range 3 {
			best = min(best, cputime.Of(func() { checkScore(t, m, in, &scratch) }))
			scratch.Release()
		}
		return best
	}
	check := func(name string, n int, of func(n int) string) {
		doc := of(more * n)
		few, many := took(of(n)), took(doc)
		if many > most*max(few, 10*time.Microsecond) {
			t.Errorf("%s: %v for %d, %v for %d", name, few, n, many, more*n)
		}
		if testing.Verbose() {
			t.Logf("%-30s %8d bytes %10v %10v", name, len(doc), few, many)
		}
	}
	for name, of := range hostile {
		check(name, elements, of)
	}
	for name, of := range hostileTexts {
		check(name, characters, of)
	}
}

// TestManyAnswers scores more answers than any user has services.
func TestManyAnswers(t *testing.T) {
	f := &rule.Facts{}
	answers(make([]rule.VendorAnswer, 100_000)...)(nil, f)
	f.Vendor[99_999].Score = 7
	if score, hits := checkScore(t, mustNew(t, Config{}), Input{&openrtb.BidRequest{}, f}, new(Scratch)); score != 7 || len(hits) != 1 {
		t.Errorf("%d, %+v", score, hits)
	}
}
