// Package supply checks supply chains against local copies of ads.txt, app-ads.txt and
// sellers.json. The files are in folders that the operator fills, one file for each domain:
//
//	ads_txt/example.com.txt        what example.com declares at /ads.txt
//	app_ads_txt/developer.com.txt  what a developer of apps declares at /app-ads.txt
//	sellers/exchange.com.json      what exchange.com declares at /sellers.json
//
// [Open] reads them into compact tables; a [filewatch.Watcher] that is given the [Set] reads those
// again that have changed. All that has changed is replaced at once, and a file that can't be used
// keeps its last good content. A lookup takes no lock and allocates nothing.
//
//	now := set.Snapshot()
//	publisher := now.Publisher(request)
//	publisher.Relation("exchange.com", "1234") // Direct, Reseller, Unauthorized, ...
//	now.Seller("exchange.com", "1234")         // PUBLISHER, INTERMEDIARY, ...
//	now.Judge(chain, publisher)                // what is wrong with the chain
//
// docs/lookups.md has the rules, the limits, and what the tables cost.
package supply

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/rtbwire/rtbwire/inspect/lookup"
	"github.com/rtbwire/rtbwire/internal/canonical"
	"github.com/rtbwire/rtbwire/internal/filewatch"
	"github.com/rtbwire/rtbwire/openrtb"
)

// Options name the folders and files of a [Set]. An empty name means none.
type Options struct {
	AdsTxt    string // folder with a file for each website, DOMAIN or DOMAIN.txt
	AppAdsTxt string // folder with a file for each developer, DOMAIN or DOMAIN.txt
	Sellers   string // folder with a file for each advertising system, DOMAIN.json
	Bundles   string // CSV file: the id of an app in its store, and the domain of its developer
	Limits    Limits
	// Report is called after each later refresh that has news about a folder or file: other
	// content, or another error. It may be nil.
	Report func(name string, s filewatch.FolderStatus)
}

// Limits bound a set. A value of 0 means the default.
type Limits struct {
	FilesMax       int   // files of a folder; filewatch.FilesMaxDefault
	AdsTxtSizeMax  int64 // bytes of an ads.txt or app-ads.txt file; AdsTxtSizeMaxDefault
	SellersSizeMax int64 // bytes of a sellers.json file; SellersSizeMaxDefault
	EntriesMax     int   // records or sellers of a file, or bundles; EntriesMaxDefault
}

// The defaults of [Limits].
const (
	AdsTxtSizeMaxDefault  = 16 << 20
	SellersSizeMaxDefault = 512 << 20
	EntriesMaxDefault     = 10_000_000
)

// The names of what a set is read from, as Report and Status have them.
const (
	NameAdsTxt    = "ads_txt"
	NameAppAdsTxt = "app_ads_txt"
	NameSellers   = "sellers"
	NameBundles   = "bundles"
)

// Set has the newest content of the folders. It is a [filewatch.Source].
type Set struct {
	from    [4]string // the paths of the options
	report  func(name string, s filewatch.FolderStatus)
	ads     *filewatch.Folder[*adsTxt] // nil without a folder, as the others
	apps    *filewatch.Folder[*adsTxt]
	sellers *filewatch.Folder[*table]
	bundles *filewatch.File[*table]
	sources []source

	mu      sync.Mutex // one refresh at a time
	current atomic.Pointer[Snapshot]
}

// source is a folder or a file of the set.
type source struct {
	name    string
	path    string
	refresh func() (news bool)
	status  func() filewatch.FolderStatus
}

// Snapshot is the content at one moment. It never changes.
type Snapshot struct {
	ads, apps map[string]*adsTxt
	sellers   map[string]*table
	bundles   *table
}

// Open reads the folders. It fails if one of them, or the file of bundles, can't be read. A file in
// a folder that can't be used is a part of the status: with thousands of them, some always are.
func Open(o Options) (*Set, error) {
	if o.Report == nil {
		o.Report = func(string, filewatch.FolderStatus) {}
	}
	l := o.Limits
	if l.FilesMax < 0 || l.AdsTxtSizeMax < 0 || l.SellersSizeMax < 0 || l.EntriesMax < 0 {
		return nil, errors.New("supply: a limit is negative")
	}
	l.EntriesMax = cmp.Or(l.EntriesMax, EntriesMaxDefault)
	s := &Set{from: [...]string{o.AdsTxt, o.AppAdsTxt, o.Sellers, o.Bundles}, report: o.Report}
	ads := &adsParser{entriesMax: l.EntriesMax}
	adsOptions := filewatch.FolderOptions[*adsTxt]{
		Key: adsTxtKey, Parse: ads.parse, FilesMax: l.FilesMax, SizeMax: cmp.Or(l.AdsTxtSizeMax, AdsTxtSizeMaxDefault),
	}
	if o.AdsTxt != "" {
		s.ads = filewatch.NewFolder(o.AdsTxt, adsOptions)
		s.sources = append(s.sources, source{NameAdsTxt, o.AdsTxt, s.ads.Refresh, s.ads.Status})
	}
	if o.AppAdsTxt != "" {
		s.apps = filewatch.NewFolder(o.AppAdsTxt, adsOptions)
		s.sources = append(s.sources, source{NameAppAdsTxt, o.AppAdsTxt, s.apps.Refresh, s.apps.Status})
	}
	if o.Sellers != "" {
		sellers := &sellersParser{entriesMax: l.EntriesMax}
		s.sellers = filewatch.NewFolder(o.Sellers, filewatch.FolderOptions[*table]{
			Key: sellersKey, Parse: sellers.parse, FilesMax: l.FilesMax, SizeMax: cmp.Or(l.SellersSizeMax, SellersSizeMaxDefault),
		})
		s.sources = append(s.sources, source{NameSellers, o.Sellers, s.sellers.Refresh, s.sellers.Status})
	}
	if o.Bundles != "" {
		s.bundles = filewatch.NewFile(o.Bundles, 0, func(r io.Reader) (*table, filewatch.Result, error) { return parseBundles(r, l.EntriesMax) })
		s.sources = append(s.sources, source{NameBundles, o.Bundles, s.bundles.Refresh, s.bundlesStatus})
	}
	var errs []error
	for _, src := range s.sources {
		src.refresh()
		if err := src.status().Err; err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", src.name, err))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	s.current.Store(s.snapshot())
	return s, nil
}

// adsTxtKey returns the domain that a file is about, from the file's name.
func adsTxtKey(name string) (domain string, ok bool) {
	return fileDomain(strings.TrimSuffix(name, ".txt"))
}

func sellersKey(name string) (domain string, ok bool) {
	name, ok = strings.CutSuffix(name, ".json")
	if !ok {
		return "", false
	}
	return fileDomain(name)
}

// fileDomain returns the canonical form of a domain of at least two labels.
func fileDomain(name string) (string, bool) {
	if !strings.Contains(name, ".") {
		return "", false
	}
	if canonical.IsDomain(name) {
		return name, true
	}
	var buf [canonical.DomainMax]byte
	domain, ok := canonical.Domain(&buf, name)
	return strings.Clone(domain), ok
}

func (s *Set) bundlesStatus() filewatch.FolderStatus {
	f := s.bundles.Status()
	status := filewatch.FolderStatus{
		Path: f.Path, Files: 1, Err: f.Err, Loads: f.Loads, Failures: f.Failures, FailedAt: f.FailedAt, Result: f.Result, LoadedAt: f.LoadedAt,
	}
	if f.Err != nil {
		status.Refused = 1
	}
	return status
}

// snapshot returns what the folders have now.
func (s *Set) snapshot() *Snapshot {
	next := &Snapshot{}
	if s.ads != nil {
		next.ads = s.ads.Values()
	}
	if s.apps != nil {
		next.apps = s.apps.Values()
	}
	if s.sellers != nil {
		next.sellers = s.sellers.Values()
	}
	if s.bundles != nil {
		next.bundles = *s.bundles.Value()
	}
	return next
}

// Snapshot returns the content that the set has now.
func (s *Set) Snapshot() *Snapshot { return s.current.Load() }

// Signs is [Snapshot.Judge] of a chain and its request's publisher, by the content that the set has
// now. It makes the set [lookup.Chains].
func (s *Set) Signs(r *openrtb.BidRequest, chain *openrtb.SupplyChain) lookup.ChainSigns {
	now := s.Snapshot()
	c := now.Judge(chain, now.Publisher(r))
	return c.Signs
}

// Status returns what is known about each folder and file, by name.
func (s *Set) Status() map[string]filewatch.FolderStatus {
	all := map[string]filewatch.FolderStatus{}
	for _, src := range s.sources {
		all[src.name] = src.status()
	}
	return all
}

// good reports whether every folder and file can be used as it is.
func (s *Set) good() bool {
	return !slices.ContainsFunc(s.sources, func(src source) bool { return src.status().Err != nil })
}

// Paths returns the folders, and the file of bundles.
func (s *Set) Paths() (paths []string) {
	for _, src := range s.sources {
		paths = append(paths, src.path)
	}
	return paths
}

// Refresh loads the files that are new or have changed, and replaces all content at once.
func (s *Set) Refresh() {
	s.mu.Lock()
	defer s.mu.Unlock()
	var news []source
	for _, src := range s.sources {
		if src.refresh() {
			news = append(news, src)
		}
	}
	if news == nil {
		return
	}
	s.current.Store(s.snapshot())
	for _, src := range news {
		s.report(src.name, src.status())
	}
}
