// Package geoip looks up the country of an address in the user's database: GeoLite2, GeoIP2, DB-IP,
// IP2Location, ipinfo and others in the MaxMind DB format (.mmdb).
//
//	db, err := geoip.Open("GeoLite2-Country.mmdb", geoip.Options{})
//	watcher := filewatch.Watch(filewatch.Options{}, db)
//	...
//	record, found := db.Lookup(address)
//	declared, ok := lookup.ParseCountry(request.Device.Geo.Country) // three letters
//	if found && ok && record.Country != declared {
//
// The file is read into memory as a whole, never mapped: a mapped file that somebody truncates
// kills the process. All its records are decoded once, when it is loaded, and its tree is made into
// a smaller one that leads to countries. So a lookup walks at most 128 steps, decodes nothing and
// can't fail, and a file with a fault is refused as a whole. A file that changes is loaded beside
// the database in use and replaces it by one atomic store.
//
// docs/lookups.md has the formats and what a lookup costs.
package geoip

import (
	"bytes"
	"io"
	"net/netip"
	"os"

	"github.com/rtbwire/rtbwire/inspect/lookup"
	"github.com/rtbwire/rtbwire/internal/filewatch"
)

// Options configure [Open]. Zero values mean the defaults.
type Options struct {
	// FileSizeMax is the largest file that is read, in bytes. The default is
	// [filewatch.SizeMaxDefault], 1 GiB.
	FileSizeMax int64
	// Report is called after each later attempt to load the file that has news: another database,
	// or another error. It may be nil.
	Report func(filewatch.Status)
}

// DB is a database that follows its file. It is a [filewatch.Source].
type DB struct {
	file   *filewatch.File[*Database]
	report func(filewatch.Status)
}

// Open reads the file. The error names it.
func Open(path string, o Options) (*DB, error) {
	d := &DB{report: o.Report}
	if d.report == nil {
		d.report = func(filewatch.Status) {}
	}
	d.file = filewatch.NewFile(path, o.FileSizeMax, func(r io.Reader) (*Database, filewatch.Result, error) {
		return load(r, path)
	})
	d.file.Refresh()
	if d.file.Value() == nil {
		return nil, d.file.Status().Err
	}
	return d, nil
}

// load reads all of a file.
func load(r io.Reader, path string) (*Database, filewatch.Result, error) {
	var b bytes.Buffer
	if info, err := os.Stat(path); err == nil { // a hint, so that the buffer need not grow
		b.Grow(int(min(info.Size(), filewatch.SizeMaxDefault)) + bytes.MinRead)
	}
	if _, err := b.ReadFrom(r); err != nil {
		return nil, filewatch.Result{}, err
	}
	d, err := Parse(b.Bytes())
	if err != nil {
		return nil, filewatch.Result{}, err
	}
	return d, filewatch.Result{Entries: d.Networks()}, nil
}

// Database returns the content that the file has now, for programs that ask several times and need
// answers of one moment.
func (d *DB) Database() *Database { return *d.file.Value() }

// Lookup is [Database.Lookup] of the content that the file has now.
func (d *DB) Lookup(a netip.Addr) (r lookup.AddressInfo, found bool) { return d.Database().Lookup(a) }

// Paths returns the file.
func (d *DB) Paths() []string { return []string{d.file.Path()} }

// Refresh loads the file if it has changed.
func (d *DB) Refresh() {
	if d.file.Refresh() {
		d.report(d.file.Status())
	}
}

// Status returns what is known about the file. Its entries are networks.
func (d *DB) Status() filewatch.Status { return d.file.Status() }
