package lists

import (
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/filewatch"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// put replaces a file by renaming.
func put(tb testing.TB, path, text string) {
	tb.Helper()
	if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		tb.Fatal(err)
	}
}

// openFile opens a list of the definition, with the text as its file.
func openFile(t *testing.T, d Definition, name, text string) (*List, error) {
	t.Helper()
	d.File = filepath.Join(t.TempDir(), name)
	put(t, d.File, text)
	s, err := Open(map[string]Definition{"list": d}, nil)
	if err != nil {
		return nil, errors.New(strings.ReplaceAll(err.Error(), d.File, name))
	}
	return s.List("list"), nil
}

// files are texts of lists, and what is read from them.
var files = []struct {
	name string // of the file too
	def  Definition
	text string
	len  int
	bad  int
	in   []string // values that match
	err  string
}{
	{name: "domains.txt", def: Definition{Kind: Domain}, text: "\ufeff# blocked\r\nExample.com # why\r\n\r\n*.example.org\nexample.com.", len: 2, in: []string{"a.example.com", "example.org"}},
	{name: "empty.txt", def: Definition{Kind: Domain}},
	{name: "empty-prefixes.txt", def: Definition{Kind: Prefix}, text: "# none\n"},
	{name: "bad.txt", def: Definition{Kind: Prefix}, text: "192.0.2.0/24\nx\n", err: "list list: bad.txt:2: " + errPrefix.Error()},
	{
		name: "three-bad.txt", def: Definition{Kind: Prefix}, text: "x\n192.0.2.0/24\ny\n\nz",
		err: "list list: three-bad.txt:1: " + errPrefix.Error() + "; also in lines 3, 5",
	},
	{
		name: "all-bad.txt", def: Definition{Kind: Prefix, BadEntriesMax: 3}, text: strings.Repeat("x\n", 1000),
		err: "list list: all-bad.txt:1: " + errPrefix.Error() + "; also in lines 2, 3, 4, 5, 6, 7, 8, 9, 10 and more",
	},
	{name: "tolerated.txt", def: Definition{Kind: Prefix, BadEntriesMax: 2}, text: "x\n192.0.2.0/24\ny\n", len: 1, bad: 2, in: []string{"192.0.2.1"}},
	{name: "sellers.txt", def: Definition{Kind: Seller}, text: "google.com, pub-1, DIRECT, f08c47fec0942fa0 # comment\nx.com,2", len: 2, in: []string{"google.com,pub-1", "x.com,2"}},
	{name: "strings.csv", def: Definition{Kind: String}, text: "# comment\n\" a,b\",x\n#c\n\"#d\"\n", len: 2, in: []string{" a,b"}},
	{name: "AUTO.CSV", def: Definition{Kind: String}, text: "a,b\n", len: 1, in: []string{"a"}},
	{name: "text.csv", def: Definition{Kind: String, Format: Text}, text: "a,b\n", len: 1, in: []string{"a,b"}},
	{name: "csv.txt", def: Definition{Kind: String, Format: CSV}, text: "a,b\n", len: 1, in: []string{"a"}},
	{name: "column.txt", def: Definition{Kind: Bundle, Columns: []string{"Bundle"}}, text: "store, bundle\napple,id1\ngoogle,com.x\n", len: 2, in: []string{"1", "com.x"}},
	{name: "no-column.csv", def: Definition{Kind: Bundle, Columns: []string{"bundle"}}, text: "store,app\napple,id1\n", err: "list list: no-column.csv: expected a first line with the columns bundle"},
	{name: "no-line.csv", def: Definition{Kind: Bundle, Columns: []string{"bundle"}}, err: "list list: no-line.csv: expected a first line with the columns bundle"},
	{name: "short.csv", def: Definition{Kind: Bundle, Columns: []string{"bundle"}}, text: "store,bundle\napple\n", err: "list list: short.csv:2: " + errBundle.Error()},
	{
		name: "sellers.csv", def: Definition{Kind: Seller, Columns: []string{"id", "type", "domain"}}, text: "domain,id,type\nx.com,1,both\n",
		err: "list list: sellers.csv:2: " + errSeller.Error(), // the order is domain, id, relationship
	},
	{name: "sellers2.csv", def: Definition{Kind: Seller, Columns: []string{"domain", "id"}}, text: "id,name,domain\n1,a,x.com\n", len: 1, in: []string{"x.com,1"}},
	{name: "binary.txt", def: Definition{Kind: String}, text: "a\nPK\x03\x04\x00", err: "list list: binary.txt:2: " + filewatch.ErrBinary.Error()},
	{name: "gzip.txt", def: Definition{Kind: String}, text: "\x1f\x8b\x08abc", err: "list list: gzip.txt:1: " + errString.Error()},
	{name: "long.txt", def: Definition{Kind: String}, text: strings.Repeat("x", 5000), err: "list list: long.txt:1: the line is longer than 4096 bytes"},
	{name: "long-line.txt", def: Definition{Kind: String, Limits: Limits{LineMax: 3}}, text: "abc\nabcd", err: "list list: long-line.txt:2: the line is longer than 3 bytes"},
	{name: "large.txt", def: Definition{Kind: String, Limits: Limits{FileSizeMax: 3}}, text: "abcd", err: "list list: large.txt: " + filewatch.ErrTooLarge.Error()},
	{name: "many.txt", def: Definition{Kind: String, Limits: Limits{EntriesMax: 2}}, text: "a\nb\nc", err: "list list: many.txt:3: the list has more than 2 entries"},
}

func TestFiles(t *testing.T) {
	for _, f := range files {
		t.Run(f.name, func(t *testing.T) {
			l, err := openFile(t, f.def, f.name, f.text)
			if err != nil {
				if err.Error() != f.err {
					t.Errorf("the error is\n%v, want\n%s", err, orNil(f.err))
				}
				return
			}
			s := l.Status()
			if f.err != "" || l.Table().Len() != f.len || s.Entries != f.len || s.Skipped != f.bad || (s.SkippedFirst != nil) != (f.bad > 0) {
				t.Errorf("%d entries, status %+v, want %d, %d bad, error %s", l.Table().Len(), s, f.len, f.bad, orNil(f.err))
			}
			for _, v := range f.in {
				if !l.Match(v) {
					t.Errorf("Match(%q) = false", v)
				}
			}
			if l.Match("other") || l.Kind() != f.def.Kind || l.Name() != "list" {
				t.Errorf("list %s of kind %s, other matches: %v", l.Name(), l.Kind(), l.Match("other"))
			}
		})
	}
}

func orNil(err string) string {
	if err == "" {
		return "<nil>"
	}
	return err
}

func TestDefinitionsAreChecked(t *testing.T) {
	for want, d := range map[string]Definition{
		`unknown kind "" (want one of [domain bundle prefix string seller])`: {Entries: []string{}},
		`unknown format "json" (want text or csv)`:                           {Kind: Domain, Format: "json", File: "x"},
		"expected a file, or entries, and not both":                          {Kind: Domain},
		"only CSV files have columns":                                        {Kind: Domain, File: "x", Format: Text, Columns: []string{"a"}},
		"expected one column":                                                {Kind: Domain, File: "x", Columns: []string{"a", "b"}},
		"expected two or three columns":                                      {Kind: Seller, File: "x", Columns: []string{"a"}},
		"a limit is negative":                                                {Kind: Domain, File: "x", BadEntriesMax: -1},
		"expected a line limit of at most 65536":                             {Kind: Domain, File: "x", Limits: Limits{LineMax: 1 << 17}},
		"entries, line 2: " + errDomain.Error():                              {Kind: Domain, Entries: []string{"a", "/"}},
		"the list has more than 1 entries":                                   {Kind: Domain, Entries: []string{"a", "b"}, Limits: Limits{EntriesMax: 1}},
	} {
		_, err := Open(map[string]Definition{"name": d, "good": {Kind: Domain, Entries: []string{"a"}}}, nil)
		if err == nil || !strings.HasPrefix(err.Error(), "list name: ") || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	_, err := Open(map[string]Definition{"a": {Kind: Domain, File: "no/a"}, "b": {Kind: Domain, File: "no/b"}}, nil)
	if !errors.Is(err, fs.ErrNotExist) || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("%v, want an error for each list", err)
	}
}

func TestSet(t *testing.T) {
	folder := t.TempDir()
	one, two := filepath.Join(folder, "one"), filepath.Join(folder, "two")
	put(t, one, "1")
	put(t, two, "1")
	type report struct {
		name    string
		entries int
		err     bool
		match   bool
	}
	var reports []report
	var s *Set
	s, err := Open(map[string]Definition{
		"one": {Kind: String, File: one}, "two": {Kind: String, File: two}, "inline": {Kind: Prefix, Entries: []string{"192.0.2.0/24"}},
		"sellers": {Kind: Seller, Entries: []string{"a.com,1,DIRECT"}},
	}, func(name string, st filewatch.Status) {
		reports = append(reports, report{name, st.Entries, st.Err != nil, s.List("two").Match("2")})
	})
	if err != nil {
		t.Fatal(err)
	}
	if s.List("none") != nil || len(s.Lists()) != 4 || s.Lists()[0] != s.List("inline") || !slices.Equal(s.Paths(), []string{one, two}) {
		t.Errorf("lists %v, paths %q", s.Lists(), s.Paths())
	}
	before := s.Snapshot()
	s.Refresh()
	if s.Snapshot() != before || len(reports) != 0 {
		t.Errorf("without a change there are reports: %v", reports)
	}
	put(t, one, "1\n2")
	put(t, two, "2")
	s.Refresh()
	// Both files are replaced before the first report.
	if want := []report{{"one", 2, false, true}, {"two", 1, false, true}}; !slices.Equal(reports, want) {
		t.Errorf("reports %v, want %v", reports, want)
	}
	if l := s.List("two"); l.Match("1") || !before.Table(l).Match("1") || !s.Snapshot().Table(l).Match("2") {
		t.Error("a snapshot changed, or the list did not")
	}
	put(t, one, "\x01")
	s.Refresh()
	if !reports[2].err || !s.List("one").Match("2") || s.List("one").Status().Failures != 1 {
		t.Errorf("after a bad file: %v, %+v", reports, s.List("one").Status())
	}
	if l := s.List("inline"); !l.MatchAddr(netip.MustParseAddr("192.0.2.1")) || l.Status().Entries != 1 {
		t.Errorf("inline: %+v", l.Status())
	}
	if r, found := s.List("sellers").Seller("a.com", "1"); r != Direct || !found {
		t.Errorf("Seller() = %v, %v", r, found)
	}
}

// TestReplacedUnderLoad replaces lists again and again while goroutines look up. Each version of a
// list has its number and nothing else, so a lookup that saw half a list, or two versions in one
// snapshot, would tell.
func TestReplacedUnderLoad(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "list")
	const size = 64
	version := func(n int) string {
		var b strings.Builder
		for i := range size {
			fmt.Fprintf(&b, "%d-%d\n", n, i)
		}
		return b.String()
	}
	put(t, path, version(0))
	var loads, failures atomic.Int64
	s, err := Open(map[string]Definition{"list": {Kind: String, File: path}}, func(_ string, st filewatch.Status) {
		if st.Err != nil {
			failures.Add(1)
		}
		loads.Add(1)
	})
	if err != nil {
		t.Fatal(err)
	}
	l := s.List("list")
	w := filewatch.Watch(filewatch.Options{Quiet: time.Microsecond}, s)
	defer w.Close()

	var current atomic.Int64 // the newest version that was written
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for g := range 2 {
		wg.Go(func() {
			for seen := int64(0); ; runtime.Gosched() {
				select {
				case <-stop:
					return
				default:
				}
				now := s.Snapshot().Table(l)
				last := current.Load() + 1
				for now.Len() == size && !now.Match(fmt.Sprintf("%d-0", seen)) {
					if seen++; seen > last {
						t.Errorf("goroutine %d: the list has no version", g)
						return
					}
				}
				for i := range size {
					if !now.Match(fmt.Sprintf("%d-%d", seen, i)) {
						t.Errorf("goroutine %d: version %d lacks entry %d", g, seen, i)
						return
					}
				}
				l.Match("x")
			}
		})
	}
	times := testkit.Scale(t, 100, 300, 1000)
	for n := 1; n <= times; n++ {
		put(t, path, version(n))
		current.Store(int64(n))
		if n%10 == 0 { // hostile versions, which the next one replaces
			put(t, path, "a\x00b")
			s.Refresh()
			put(t, path, version(n))
		}
		s.Refresh()
	}
	for deadline := time.Now().Add(time.Minute); !l.Match(fmt.Sprintf("%d-0", times)); {
		if time.Now().After(deadline) {
			t.Fatal("the last version was not loaded")
		}
		time.Sleep(time.Millisecond)
	}
	close(stop)
	wg.Wait()
	if loads.Load() < int64(times)/2 || failures.Load() == 0 {
		t.Errorf("%d reports, %d failures: the test shows too little", loads.Load(), failures.Load())
	}
}

// TestWatchedSet is a list as a program has it: nobody but the watcher refreshes it.
func TestWatchedSet(t *testing.T) {
	path := filepath.Join(t.TempDir(), "list")
	put(t, path, "192.0.2.0/24")
	loaded := make(chan filewatch.Status, 10)
	s, err := Open(map[string]Definition{"list": {Kind: Prefix, File: path}}, func(_ string, st filewatch.Status) { loaded <- st })
	if err != nil {
		t.Fatal(err)
	}
	defer filewatch.Watch(filewatch.Options{Quiet: time.Millisecond, Rescan: time.Hour}, s).Close()
	put(t, path, "2001:db8::/32")
	<-loaded
	if l := s.List("list"); l.Match("192.0.2.1") || !l.Match("2001:db8::1") {
		t.Error("the list was not replaced")
	}
}

// TestViews asks lists as sets of addresses and nodes, which only some kinds are.
func TestViews(t *testing.T) {
	set, err := Open(map[string]Definition{
		"prefixes": {Kind: Prefix, Entries: []string{"192.0.2.0/24"}}, "domains": {Kind: Domain, Entries: []string{"bad.example"}},
		"sellers": {Kind: Seller, Entries: []string{"bad.example,1,DIRECT"}}, "bundles": {Kind: Bundle, Entries: []string{"com.example"}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := set.List("prefixes").Addresses()
	if err != nil || !a.Contains(netip.MustParseAddr("192.0.2.9")) || a.Contains(netip.MustParseAddr("192.0.3.9")) {
		t.Errorf("prefixes: %v, %v", a, err)
	}
	for name, second := range map[string]bool{"domains": true, "sellers": false} {
		n, err := set.List(name).Nodes()
		if err != nil || !n.Contains("bad.example", "1") || n.Contains("bad.example", "2") != second || n.Contains("good.example", "1") {
			t.Errorf("%s: %v, %v", name, n, err)
		}
	}
	for _, name := range []string{"domains", "sellers", "bundles"} {
		if a, err := set.List(name).Addresses(); a != nil || err == nil || !strings.Contains(err.Error(), name+" is a list of the kind") {
			t.Errorf("%s: %v, %v", name, a, err)
		}
	}
	for _, name := range []string{"prefixes", "bundles"} {
		if n, err := set.List(name).Nodes(); n != nil || err == nil || !strings.Contains(err.Error(), "(want domain or seller)") {
			t.Errorf("%s: %v, %v", name, n, err)
		}
	}
}
