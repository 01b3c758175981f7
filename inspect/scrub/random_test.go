package scrub_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/inspect/scrub"
	"github.com/rtbwire/rtbwire/internal/guardpage"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/wire"
	"github.com/rtbwire/rtbwire/wire/splice"
)

// privacy is the spec that the documentation shows.
var privacy = scrub.Spec{
	Remove:   []string{"/device/ifa", "/device/didsha1", "/device/didmd5", "/device/dpidsha1", "/device/dpidmd5", "/user/buyeruid", "/user/eids"},
	Truncate: []string{"/device/ip", "/device/ipv6", "/device/geo", "/user/geo"},
	Hash:     []string{"/user/id"},
	Key:      testKey,
}

func TestCorpus(t *testing.T) {
	pseudonyms := scrub.Spec{Hash: []string{"/user/id", "/device/ifa", "/user/eids/*/uids/*/id", "/user/ext/data/x"}, Key: testKey}
	other := scrub.Spec{Remove: []string{"/imp/*/ext", "/source", "/user/data/*/segment/*/id"}, Replace: []scrub.Replacement{{"/user/gender", []byte(`"O"`)}}}
	for _, doc := range testkit.Requests(t) {
		checkOracle(t, []scrub.Spec{privacy}, nil, string(doc))
		checkOracle(t, []scrub.Spec{pseudonyms, other}, nil, string(doc))
	}
}

// TestRandom compares random programs on mutated requests with the oracle.
func TestRandom(t *testing.T) {
	random := testkit.Rand(testkit.Seed(t))
	requests := testkit.Requests(t)
	for range testkit.Scale(t, 500, 4000, 300000) {
		doc := treeOf(string(requests[random.IntN(len(requests))]))
		for range random.IntN(12) {
			mutate(random, doc)
		}
		specs := randomSpecs(random)
		on := make([]bool, random.IntN(len(specs)+1))
		for i := range on {
			on[i] = random.IntN(4) != 0
		}
		checkOracle(t, specs, on, spaced(random, doc.String()))
	}
}

// operations are what random programs are made of.
var operations = []string{
	"remove /device/ifa", "remove /device/geo", "remove /user/eids", "remove /user/ext", "remove /user", "remove /source", "remove /source/schain/nodes/*/sid",
	"remove /user/eids/*", "remove /user/eids/*/uids/*/id", "remove /imp/*/ext/prebid", "remove /imp/*", "remove /regs/ext/gpp", "remove /ext/schain/nodes/*",
	"remove /user/data/*/cids", "remove /site/content/data/*/segment/*", "remove /ext", "remove /imp/*/rwdd", "remove /device/ext/geo",
	"hash /user/id", "hash /device/ifa", "hash /user/eids/*/uids/*/id", "hash /user/ext/eids/*/source", "hash /imp/*/ext/gpid", "hash /user/ext/data", "hash /bcat/*",
	"truncate /device/ip", "truncate /device/ipv6", "truncate /device/geo", "truncate /user/geo", "truncate /user/geo/lat", "truncate /device/ext/ip", "truncate /device/geo/lon",
	`replace /user/gender "O"`, `replace /user {"id":"x"}`, `replace /imp/*/bidfloor 1.5`, `replace /source/schain null`, `replace /user/eids []`, `replace /regs/gdpr 1`,
}

func randomSpecs(random *rand.Rand) []scrub.Spec {
	specs := make([]scrub.Spec, 1+random.IntN(3))
	for i := range specs {
		for range 1 + random.IntN(5) {
			s := one(operations[random.IntN(len(operations))])
			specs[i].Remove = append(specs[i].Remove, s.Remove...)
			specs[i].Replace = append(specs[i].Replace, s.Replace...)
			specs[i].Hash = append(specs[i].Hash, s.Hash...)
			specs[i].Truncate = append(specs[i].Truncate, s.Truncate...)
		}
		specs[i].Key = append(scrub.Key{byte(i)}, testKey...)
		if random.IntN(2) == 0 {
			decimals := random.IntN(5)
			specs[i].IPv4Bits, specs[i].IPv6Bits, specs[i].Decimals = 1+random.IntN(32), 1+random.IntN(128), &decimals
		}
	}
	return specs
}

// values are what mutate puts into documents.
var values = []string{
	`null`, `""`, `0`, `true`, `"192.0.2.77"`, `"2002:c000:24d:1::1"`, `"2001:db8:1:2ff::1"`, `"::ffff:192.0.2.77"`, `12.34567`, `-0.00123`, `5.4321e1`,
	`[]`, `{}`, `[{"id":"deep"},7]`, `{"id":"other","lat":1.2345,"lon":-5.4321}`, `[{"uids":[{"id":"u1"},{"id":"u2"}]}]`, `{"eids":{"uids":{"id":"u3"}}}`,
	`{"geo":{"lat":91.5,"lon":10.987},"ip":"192.0.2.1","ifa":"A"}`, `{"schain":{"nodes":[{"sid":"s1"}]}}`, `"0000-00"`,
}

// mutate changes one place of a document.
func mutate(random *rand.Rand, n *tree) {
	if random.IntN(3) == 0 { // something at a place that scrubs look at
		op := operations[random.IntN(len(operations))]
		path := strings.Fields(op)[1]
		if i := strings.Index(path, "*"); i > 0 {
			path = path[:i-1]
		}
		for _, group := range legacyPlaces {
			if slices.Contains(group, path) {
				path = group[random.IntN(len(group))]
			}
		}
		put(n, names(path), values[random.IntN(len(values))])
		return
	}
	for len(n.members) > 0 { // a random place, more often near the root
		i := random.IntN(len(n.members))
		if random.IntN(3) > 0 && n.members[i].kind != 0 {
			n = n.members[i]
			continue
		}
		m := n.members[i]
		switch random.IntN(7) {
		case 0, 1: // once more, with another value or the same
			again := treeOf(m.String())
			for range random.IntN(3) {
				mutate(random, again)
			}
			at := random.IntN(len(n.members) + 1)
			n.members, n.keys = slices.Insert(n.members, at, again), slices.Insert(n.keys, at, n.keys[i])
		case 2:
			n.keys[i] = respelt(random, n.keys[i].name)
		case 3:
			n.keys[i] = recased(random, n.keys[i].name)
		case 4:
			*m = *treeOf(values[random.IntN(len(values))])
		case 5:
			*m = *treeOf("[" + m.String() + "]")
		case 6:
			if m.kind == '[' && len(m.members) > 0 {
				*m = *m.members[0]
			}
		}
		return
	}
}

// put adds a value at a path.
func put(n *tree, path []string, value string) {
	if n.kind != '{' {
		return
	}
	i := slices.IndexFunc(n.keys, func(k key) bool { return k.name == path[0] })
	if i < 0 || len(path) == 1 {
		i = len(n.keys)
		n.keys = append(n.keys, key{path[0], fmt.Sprintf("%q", path[0])})
		n.members = append(n.members, treeOf("{}"))
	}
	if len(path) == 1 {
		n.members[i] = treeOf(value)
		return
	}
	put(n.members[i], path[1:], value)
}

// respelt returns a key with an escape.
func respelt(random *rand.Rand, name string) key {
	if name == "" || strings.ContainsAny(name, "\"\\") || name[0] >= 0x80 {
		return key{name, fmt.Sprintf("%q", name)}
	}
	i := random.IntN(len(name))
	if name[i] >= 0x80 || name[i] < ' ' {
		i = 0
	}
	return key{name, fmt.Sprintf(`"%s\u%04x%s"`, name[:i], name[i], name[i+1:])}
}

// recased returns a key with another letter case, ſ for s among them.
func recased(random *rand.Rand, name string) key {
	switch random.IntN(3) {
	case 0:
		name = strings.ToUpper(name)
	case 1:
		name = strings.ReplaceAll(name, "s", "ſ")
	}
	return key{name, fmt.Sprintf("%q", name)}
}

// spaced puts white space between some tokens.
func spaced(random *rand.Rand, text string) string {
	var b strings.Builder
	inString, escape := false, false
	for _, c := range []byte(text) {
		b.WriteByte(c)
		switch {
		case escape:
			escape = false
		case c == '\\':
			escape = true
		case c == '"':
			inString = !inString
		}
		if !inString && strings.IndexByte(`{}[],:`, c) >= 0 && random.IntN(10) == 0 {
			b.WriteString([]string{" ", "\n", "\t ", "\r\n"}[random.IntN(4)])
		}
	}
	return b.String()
}

// FuzzScrub compares programs with the oracle on any text that a decoder accepts.
func FuzzScrub(f *testing.F) {
	for i, c := range scrubCases {
		f.Add([]byte(c.before), uint64(i))
	}
	for i, doc := range testkit.Requests(f) {
		if i%50 == 0 {
			f.Add(doc, uint64(i))
		}
	}
	warm := new(scrub.Scratch)
	guarded := guardpage.New(f, 1<<16)
	f.Fuzz(func(t *testing.T, body []byte, seed uint64) {
		if len(body) > 1<<16 {
			return
		}
		specs := randomSpecs(testkit.Rand(seed))
		kept := string(body)
		body = guarded.Back(body)
		edits, err := mustCompile(t, specs...).Append(nil, body, warm, nil)
		if string(body) != kept {
			t.Fatal("the text was written to")
		}
		if !acceptable(body) {
			return // it must not crash, and that is all
		}
		if err != nil {
			t.Fatal(err)
		}
		checkOracle(t, specs, nil, kept)
		checkAgain(t, specs, edits, body)
	})
}

// acceptable reports whether a text is JSON that every mode accepts.
func acceptable(body []byte) bool {
	_, err := splice.Find(body, "/x") // JSON, UTF-8, not too deep
	return err == nil
}

// checkAgain checks that a cold scratch makes the same edits as a warm one.
func checkAgain(t *testing.T, specs []scrub.Spec, edits []wire.Edit, body []byte) {
	t.Helper()
	cold, err := mustCompile(t, specs...).Append(nil, body, new(scrub.Scratch), nil)
	if err != nil || !slices.EqualFunc(cold, edits, sameEdit) {
		t.Fatalf("%v, %v\na cold scratch makes %v\na warm one %v", specs, err, cold, edits)
	}
}
