package supply

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/url"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/internal/canonical"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/internal/urlhost"
)

// The references are slow and clear, and share nothing with the parsers and tables but the
// canonical form of domains.

type account struct{ system, seller string }

// adsRef is an ads.txt file.
type adsRef struct {
	relations map[account]string
	valid     bool
	skipped   int
	owner     string
	names     []string // of all other variables, "NAME=domain"
}

var lineEnds = regexp.MustCompile("\r\n|\r|\n")

// adsRefOf reads an ads.txt file. It returns nil for a refused one.
func adsRefOf(text string) *adsRef {
	t := &adsRef{relations: map[account]string{}}
	some, entries := false, 0
	for _, line := range lineEnds.Split(strings.TrimPrefix(text, "\ufeff"), -1) {
		if strings.Contains(line, "\x00") {
			return nil
		}
		if len(line) > LineMax {
			some = true
			t.skipped++
			continue
		}
		line, _, _ = strings.Cut(line, "#")
		line, _, _ = strings.Cut(line, ";")
		line = trimmed(line)
		if line == "" {
			continue
		}
		if line[0] == '<' && entries == 0 {
			return nil
		}
		some = true
		switch t.line(line) {
		case "bad":
			t.skipped++
		case "entry":
			entries++
		}
	}
	if some && entries == 0 {
		return nil
	}
	return t
}

func trimmed(s string) string { return strings.Trim(s, " \t\r\n\v\f") }

func refDomain(s string) string {
	var buf [canonical.DomainMax]byte
	name, ok := canonical.Domain(&buf, s)
	if !ok {
		return ""
	}
	return strings.Clone(name)
}

// line returns "entry", "bad" or "unknown".
func (t *adsRef) line(line string) string {
	if name, value, found := strings.Cut(line, "="); found && !strings.Contains(name, ",") {
		return t.variable(strings.ToUpper(trimmed(name)), trimmed(value))
	}
	fields := strings.Split(line, ",")
	for i := range fields {
		fields[i] = trimmed(fields[i])
	}
	if len(fields) < 3 {
		return "bad"
	}
	seller := fields[1]
	seller = trimmed(percent.ReplaceAllStringFunc(seller, func(s string) string { decoded, _ := url.PathUnescape(s); return decoded }))
	system, relation := refDomain(fields[0]), strings.ToLower(fields[2])
	isControl := func(r rune) bool { return r < 0x80 && unicode.IsControl(r) }
	if system == "" || seller == "" || len(seller) > sellerMax || !utf8.ValidString(seller) || strings.ContainsFunc(seller, isControl) ||
		relation != "direct" && relation != "reseller" {
		return "bad"
	}
	t.valid = true
	if system == "placeholder.example.com" && seller == "placeholder" {
		return "entry"
	}
	if was := t.relations[account{system, seller}]; was != "" && was != relation {
		relation = "both"
	}
	t.relations[account{system, seller}] = relation
	return "entry"
}

var percent = regexp.MustCompile("%[0-9A-Fa-f]{2}")

func (t *adsRef) variable(name, value string) string {
	country := ""
	switch name {
	case "CONTACT":
		return "entry"
	case "MANAGERDOMAIN":
		value, country, _ = strings.Cut(value, ",")
		value, country = trimmed(value), strings.ToUpper(trimmed(country))
	case "SUBDOMAIN", "INVENTORYPARTNERDOMAIN", "OWNERDOMAIN":
	default:
		return "unknown"
	}
	value = refDomain(urlhost.Host(value))
	if value == "" || country != "" && !regexp.MustCompile("^[A-Z]{2}$").MatchString(country) {
		return "bad"
	}
	switch {
	case name == "OWNERDOMAIN":
		if t.owner == "" {
			t.owner = value
		}
	case name == "MANAGERDOMAIN":
		key := name + country + "="
		if !slices.ContainsFunc(t.names, func(n string) bool { return strings.HasPrefix(n, key) }) {
			t.names = append(t.names, key+value)
		}
	default:
		t.names = append(t.names, name+"="+value)
	}
	return "entry"
}

// compareAds compares a file with its reference, by all accounts of the reference and by others.
func compareAds(t *testing.T, text string, others ...account) {
	t.Helper()
	reference := adsRefOf(text)
	f, result, err := parseAds("example.com", text)
	if (err != nil) != (reference == nil) {
		t.Fatalf("%.200q: the error is %v, the reference is refused: %v", text, err, reference == nil)
	}
	if err != nil {
		return
	}
	if result.Entries != len(reference.relations) || result.Skipped != reference.skipped || f.valid != reference.valid || f.owner != reference.owner || !slices.IsSorted(f.records) {
		t.Errorf("%.200q: %d entries, %d skipped, valid: %v, owner %q, want %d, %d, %v, %q",
			text, result.Entries, result.Skipped, f.valid, f.owner, len(reference.relations), reference.skipped, reference.valid, reference.owner)
	}
	p := Publisher{own: f}
	for a := range reference.relations {
		others = append(others, a, account{a.system, a.seller + "x"}, account{"x" + a.system, a.seller})
	}
	for _, a := range others {
		want := reference.relations[account{refDomain(trimmed(a.system)), trimmed(a.seller)}]
		if want == "" {
			want = "unauthorized"
		}
		if !reference.valid {
			want = "unknown"
		}
		if got := p.Relation(a.system, a.seller).String(); got != want {
			t.Errorf("%.200q: %q is %s, want %s", text, a, got, want)
		}
	}
	var names []string
	for _, m := range f.managers {
		names = append(names, "MANAGERDOMAIN"+m.country+"="+m.domain)
	}
	for _, d := range f.subdomains {
		names = append(names, "SUBDOMAIN="+d)
	}
	for _, d := range f.partners {
		names = append(names, "INVENTORYPARTNERDOMAIN="+d)
	}
	slices.Sort(names)
	slices.Sort(reference.names)
	if want := slices.Compact(reference.names); !slices.Equal(names, want) {
		t.Errorf("%.200q: variables %q, want %q", text, names, want)
	}
}

// words makes texts of few parts, so that they often meet.
type words struct{ *rand.Rand }

func (w words) pick(from ...string) string { return from[w.IntN(len(from))] }

func (w words) adsTxt() string {
	var b strings.Builder
	for range w.IntN(12) {
		b.WriteString(w.pick("", "", " ", "\t", "\ufeff"))
		switch w.IntN(8) {
		case 0:
			b.WriteString(w.pick("OWNERDOMAIN", "managerdomain", "SubDomain", "INVENTORYPARTNERDOMAIN", "contact", "other", "a.com,x") + w.pick("=", " = ") +
				w.pick("a.com", "https://B.com/x", "", "c.com, FR", "d.com,fr", "e.com,FRA", "f.com,", "not a domain", "me@a.com"))
		case 1:
			b.WriteString(w.pick("#", "<html>", "text", "x,y", ";a", strings.Repeat("a", LineMax+w.IntN(3)-1), "\xff", "\x00"))
		default:
			b.WriteString(w.pick("a.com", "A.com", "b.com.", "b\u00fccher.example", "placeholder.example.com", "") + w.pick(",", " , ", "\t,") +
				w.pick("1", "2", "placeholder", "%31", "%2C", "a=b", "", "\xff", "x y") + w.pick(",", ", ") + w.pick("DIRECT", "reseller", "Direct", "x", "") + w.pick("", ",z", ";e=1", " # c"))
		}
		b.WriteString(w.pick("\n", "\n", "\r", "\r\n", "\n\r"))
	}
	return b.String()
}

func TestRandomAdsTxt(t *testing.T) {
	n := testkit.Scale(t, 500, 5000, 500_000)
	w := words{rand.New(rand.NewPCG(1, 2))}
	for range n {
		compareAds(t, w.adsTxt(), account{"a.com", "1"}, account{" B.com", "2 "}, account{"a.com", ","}, account{"xn--bcher-kva.example", "a=b"}, account{"", ""})
	}
	for _, c := range adsCases {
		if c.entries <= 1000 && !strings.HasPrefix(c.name, "too many") {
			compareAds(t, c.text)
		}
	}
}

// TestSearch compares the search with that of the standard library, in keys of every distribution.
func TestSearch(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := range 300 {
		for _, shift := range []int{0, 1, 30, 55, 60, 63} {
			keys := make([]uint64, n)
			for i := range keys {
				keys[i] = r.Uint64() >> shift << (r.IntN(2) * shift)
			}
			slices.Sort(keys)
			for range 20 {
				key := r.Uint64() >> shift << (r.IntN(2) * shift)
				if n > 0 && r.IntN(2) == 0 {
					key = keys[r.IntN(n)] + uint64(r.IntN(3)) - 1 //nolint:gosec // small
				}
				want := sort.Search(n, func(i int) bool { return keys[i] >= key })
				if got := search(keys, key); got != want {
					t.Fatalf("search(%x, %x) = %d, want %d", keys, key, got, want)
				}
			}
		}
	}
}

// TestTable compares a table with a map.
func TestTable(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var b tableBuilder
	want := map[string]string{}
	for range 3000 {
		name, value := fmt.Sprint(r.IntN(2000)), fmt.Sprint(r.Uint64())[:1+r.IntN(10)]
		start := len(b.text)
		b.text = append(b.text, value...)
		if err := b.add(sellerKey(name), start); err != nil {
			t.Fatal(err)
		}
		if _, found := want[name]; !found {
			want[name] = value
		}
	}
	table := b.finish()
	for i := range 3000 {
		value, found := table.find(sellerKey(fmt.Sprint(i)))
		if w, in := want[fmt.Sprint(i)]; value != w || found != in {
			t.Fatalf("%d: %q, %v, want %q, %v", i, value, found, w, in)
		}
	}
	if len(table.keys) != len(want) {
		t.Errorf("%d entries, want %d", len(table.keys), len(want))
	}
}

// sellersRef reads a sellers.json file by package json. It returns nil for what is not one.
// Sellers that can't be read have the type SellerUnknown.
func sellersRef(text string) (sellers map[string]Seller, skipped int) {
	text = strings.TrimPrefix(text, "\ufeff")
	top, ok := objectOf([]byte(text))
	if !ok || len(top["sellers"]) != 1 {
		return nil, 0
	}
	var list []json.RawMessage
	if raw := top["sellers"][0]; raw[0] != '[' || json.Unmarshal(raw, &list) != nil {
		return nil, 0
	}
	sellers = map[string]Seller{}
	for _, raw := range list {
		id, seller, good := sellerRef(raw)
		if !good {
			skipped++
			seller = Seller{}
		}
		if _, twice := sellers[id]; id != "" && !twice {
			sellers[id] = seller
		}
	}
	if len(list) > 0 && skipped == len(list) {
		return nil, 0
	}
	return sellers, skipped
}

// objectOf returns all values of each key of an object.
func objectOf(text []byte) (members map[string][]json.RawMessage, ok bool) {
	if !json.Valid(text) {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if token, err := d.Token(); err != nil || token != json.Delim('{') {
		return nil, false
	}
	members = map[string][]json.RawMessage{}
	for d.More() {
		key, err := d.Token()
		var value json.RawMessage
		if err != nil || d.Decode(&value) != nil {
			return nil, false
		}
		members[key.(string)] = append(members[key.(string)], value)
	}
	if _, err := io.Copy(io.Discard, d.Buffered()); err != nil {
		return nil, false
	}
	return members, true
}

func sellerRef(raw json.RawMessage) (id string, s Seller, good bool) {
	members, ok := objectOf(raw)
	if !ok {
		return "", s, false
	}
	good = true
	for _, name := range []string{"seller_id", "seller_type", "is_confidential", "is_passthrough", "domain"} {
		values := members[name]
		good = good && len(values) <= 1
		if len(values) == 0 {
			good = good && name != "seller_id" && name != "seller_type"
			continue
		}
		value := values[len(values)-1]
		var text string
		isText := value[0] == '"' && json.Unmarshal(value, &text) == nil
		word := strings.Trim(string(value), `"`)
		switch name {
		case "seller_id":
			if text = trimmed(text); regexp.MustCompile(`^[0-9]+$`).Match(value) {
				text, isText = string(value), true
			}
			isText = isText && text != "" && len(text) <= sellerMax && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) && utf8.Valid(value)
			if good = good && isText; isText {
				id = text
			}
		case "seller_type":
			s.Type = map[string]SellerType{"PUBLISHER": SellerPublisher, "INTERMEDIARY": SellerIntermediary, "BOTH": SellerBoth}[strings.ToUpper(text)]
			good = good && s.Type != SellerUnknown && utf8.ValidString(text)
		case "domain":
			var buf [canonical.DomainMax]byte
			domain, _ := hostName(&buf, text)
			s.Domain = strings.Clone(domain)
			good = good && (isText || string(value) == "null")
		default:
			yes, no := word == "1" || word == "true", word == "0" || word == "false" || string(value) == "null"
			good = good && (yes || no)
			if name == "is_confidential" {
				s.Confidential = yes
			} else {
				s.Passthrough = yes
			}
		}
	}
	return id, s, good
}

// compareSellers compares a file with its reference. What the limits refuse has no say.
func compareSellers(t *testing.T, text string) {
	t.Helper()
	want, skipped := sellersRef(text)
	table, result, err := parseSellers(text)
	if err != nil {
		limit := strings.Contains(err.Error(), "deeper") || strings.Contains(err.Error(), "longer") || strings.Contains(err.Error(), "more than")
		if want != nil && !limit {
			t.Errorf("%.300q: %v, the reference has %d sellers", text, err, len(want))
		}
		return
	}
	if want == nil {
		t.Fatalf("%.300q: no error, the reference is refused", text)
	}
	if result.Entries != len(want) || result.Skipped != skipped {
		t.Errorf("%.300q: %d entries, %d skipped, want %d, %d", text, result.Entries, result.Skipped, len(want), skipped)
	}
	for id, s := range want {
		if got := sellerIn(table, sellerKey(id)); got != s {
			t.Errorf("%.300q: %q is %+v, want %+v", text, id, got, s)
		}
		if got := sellerIn(table, sellerKey(id+"x")); got.Type != SellerNotListed && want[id+"x"] == (Seller{}) {
			t.Errorf("%.300q: %q is listed", text, id+"x")
		}
	}
}

// mostly returns the first of the texts, and seldom another one.
func (w words) mostly(from ...string) string {
	if w.IntN(16) > 0 {
		return from[0]
	}
	return w.pick(from...)
}

func (w words) sellers() string {
	var b strings.Builder
	b.WriteString(w.mostly("", "\ufeff", " ") + w.mostly("{", `{"version":"1.0",`, `{"a":[{"sellers":[]}],`) + w.mostly(`"sellers"`, `"s\u0065llers"`, `"Sellers"`) + w.mostly(":", " :\n") + w.mostly("[", "{"))
	for i := range w.IntN(6) {
		if i > 0 {
			b.WriteString(w.mostly(",", " ,\n", ""))
		}
		b.WriteString(w.mostly("{", "[", "null,{"))
		for j := range 1 + w.IntN(5) {
			if j > 0 {
				b.WriteString(w.mostly(",", " , ", ",,"))
			}
			switch w.IntN(12) {
			default:
				b.WriteString(`"seller_id":` + w.pick(`"1"`, `"2"`, `"\u0031"`, `3`, `" 1 "`, `""`, `null`, `1.5`, `"1"`, "\"\xff\"", `"\ud800"`) + w.mostly("", "1"))
			case 0, 1, 2:
				b.WriteString(`"seller_type":` + w.pick(`"PUBLISHER"`, `"both"`, `"INTERMEDIARY"`, `"\u0042OTH"`, `"X"`, `1`))
			case 3:
				b.WriteString(w.pick(`"is_confidential":`, `"is_passthrough":`, `"is_passthrough" : `) + w.pick(`0`, `1`, `true`, `"1"`, `null`, `2`, `{}`) + w.mostly("", "x"))
			case 4, 5:
				b.WriteString(`"domain":` + w.pick(`"a.com"`, `"https://B.com/"`, `"A Company"`, `null`, `5`, `"a\\b"`, `"b\u00fccher.example"`))
			case 6:
				b.WriteString(w.pick(`"name":"x\"}]"`, `"ext":{"seller_id":["]}",{}]}`, `"x":-0.1e+5`) + w.mostly("", `,"x":`+strings.Repeat("[", 70)+strings.Repeat("]", 70), `,x`))
			}
		}
		b.WriteString(w.mostly("}", "]", ""))
	}
	b.WriteString(w.mostly("]", "}", "") + w.mostly("}", `,"sellers":[]}`, `,"b":1}`, "") + w.mostly("", "\n", "x"))
	return b.String()
}

func TestRandomSellers(t *testing.T) {
	n := testkit.Scale(t, 500, 5000, 500_000)
	w := words{rand.New(rand.NewPCG(7, 8))}
	accepted := 0
	for range n {
		text := w.sellers()
		compareSellers(t, text)
		if sellers, _ := sellersRef(text); sellers != nil {
			accepted++
		}
	}
	if accepted < n/8 {
		t.Errorf("%d of %d texts are accepted: the others show little", accepted, n)
	}
	for _, c := range sellersCases {
		compareSellers(t, c.text)
	}
}
