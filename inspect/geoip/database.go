package geoip

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/oschwald/maxminddb-golang/v2"
	"github.com/oschwald/maxminddb-golang/v2/mmdbdata"

	"github.com/rtbwire/rtbwire/inspect/lookup"
)

// Database is the content of a file: immutable, for all goroutines. Nothing in it refers to the
// file or its bytes.
type Database struct {
	index    *index
	records  []lookup.AddressInfo // the first one is for addresses that the database lacks
	kind     string
	built    time.Time
	networks int
}

// Lookup returns what the database says about an address, and whether it says anything. IPv4
// written as IPv6 is IPv4, and zones do not count. It allocates nothing.
func (d *Database) Lookup(a netip.Addr) (r lookup.AddressInfo, found bool) {
	n := d.index.find(a.Unmap())
	return d.records[n], n != 0
}

// Type returns the type that the database gives itself, such as GeoLite2-Country.
func (d *Database) Type() string { return d.kind }

// Built returns when the database was made. Countries of addresses change: a database that is
// months old is wrong about a few percent of them.
func (d *Database) Built() time.Time { return d.built }

// Networks returns the number of networks in the file that have a record.
func (d *Database) Networks() int { return d.networks }

// loadMax is how long reading the records of a file may take. A database of cities takes seconds; a
// hostile file, with millions of nested records, could take days.
const loadMax = time.Minute

// typeMax is how much of a type is kept.
const typeMax = 100

var marker = []byte("\xab\xcd\xefMaxMind.com") // before the metadata

// What is wrong with a file.
var (
	errFormat   = errors.New("expected a MaxMind DB file (.mmdb)")
	errPanic    = errors.New("the file breaks its reader")
	errVersion  = errors.New("expected version 2 of the MaxMind DB format")
	errShape    = errors.New("expected records of 24, 28 or 32 bits, for IPv4 or IPv6, and a tree that fits into the file")
	errSlow     = fmt.Errorf("reading the file took longer than %v", loadMax)
	errNoAnswer = errors.New("no record has a country, or a trait of an address")
)

// Parse reads a database from the bytes of a .mmdb file. It does not keep them.
func Parse(file []byte) (*Database, error) { return parseWithin(file, loadMax) }

func parseWithin(file []byte, limit time.Duration) (d *Database, err error) {
	defer func() { // none is known, but a file must not end the program
		if p := recover(); p != nil {
			d, err = nil, fmt.Errorf("%w: %v", errPanic, p)
		}
	}()
	at := bytes.LastIndex(file, marker)
	if at < 0 {
		return nil, errFormat
	}
	r, err := maxminddb.OpenBytes(file, maxminddb.DisableStringCache())
	if err != nil {
		return nil, err
	}
	m := r.Metadata
	if m.BinaryFormatMajorVersion != 2 {
		return nil, errVersion
	}
	t := treeReader{file: file, count: uint32(min(m.NodeCount, nodesMax)), size: int(min(m.RecordSize, 1000)), bits: 128}
	if m.IPVersion == 4 {
		t.bits = 32
	}
	data := int64(m.NodeCount)*int64(t.size/4) + separator
	sizes := m.RecordSize == 24 || m.RecordSize == 28 || m.RecordSize == 32
	if !sizes || m.IPVersion != 4 && m.IPVersion != 6 || m.NodeCount == 0 || m.NodeCount > nodesMax || data > int64(at) {
		return nil, errShape
	}
	d = &Database{kind: string([]byte(m.DatabaseType[:min(len(m.DatabaseType), typeMax)])), built: m.BuildTime()}
	t.records = d.reader(file[data:at], limit)
	small, err := t.read()
	if err != nil {
		return nil, err
	}
	if d.index, err = newIndex(small, t.count); err != nil {
		return nil, err
	}
	d.networks = t.networks
	if len(d.records) == 1 || len(d.records) == 2 && d.records[1] == (lookup.AddressInfo{}) {
		return nil, fmt.Errorf("%w (the type is %.40q)", errNoAnswer, d.kind)
	}
	return d, nil
}

// reader returns a function that reads the record at an offset of the data, once, and returns its
// number among those that differ.
func (d *Database) reader(data []byte, limit time.Duration) func(offset uint32) (uint32, error) {
	decoder := mmdbdata.NewDecoder(data, 0)
	offsets, numbers := map[uint32]uint32{}, map[lookup.AddressInfo]uint32{}
	d.records = make([]lookup.AddressInfo, 1)
	start := time.Now()
	return func(offset uint32) (uint32, error) {
		number, known := offsets[offset]
		if known {
			return number, nil
		}
		if time.Since(start) > limit {
			return 0, errSlow
		}
		r, err := readRecord(decoder.CursorAt(uint(offset)))
		if err != nil {
			return 0, fmt.Errorf("a record: %w", err)
		}
		if number, known = numbers[r]; !known {
			number = uint32(len(d.records))
			numbers[r], d.records = number, append(d.records, r)
		}
		offsets[offset] = number
		return number, nil
	}
}
