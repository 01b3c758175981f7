// Package lists has the lists of a configuration: domains, apps, addresses, sellers and other
// strings, from files that may have millions of entries and change while requests are judged.
//
// A [Set] has all lists of a configuration. [Open] reads their files; a [filewatch.Watcher] that is
// given the set reads them again when they change. All files that have changed are replaced at
// once, and one that can't be read keeps its last good content.
//
//	set, err := lists.Open(map[string]lists.Definition{
//		"blocked": {Kind: lists.Domain, File: "lists/domains.txt"},
//	}, report)
//	watcher := filewatch.Watch(filewatch.Options{}, set)
//	blocked := set.List("blocked")
//	...
//	if blocked.Match(request.Site.Domain) {
//
// A lookup takes no lock and allocates nothing. [List.Match] asks the newest content. A program
// that asks several times about one request and needs answers of one moment takes a [Snapshot]:
//
//	now := set.Snapshot()
//	if now.Table(blocked).Match(domain) || now.Table(allowed).Match(domain) {
//
// docs/policy.md has the formats of files, the canonical forms, and what lists cost.
package lists

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/rtbwire/rtbwire/inspect/lookup"
	"github.com/rtbwire/rtbwire/internal/filewatch"
)

// Definition is a list of a configuration.
type Definition struct {
	Kind Kind
	// File is the path of the list's file. Entries is the list itself, for a short one. A list has
	// one of them.
	File    string
	Entries []string
	Format  Format
	// Columns are the names of the columns in the first line of a CSV file: one, or for sellers two
	// or three. Without names, the first columns are read, from the first line on.
	Columns []string
	// BadEntriesMax is how many entries may be skipped because they are not of the kind. With one
	// more the file is refused. The default is none: a list that silently lacks an entry lets
	// through what it is there to stop.
	BadEntriesMax int
	Limits        Limits
}

// Set has the lists of a configuration. It is a [filewatch.Source].
type Set struct {
	lists  []*List // by name
	report func(name string, s filewatch.Status)

	mu      sync.Mutex // one refresh at a time
	current atomic.Pointer[Snapshot]
}

// List is a list of a set. It has the newest content at any time.
type List struct {
	set   *Set
	index int
	name  string
	kind  Kind

	defined Definition
	file    *filewatch.File[*Table] // nil if the entries are in the configuration
}

// Snapshot is the content of all lists of a set at one moment. It never changes.
type Snapshot struct{ tables []*Table }

// Open reads all lists. It fails if any of them can't be read, with an [OpenError] for each,
// joined. Report is called after each later attempt to load a file that has news: other content,
// or another error. It may be nil.
func Open(definitions map[string]Definition, report func(name string, s filewatch.Status)) (*Set, error) {
	return Reopen(nil, definitions, report)
}

// Reopen is [Open] where a set is in use already. A list that is defined as before is taken from
// there: its file is read again only if it has changed. The set in use may still be refreshed. It
// may be nil.
func Reopen(inUse *Set, definitions map[string]Definition, report func(name string, s filewatch.Status)) (*Set, error) {
	if report == nil {
		report = func(string, filewatch.Status) {}
	}
	s := &Set{report: report}
	first := &Snapshot{}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(definitions)) {
		l, t, err := inUse.open(name, definitions[name])
		if err != nil {
			errs = append(errs, &OpenError{name, err})
			continue
		}
		l.set, l.index, l.name = s, len(s.lists), name
		s.lists = append(s.lists, l)
		first.tables = append(first.tables, t)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	s.current.Store(first)
	return s, nil
}

// OpenError is why [Open] can't open a list.
type OpenError struct {
	List string // its name
	Err  error
}

// Error returns name and cause.
func (e *OpenError) Error() string { return "list " + e.List + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *OpenError) Unwrap() error { return e.Err }

// open opens a list. Where the set has it as it is defined now, its file is shared.
func (s *Set) open(name string, d Definition) (*List, *Table, error) {
	if err := d.validate(); err != nil {
		return nil, nil, err
	}
	if s != nil {
		if before := s.List(name); before != nil && before.file != nil && reflect.DeepEqual(before.defined, d) {
			before.file.Refresh()
			if before.file.Status().Err == nil {
				return &List{kind: d.Kind, defined: d, file: before.file}, *before.file.Value(), nil
			}
		}
	}
	l := &List{kind: d.Kind, defined: d}
	if d.File == "" {
		t, err := d.inline()
		return l, t, err
	}
	l.file = filewatch.NewFile(d.File, d.Limits.FileSizeMax, d.parse)
	l.file.Refresh()
	if t := l.file.Value(); t != nil {
		return l, *t, nil
	}
	return nil, nil, l.file.Status().Err
}

// validate refuses what a definition can't mean, and fills in the defaults.
func (d *Definition) validate() error {
	d.Limits.LineMax = cmp.Or(d.Limits.LineMax, filewatch.LineMaxDefault)
	d.Limits.EntriesMax = cmp.Or(d.Limits.EntriesMax, EntriesMaxDefault)
	columnsMax := 1
	if d.Kind == Seller {
		columnsMax = 3
	}
	switch {
	case !slices.Contains(Kinds, d.Kind):
		return fmt.Errorf("unknown kind %q (want one of %v)", d.Kind, Kinds)
	case !slices.Contains([]Format{Auto, Text, CSV}, d.Format):
		return fmt.Errorf("unknown format %q (want text or csv)", d.Format)
	case (d.File == "") == (d.Entries == nil):
		return errors.New("expected a file, or entries, and not both")
	case len(d.Columns) > 0 && (d.Format == Text || d.File == ""):
		return errors.New("only CSV files have columns")
	case len(d.Columns) > columnsMax || d.Kind == Seller && len(d.Columns) == 1:
		return fmt.Errorf("expected %s", map[bool]string{true: "two or three columns", false: "one column"}[d.Kind == Seller])
	case d.BadEntriesMax < 0 || d.Limits.FileSizeMax < 0 || d.Limits.EntriesMax < 0:
		return errors.New("a limit is negative")
	case d.Limits.LineMax < 0 || d.Limits.LineMax > LineMaxLimit:
		return fmt.Errorf("expected a line limit of at most %d", LineMaxLimit)
	}
	return nil
}

// inline reads the entries that are in the configuration. The line of an error counts them.
func (d *Definition) inline() (*Table, error) {
	p := d.parser()
	for i, e := range d.Entries {
		if err := p.line(i+1, []byte(e)); err != nil {
			return nil, err
		}
	}
	if err := p.refused(); err != nil {
		return nil, fmt.Errorf("entries, %w", err)
	}
	t, _, _ := p.finish()
	return t, nil
}

// List returns the list with the name, nil if there is none.
func (s *Set) List(name string) *List {
	i, found := slices.BinarySearchFunc(s.lists, name, func(l *List, name string) int { return cmp.Compare(l.name, name) })
	if !found {
		return nil
	}
	return s.lists[i]
}

// Lists returns all lists, by name.
func (s *Set) Lists() []*List { return slices.Clone(s.lists) }

// Snapshot returns the content that all lists have now.
func (s *Set) Snapshot() *Snapshot { return s.current.Load() }

// Table returns the content of a list of the set.
func (s *Snapshot) Table(l *List) *Table { return s.tables[l.index] }

// Paths returns the files of the lists.
func (s *Set) Paths() (paths []string) {
	for _, l := range s.lists {
		if l.file != nil {
			paths = append(paths, l.file.Path())
		}
	}
	return paths
}

// Refresh loads the files that have changed, and replaces the content of their lists at once.
func (s *Set) Refresh() {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := &Snapshot{tables: slices.Clone(s.Snapshot().tables)}
	var news []*List
	for i, l := range s.lists {
		if l.file == nil {
			continue
		}
		changed := l.file.Refresh()
		if t := *l.file.Value(); changed || t != next.tables[i] { // another set may have loaded it
			next.tables[i] = t
			news = append(news, l)
		}
	}
	if news == nil {
		return
	}
	s.current.Store(next)
	for _, l := range news {
		s.report(l.name, l.Status())
	}
}

// Name returns the name of the list.
func (l *List) Name() string { return l.name }

// Kind returns the kind of the entries.
func (l *List) Kind() Kind { return l.kind }

// Table returns the content that the list has now.
func (l *List) Table() *Table { return l.set.Snapshot().Table(l) }

// Match is [Table.Match] of the content that the list has now.
func (l *List) Match(value string) bool { return l.Table().Match(value) }

// MatchAddr is [Table.MatchAddr] of the content that the list has now.
func (l *List) MatchAddr(a netip.Addr) bool { return l.Table().MatchAddr(a) }

// Seller is [Table.Seller] of the content that the list has now.
func (l *List) Seller(domain, id string) (Relationship, bool) { return l.Table().Seller(domain, id) }

// Addresses returns the list as a set of addresses. It must be of the kind [Prefix].
func (l *List) Addresses() (lookup.Addresses, error) {
	if l.kind != Prefix {
		return nil, fmt.Errorf("lists: %s is a list of the kind %s (want %s)", l.name, l.kind, Prefix)
	}
	return addressSet{l}, nil
}

type addressSet struct{ *List }

func (a addressSet) Contains(addr netip.Addr) bool { return a.MatchAddr(addr) }

// Nodes returns the list as a set of nodes of supply chains. It must be of the kind [Seller], or
// [Domain] for all sellers of a system.
func (l *List) Nodes() (lookup.Nodes, error) {
	if l.kind != Domain && l.kind != Seller {
		return nil, fmt.Errorf("lists: %s is a list of the kind %s (want %s or %s)", l.name, l.kind, Domain, Seller)
	}
	return nodeSet{l}, nil
}

type nodeSet struct{ *List }

func (n nodeSet) Contains(system, seller string) bool {
	if n.kind == Seller {
		_, found := n.Seller(system, seller)
		return found
	}
	return n.Match(system)
}

// Status returns what is known about the file of the list. A list without one was loaded with the
// configuration.
func (l *List) Status() filewatch.Status {
	if l.file == nil {
		return filewatch.Status{Result: filewatch.Result{Entries: l.Table().Len()}}
	}
	return l.file.Status()
}
