package supply

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/rtbwire/rtbwire/internal/blank"
	"github.com/rtbwire/rtbwire/internal/canonical"
	"github.com/rtbwire/rtbwire/internal/filewatch"
	"github.com/rtbwire/rtbwire/internal/grammar"
	"github.com/rtbwire/rtbwire/internal/mem"
)

// SellerType is what an advertising system's sellers.json says that a seller is.
type SellerType uint8

// The types of sellers.
const (
	// SellerUnknown means that there is no file for the system, or that it can't be read where it
	// is about the seller.
	SellerUnknown SellerType = iota
	// SellerNotListed means that the file does not list the seller.
	SellerNotListed
	// SellerPublisher means that the seller owns the inventory and is paid directly.
	SellerPublisher
	// SellerIntermediary means that the seller does not own the inventory, or is not paid directly.
	SellerIntermediary
	// SellerBoth means that the seller is both.
	SellerBoth
)

var sellerNames = [...]string{
	SellerUnknown: "unknown", SellerNotListed: "not listed", SellerPublisher: "PUBLISHER", SellerIntermediary: "INTERMEDIARY",
	SellerBoth: "BOTH",
}

// String returns "PUBLISHER", "INTERMEDIARY" or "BOTH" as files write it, "unknown" or "not
// listed".
func (t SellerType) String() string {
	if int(t) < len(sellerNames) {
		return sellerNames[t]
	}
	return "SellerType(" + strconv.Itoa(int(t)) + ")"
}

// Seller is what a sellers.json file says about a seller.
type Seller struct {
	Type         SellerType
	Confidential bool
	Passthrough  bool
	Domain       string // in canonical form, or ""
}

// Seller returns what the advertising system says about a seller. System is a domain, compared in
// canonical form; ids are compared exactly, without white space around them. For a subdomain
// without a file, the file of a domain above can confirm a seller, but not deny one.
func (s *Snapshot) Seller(system, id string) Seller {
	var buf [canonical.DomainMax]byte
	name, ok := canonical.Domain(&buf, blank.Trim(system))
	if !ok {
		return Seller{}
	}
	return s.seller(name, blank.Trim(id))
}

func (s *Snapshot) seller(system, id string) Seller {
	if len(s.sellers) == 0 {
		return Seller{}
	}
	key := sellerKey(id)
	if t := s.sellers[system]; t != nil {
		return sellerIn(t, key)
	}
	labels := strings.Count(system, ".")
	for ; labels > 1; labels-- {
		if system = system[strings.IndexByte(system, '.')+1:]; labels > labelsMax {
			continue
		}
		if t := s.sellers[system]; t != nil {
			if seller := sellerIn(t, key); seller.Type != SellerNotListed {
				return seller
			}
			break
		}
	}
	return Seller{}
}

// The bits of the first byte of a seller's value, above the type. The domain follows.
const (
	typeBits        = 7
	confidentialBit = 8
	passthroughBit  = 16
)

func sellerIn(t *table, key uint64) Seller {
	v, found := t.find(key)
	if !found {
		return Seller{Type: SellerNotListed}
	}
	return Seller{
		Type: SellerType(v[0] & typeBits), Confidential: v[0]&confidentialBit != 0, Passthrough: v[0]&passthroughBit != 0,
		Domain: v[1:],
	}
}

// What is wrong with a sellers.json file, or a seller in it. Messages don't repeat the text.
var (
	errObject    = errors.New("expected an object")
	errTwice     = errors.New("expected sellers once")
	errNoSellers = errors.New("expected sellers, an array")
	errBadSeller = errors.New("expected a seller with seller_id, seller_type PUBLISHER, INTERMEDIARY or BOTH, and other members of their types")
	errAllBad    = errors.New("expected sellers, found none that can be read")
)

// sellersParser reads sellers.json files, one after the other.
type sellersParser struct {
	entriesMax int

	in      values
	table   tableBuilder
	good    int
	bad     int
	first   error
	name    [canonical.DomainMax]byte
	scanner grammar.Scanner
}

// parse is the parser of a filewatch.Folder. It reads one seller at a time. A seller that is not as
// the specification says is skipped; a text that is not JSON is refused.
func (p *sellersParser) parse(_ string, r io.Reader) (*table, filewatch.Result, error) {
	p.in.reset(r)
	p.table, p.good, p.bad, p.first = tableBuilder{}, 0, 0, nil
	if err := p.document(); err != nil {
		return nil, filewatch.Result{}, err
	}
	if p.bad > 0 && p.good == 0 {
		return nil, filewatch.Result{}, errAllBad
	}
	t := p.table.finish()
	p.table = tableBuilder{}
	return &t, filewatch.Result{Entries: len(t.keys), Skipped: p.bad, SkippedFirst: p.first}, nil
}

// document reads the whole text.
func (p *sellersParser) document() error {
	found := false
	err := p.in.list('{', '}', errObject, func() error {
		key, err := p.in.key()
		if err != nil {
			return err
		}
		if string(key) != "sellers" {
			_, err := p.checked()
			return err
		}
		if found {
			return p.in.fault(errTwice)
		}
		found = true
		return p.in.list('[', ']', errNoSellers, p.seller)
	})
	if err == nil {
		err = p.in.finish()
	}
	if err == nil && !found {
		err = errNoSellers
	}
	return err
}

// checked reads a value.
func (p *sellersParser) checked() ([]byte, error) {
	line := p.in.line
	text, err := p.in.value()
	if err != nil {
		return nil, err
	}
	p.begin(text)
	if !p.scanner.Skip(nil) || !p.scanner.End() {
		return nil, p.invalid(line)
	}
	return text, nil
}

// depthMax is how deep the members of a file may be nested.
const depthMax = 64

// begin begins to scan a value. Strings that are not Unicode are accepted: many a name is in
// Latin-1.
func (p *sellersParser) begin(text []byte) {
	p.scanner = grammar.Scanner{Data: text, Depth: depthMax, Tolerant: true}
}

// invalid returns the error of the scanner. Line is where the value begins.
func (p *sellersParser) invalid(line int) error {
	line += bytes.Count(p.scanner.Data[:p.scanner.At], []byte("\n"))
	return &filewatch.LineError{Line: line, Err: errors.New(p.scanner.Expected)}
}

// seller reads a seller.
func (p *sellersParser) seller() error {
	line := p.in.line
	text, err := p.in.value()
	if err != nil {
		return err
	}
	if p.good+p.bad >= p.entriesMax {
		return &filewatch.LineError{Line: line, Err: fmt.Errorf("the file has more than %d sellers", p.entriesMax)}
	}
	p.begin(text)
	var m members
	if text[0] != '{' {
		m.bad = true
		if !p.scanner.Skip(nil) || !p.scanner.End() {
			return p.invalid(line)
		}
	} else if !m.read(&p.scanner) {
		return p.invalid(line)
	}
	value := m.flags
	if m.bad || m.id == "" || m.flags&typeBits == 0 {
		value = byte(SellerUnknown)
		if p.bad++; p.bad == 1 {
			p.first = &filewatch.LineError{Line: line, Err: errBadSeller}
		}
		if m.id == "" {
			return nil
		}
	} else {
		p.good++
	}
	start := len(p.table.text)
	p.table.text = append(p.table.text, value)
	if domain, ok := hostName(&p.name, m.domain); ok && value != 0 {
		p.table.text = append(p.table.text, domain...)
	}
	return p.table.add(sellerKey(m.id), start)
}

// members are the members of a seller that are kept.
type members struct {
	id, domain string
	flags      byte // SellerType and the bits above it
	seen       uint8
	bad        bool
}

// read reads an object. It returns false where the text is not JSON.
func (m *members) read(s *grammar.Scanner) bool {
	if !s.Open() {
		return false
	}
	s.Space()
	if s.Peek() == '}' {
		s.Close()
		return s.End()
	}
	for more := true; more; {
		key, ok := s.Key()
		if !ok {
			return false
		}
		if s.Escaped {
			key = []byte(grammar.Unescape(key))
		}
		if !s.Colon() {
			return false
		}
		start := s.Pos
		if !s.Skip(nil) {
			return false
		}
		m.member(key, s.Data[start:s.Pos])
		if more, ok = s.More('}'); !ok {
			return false
		}
	}
	return s.End()
}

// member keeps the value of a member. One that comes twice makes the seller a bad one.
func (m *members) member(key, value []byte) {
	var bit uint8
	var ok bool
	switch string(key) {
	case "seller_id":
		bit = 1
		m.id, ok = idOf(value)
	case "seller_type":
		bit = 2
		var t SellerType
		t, ok = typeOf(value)
		m.flags |= byte(t)
	case "is_confidential":
		bit = 4
		ok = m.flag(value, confidentialBit)
	case "is_passthrough":
		bit = 8
		ok = m.flag(value, passthroughBit)
	case "domain":
		bit = 16
		m.domain, ok = textOf(value)
		ok = ok || string(value) == "null"
	default:
		return
	}
	m.bad = m.bad || !ok || m.seen&bit != 0
	m.seen |= bit
}

// textOf returns the content of a string.
func textOf(value []byte) (string, bool) {
	if value[0] != '"' {
		return "", false
	}
	value = value[1 : len(value)-1]
	if bytes.IndexByte(value, '\\') >= 0 {
		return grammar.Unescape(value), true
	}
	return mem.String(value), true
}

// idOf returns the id of a seller. Some systems write it as a number.
func idOf(value []byte) (string, bool) {
	id, ok := textOf(value)
	if !ok && allDigits(value) {
		return mem.String(value), true
	}
	id = blank.Trim(id)
	if !ok || !isSeller(id) {
		return "", false
	}
	return id, true
}

func allDigits(b []byte) bool { return len(b) <= sellerMax && canonical.AllDigits(mem.String(b)) }

func typeOf(value []byte) (SellerType, bool) {
	text, ok := textOf(value)
	for t := SellerPublisher; ok && t <= SellerBoth; t++ {
		if strings.EqualFold(text, sellerNames[t]) {
			return t, true
		}
	}
	return SellerUnknown, false
}

// flag reads 0 or 1. Some systems write them as a string, or as true and false.
func (m *members) flag(value []byte, bit byte) bool {
	switch string(value) {
	case "1", "true", `"1"`, `"true"`:
		m.flags |= bit
		return true
	case "0", "false", `"0"`, `"false"`, "null":
		return true
	}
	return false
}
