package supply

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/publicsuffix"

	"github.com/rtbwire/rtbwire/internal/canonical"
	"github.com/rtbwire/rtbwire/internal/filewatch"
	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/internal/urlhost"
)

// The bits of a record's relationship, below those of its account. They match [Relation].
const (
	directBit    = 1
	resellerBit  = 2
	relationBits = directBit | resellerBit
)

// sellerMax is the longest id of a seller, in bytes.
const sellerMax = 512

const noLevel = 255

// adsTxt is the content of an ads.txt or app-ads.txt file.
type adsTxt struct {
	domain string
	// root is the root domain of domain: its public suffix and one label more. It is empty for a
	// public suffix. level is how many labels domain has more, noLevel for a public suffix.
	root  string
	level int
	// split is true where not every subdomain has the same root domain.
	split bool

	records []uint64 // sorted
	// valid is true if there is a record, perhaps only the placeholder. A file without one declares
	// nothing (ads.txt 1.1, section 3.2.1).
	valid bool
	// The others come from variables (section 3.5.1).
	owner      string
	managers   []manager
	subdomains []string // sorted
	partners   []string // sorted
}

// manager is the domain of a sales house, and the country that it is for; for all others if that is
// empty.
type manager struct{ country, domain string }

func newAdsTxt(domain string) *adsTxt {
	f := &adsTxt{domain: domain, root: rootDomain(domain), level: noLevel}
	if f.root != "" {
		f.level = strings.Count(domain[:len(domain)-len(f.root)], ".")
	}
	f.split = rootDomain("a."+domain) != f.root || rootDomain("a.a."+domain) != f.root
	return f
}

// relation returns the relationship to the account that the records declare.
func (f *adsTxt) relation(key uint64) Relation {
	key &^= relationBits
	i := search(f.records, key)
	if i == len(f.records) || f.records[i]&^relationBits != key {
		return Unauthorized
	}
	return Unauthorized + Relation(f.records[i]&relationBits)
}

func (f *adsTxt) refersTo(subdomain string) bool {
	_, found := slices.BinarySearch(f.subdomains, subdomain)
	return found
}

func (f *adsTxt) hasPartner(domain string) bool {
	_, found := slices.BinarySearch(f.partners, domain)
	return found
}

// rootDomain returns the public suffix of the domain and one label more, "" for a public suffix. It
// allocates.
func rootDomain(domain string) string {
	suffix, _ := publicsuffix.PublicSuffix(domain)
	if len(suffix) >= len(domain) {
		return ""
	}
	return domain[strings.LastIndexByte(domain[:len(domain)-len(suffix)-1], '.')+1:]
}

// What is wrong with a file or a line. Messages don't repeat the line: it can have personal data.
var (
	errHTML     = errors.New("expected ads.txt, found HTML")
	errNoRecord = errors.New("expected ads.txt, found no line of it")
	errLine     = errors.New("expected a line such as example.com, 1234, DIRECT")
	errLong     = fmt.Errorf("the line is longer than %d bytes", LineMax)
	errSystem   = errors.New("expected the domain of an advertising system such as example.com")
	errSeller   = fmt.Errorf("expected a seller's id of at most %d bytes", sellerMax)
	errRelation = errors.New("expected DIRECT or RESELLER")
	errVariable = errors.New("expected a domain such as example.com")
	errUnknown  = errors.New("expected a variable of the specification")
	errCountry  = errors.New("expected a country code of two letters such as FR")
)

// adsParser reads ads.txt files, one after the other.
type adsParser struct {
	entriesMax int

	lines   lines
	file    *adsTxt
	records []uint64
	some    bool // lines that are not comments
	entries int  // records and variables
	bad     int
	first   error
	name    [canonical.DomainMax]byte
	buf     []byte
}

// parse is the parser of a filewatch.Folder. Lines that are not ads.txt are skipped, but
// a file without any other is refused.
func (p *adsParser) parse(domain string, r io.Reader) (*adsTxt, filewatch.Result, error) {
	p.file = newAdsTxt(domain)
	p.records, p.some, p.entries, p.bad, p.first = p.records[:0], false, 0, 0, nil
	p.lines.reset(r)
	for {
		text, long, err := p.lines.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = p.line(text, long)
		}
		if err != nil {
			return nil, filewatch.Result{}, err
		}
	}
	if p.some && p.entries == 0 {
		return nil, filewatch.Result{}, errNoRecord
	}
	return p.finish(), filewatch.Result{Entries: len(p.file.records), Skipped: p.bad, SkippedFirst: p.first}, nil
}

func (p *adsParser) finish() *adsTxt {
	slices.Sort(p.records)
	merged := p.records[:0]
	for _, r := range p.records {
		if last := len(merged) - 1; last >= 0 && merged[last]&^relationBits == r&^relationBits {
			merged[last] |= r
		} else {
			merged = append(merged, r)
		}
	}
	f := p.file
	f.records = slices.Clone(merged)
	for _, names := range []*[]string{&f.subdomains, &f.partners} {
		slices.Sort(*names)
		*names = slices.Clip(slices.Compact(*names))
	}
	const keepMax = 1 << 16
	if cap(p.records) > keepMax {
		p.records = nil
	}
	return f
}

// line reads a line. The error is one of the file.
func (p *adsParser) line(text []byte, long bool) error {
	err := errLong
	if !long {
		if i := bytes.IndexByte(text, '#'); i >= 0 {
			text = text[:i]
		}
		if i := bytes.IndexByte(text, ';'); i >= 0 {
			text = text[:i] // extensions
		}
		s := trimASCII(mem.String(text))
		if s == "" {
			return nil
		}
		if s[0] == '<' && p.entries == 0 {
			return &filewatch.LineError{Line: p.lines.n, Err: errHTML}
		}
		err = p.entry(s)
	}
	p.some = true
	if errors.Is(err, errUnknown) {
		return nil
	}
	if err != nil {
		if p.bad++; p.bad == 1 {
			p.first = &filewatch.LineError{Line: p.lines.n, Err: err}
		}
		return nil
	}
	if p.entries++; p.entries > p.entriesMax {
		return &filewatch.LineError{Line: p.lines.n, Err: fmt.Errorf("the file has more than %d entries", p.entriesMax)}
	}
	return nil
}

func (p *adsParser) entry(s string) error {
	if i := strings.IndexAny(s, "=,"); i >= 0 && s[i] == '=' {
		return p.variable(trimASCII(s[:i]), trimASCII(s[i+1:]))
	}
	system, rest, _ := strings.Cut(s, ",")
	seller, rest, found := strings.Cut(rest, ",")
	if !found {
		return errLine
	}
	relation, _, _ := strings.Cut(rest, ",")
	system, ok := canonical.Domain(&p.name, trimASCII(system))
	if !ok {
		return errSystem
	}
	if seller, ok = p.seller(seller); !ok {
		return errSeller
	}
	record := accountKey(system, seller) &^ relationBits
	switch relation = trimASCII(relation); {
	case strings.EqualFold(relation, "DIRECT"):
		record |= directBit
	case strings.EqualFold(relation, "RESELLER"):
		record |= resellerBit
	default:
		return errRelation
	}
	p.file.valid = true
	if system != "placeholder.example.com" || seller != "placeholder" {
		p.records = append(p.records, record)
	}
	return nil
}

// seller returns an id without the URL encoding that commas and white space need.
func (p *adsParser) seller(s string) (string, bool) {
	s = trimASCII(s)
	if strings.IndexByte(s, '%') >= 0 {
		p.buf = appendDecoded(p.buf[:0], s)
		s = trimASCII(mem.String(p.buf))
	}
	return s, isSeller(s)
}

// isSeller reports whether the trimmed text can be the id of a seller.
func isSeller(s string) bool {
	if s == "" || len(s) > sellerMax {
		return false
	}
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == 0x7f {
			return false
		}
	}
	return utf8.ValidString(s)
}

// appendDecoded appends s with escapes such as %2C decoded. Other percent signs stay.
func appendDecoded(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if high, low := urlhost.HexDigit(s[i+1]), urlhost.HexDigit(s[i+2]); high|low < urlhost.NoDigit {
				dst = append(dst, high<<4|low)
				i += 2
				continue
			}
		}
		dst = append(dst, s[i])
	}
	return dst
}

// variable reads a variable. One that is not of the specification may be of a later one.
func (p *adsParser) variable(name, value string) error {
	f := p.file
	switch {
	case strings.EqualFold(name, "CONTACT"):
		return nil
	case strings.EqualFold(name, "SUBDOMAIN"):
		return p.addName(&f.subdomains, value)
	case strings.EqualFold(name, "INVENTORYPARTNERDOMAIN"):
		return p.addName(&f.partners, value)
	case strings.EqualFold(name, "OWNERDOMAIN"):
		domain, ok := p.domain(value)
		if !ok {
			return errVariable
		}
		if f.owner == "" { // the first one counts
			f.owner = strings.Clone(domain)
		}
	case strings.EqualFold(name, "MANAGERDOMAIN"):
		return p.manager(value)
	default:
		return errUnknown
	}
	return nil
}

func (p *adsParser) addName(names *[]string, value string) error {
	domain, ok := p.domain(value)
	if !ok {
		return errVariable
	}
	*names = append(*names, strings.Clone(domain))
	return nil
}

// domain returns the canonical domain of a variable, which is a URL in many files.
func (p *adsParser) domain(value string) (string, bool) {
	return canonical.Domain(&p.name, urlhost.Host(value))
}

// manager reads a domain, and perhaps a country. The first one of a country counts.
func (p *adsParser) manager(value string) error {
	value, country, _ := strings.Cut(value, ",")
	domain, ok := p.domain(trimASCII(value))
	if !ok {
		return errVariable
	}
	country = trimASCII(country)
	if !isCountry(country) && country != "" {
		return errCountry
	}
	f := p.file
	if slices.ContainsFunc(f.managers, func(m manager) bool { return strings.EqualFold(m.country, country) }) {
		return nil
	}
	f.managers = append(f.managers, manager{strings.ToUpper(strings.Clone(country)), strings.Clone(domain)})
	return nil
}

func isCountry(s string) bool {
	return len(s) == 2 && s[0]|0x20-'a' < 26 && s[1]|0x20-'a' < 26
}

// trimASCII removes white space of ASCII from both ends. Other white space in a publisher's file is
// a mistake, which makes the line a bad one.
func trimASCII(s string) string { return strings.Trim(s, " \t\n\v\f\r") }
