package fraud

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/openrtb"
)

// paths are those that hits can have, except for the ones of impressions.
var paths = []string{
	"", "/id", "/imp", "/tmax", "/site", "/site/page", "/site/ref", "/app/bundle", "/app/storeurl", "/device/ip", "/device/ipv6", "/device/ifa", "/device/dnt", "/device/ua", "/device/os",
	"/device/osv", "/device/make", "/device/model", "/device/devicetype", "/device/sua", "/device/geo/country",
	"/regs/gdpr", "/regs/gpp", "/regs/gpp_sid", "/regs/us_privacy", "/user/consent", chainPath, chainPathSource, chainPathExt,
}

// FuzzScore scores what can be decoded, by a cold and a warm scratch, under no configuration and a
// full one: the scores agree and keep to their bounds.
func FuzzScore(f *testing.F) {
	for i, doc := range corpus(f) {
		if i%40 == 0 {
			f.Add(doc)
		}
	}
	for i, s := range samples() {
		if i%5 == 0 {
			f.Add([]byte(s.doc))
		}
	}
	models := []*Model{mustNew(f, Config{}), mustNew(f, fullConfig())}
	var warm Scratch
	f.Fuzz(func(t *testing.T, doc []byte) {
		r, err := openrtb.Parse(doc)
		if err != nil {
			return
		}
		for i, m := range models {
			in := Input{Request: r, Facts: []*rule.Facts{nil, fullFacts()}[i]}
			score, hits := checkScore(t, m, in, &warm)
			var cold Scratch
			if again, same := m.Score(in, &cold, nil); again != score || !slices.Equal(same, hits) {
				t.Fatalf("a cold scratch gives %d, %+v; a warm one %d, %+v", again, same, score, hits)
			}
			for _, h := range hits {
				if n, is := strings.CutPrefix(h.Path, "/imp/"); is {
					if n, err := strconv.Atoi(n); err != nil || n < 0 || n >= len(r.Imp) || fmt.Sprint("/imp/", n) != h.Path {
						t.Fatalf("the path %q with %d impressions", h.Path, len(r.Imp))
					}
				} else if !slices.Contains(paths, h.Path) {
					t.Fatalf("the path %q", h.Path)
				}
			}
			warm.Release()
		}
	})
}
