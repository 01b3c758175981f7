package overrides

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/openrtb"
)

var operator = Operator{Name: "alice", From: "192.0.2.9:1"}

// fixture is a store with a clock and a log of its own.
type fixture struct {
	*Store
	log bytes.Buffer

	mu  sync.Mutex
	now time.Time
	set *Set
}

func (f *fixture) clock() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

func (f *fixture) pass(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = f.now.Add(d)
}

func (f *fixture) inUse() *Set {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.set
}

func open(t *testing.T, file string, now time.Time) (*fixture, error) {
	t.Helper()
	f := &fixture{now: now}
	var err error
	f.Store, err = Open(Options{
		File: file, Now: f.clock, Logger: slog.New(slog.NewTextHandler(&f.log, &slog.HandlerOptions{Level: slog.LevelError + 1})),
		Apply: func(s *Set) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.set = s
		},
	})
	if err == nil {
		t.Cleanup(f.Close)
	}
	return f, err
}

func mustOpen(t *testing.T, file string, now time.Time) *fixture {
	t.Helper()
	f, err := open(t, file, now)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func add(t *testing.T, f *fixture, a Action, k Kind, name string, span time.Duration) {
	t.Helper()
	if _, err := f.Add(Entry{Action: a, Kind: k, Name: name}, span, operator); err != nil {
		t.Fatal(err)
	}
}

func names(list []Entry) string {
	var b strings.Builder
	for i := range list {
		fmt.Fprintf(&b, "%s; ", list[i].String())
	}
	return b.String()
}

var monday = time.Date(2026, 11, 23, 3, 0, 0, 0, time.UTC)

// TestStore adds, replaces, releases and expires entries, restarts in between, and reads the lines
// of the log, which are there although its level leaves everything out.
func TestStore(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "state")
	f := mustOpen(t, file, monday)
	if f.inUse() != nil {
		t.Error("a set without entries")
	}
	add(t, f, Block, Domain, " Bad.Example. ", 0)
	add(t, f, Block, Bundle, "com.Example.App", 2*time.Hour)
	add(t, f, Block, Address, "192.0.2.77/24", 30*time.Minute)
	add(t, f, Drain, Partner, "exchange-a", time.Minute)
	add(t, f, Drain, Upstream, "http://core:9000", 24*time.Hour)
	add(t, f, Observe, Rule, "policy.x", 24*time.Hour)
	add(t, f, Observe, Partner, "exchange-b", 24*time.Hour)
	const all = "block address 192.0.2.0/24; block bundle com.example.app; block domain bad.example; drain partner exchange-a; " +
		"drain upstream http://core:9000; observe partner exchange-b; observe rule policy.x; "
	if got := names(f.List()); got != all {
		t.Errorf("in effect: %s", got)
	}
	s := f.inUse()
	if !s.DrainedPartners["exchange-a"] || !s.DrainedUpstreams["http://core:9000"] || !s.ObservedPartners["exchange-b"] || !s.ObservedRules["policy.x"] || s.Blocks == nil {
		t.Errorf("in use: %+v", s)
	}
	if e, err := f.Add(Entry{Action: Block, Kind: Domain, Name: "BAD.example", Note: "again"}, 3*time.Hour, Operator{Name: "bob"}); err != nil || e.By != "bob" || !e.Until.Equal(monday.Add(3*time.Hour)) || len(f.List()) != 7 {
		t.Errorf("again: %+v, %v", e, err)
	}

	f.pass(time.Minute)
	if got := names(f.List()); got != strings.Replace(all, "drain partner exchange-a; ", "", 1) {
		t.Errorf("after a minute: %s", got)
	}
	f.Close()
	f.pass(29 * time.Minute)
	again := mustOpen(t, file, f.clock())
	if got := names(again.List()); got != "block bundle com.example.app; block domain bad.example; drain upstream http://core:9000; observe partner exchange-b; observe rule policy.x; " {
		t.Errorf("after a restart: %s", got)
	}
	if e := again.List()[1]; e.By != "bob" || e.Note != "again" || !e.Since.Equal(monday) {
		t.Errorf("after a restart: %+v", e)
	}
	if _, err := again.Release(Entry{Action: Observe, Kind: Rule, Name: "policy.x"}, operator); err != nil {
		t.Error(err)
	}
	if _, err := again.Release(Entry{Action: Observe, Kind: Rule, Name: "policy.x"}, operator); !errors.Is(err, ErrAbsent) {
		t.Errorf("released twice: %v", err)
	}
	if again.inUse().ObservedRules["policy.x"] {
		t.Error("released, and in use")
	}
	again.Close()
	if got := names(mustOpen(t, file, f.clock()).List()); strings.Contains(got, "policy.x") {
		t.Errorf("released, and in effect after a restart: %s", got)
	}
	for _, want := range []string{
		`level=INFO msg="operator change" action=block kind=domain name=bad.example until=2026-11-23T04:00:00.000Z by=alice from=192.0.2.9:1`,
		`name=bad.example until=2026-11-23T06:00:00.000Z by=bob note=again`,
		`msg="operator change ended" action=drain kind=partner name=exchange-a`,
	} {
		if !strings.Contains(f.log.String(), want) {
			t.Errorf("the log has no %s:\n%s", want, f.log.String())
		}
	}
	if want := `msg="operator release" action=observe kind=rule name=policy.x`; !strings.Contains(again.log.String(), want) {
		t.Errorf("the log has no %s:\n%s", want, again.log.String())
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" { // modes say less there
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// TestEnd waits for an entry to end by itself.
func TestEnd(t *testing.T) {
	t.Parallel()
	f := &fixture{}
	var err error
	f.Store, err = Open(Options{Logger: slog.New(slog.DiscardHandler), Apply: func(s *Set) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.set = s
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	add(t, f, Block, Domain, "bad.example", ForMin)
	if f.inUse() == nil {
		t.Fatal("not in use")
	}
	for end := time.Now().Add(time.Minute); f.inUse() != nil; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it did not end")
		}
	}
}

// TestRefused tries what can't be made sense of.
func TestRefused(t *testing.T) {
	t.Parallel()
	f := mustOpen(t, "", monday)
	for _, tt := range []struct {
		e    Entry
		span time.Duration
		want string
	}{
		{Entry{Action: "x"}, 0, `unknown action "x" (want block, drain or observe)`},
		{Entry{Action: Block, Kind: Partner, Name: "a"}, 0, `block takes domain, bundle or address, found "partner"`},
		{Entry{Action: Drain, Kind: Domain, Name: "a"}, 0, `drain takes partner or upstream, found "domain"`},
		{Entry{Action: Block, Kind: Domain}, 0, "block domain: no name"},
		{Entry{Action: Block, Kind: Domain, Name: "http://a.example"}, 0, `block domain "http://a.example": expected a domain`},
		{Entry{Action: Block, Kind: Domain, Name: "example"}, 0, "example is a top-level domain"},
		{Entry{Action: Block, Kind: Bundle, Name: "a b"}, 0, `block bundle "a b": expected the id of an app`},
		{Entry{Action: Block, Kind: Address, Name: "192.0.2"}, 0, "expected an address or a prefix"},
		{Entry{Action: Block, Kind: Address, Name: "0.0.0.0/0"}, 0, "the prefix 0.0.0.0/0 is too wide to be blocked (want at least /8)"},
		{Entry{Action: Block, Kind: Address, Name: "2001::/15"}, 0, "(want at least /16)"},
		{Entry{Action: Drain, Kind: Partner, Name: strings.Repeat("a", NameMax+1)}, 0, "the name has 1025 bytes (want at most 1024)"},
		{Entry{Action: Drain, Kind: Partner, Name: "a\nb"}, 0, "characters that can't be printed"},
		{Entry{Action: Drain, Kind: Partner, Name: "a", Note: strings.Repeat("a", NoteMax+1)}, 0, "the note has 201 bytes (want at most 200)"},
		{Entry{Action: Drain, Kind: Partner, Name: "a", Note: "\x1b[2J"}, 0, "the note has characters"},
		{Entry{Action: Drain, Kind: Partner, Name: "a"}, ForMax + time.Second, "for 168h0m1s (want 1s to 168h0m0s)"},
		{Entry{Action: Drain, Kind: Partner, Name: "a"}, -time.Second, "for -1s"},
	} {
		if _, err := f.Add(tt.e, tt.span, operator); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want %s", tt.e, err, tt.want)
		}
	}
	for i := range EntriesMax {
		add(t, f, Drain, Partner, fmt.Sprint(i), 0)
	}
	if _, err := f.Add(Entry{Action: Drain, Kind: Partner, Name: "one more"}, 0, operator); !errors.Is(err, ErrConflict) {
		t.Errorf("one more: %v", err)
	}
	add(t, f, Drain, Partner, "7", time.Minute) // again
	f.pass(time.Minute)
	add(t, f, Drain, Partner, "one more", 0) // in the place of one that has ended
	f.options.Known = func(*Entry) error { return Unknownf("no partner") }
	if _, err := f.Add(Entry{Action: Drain, Kind: Partner, Name: "8"}, 0, operator); !errors.Is(err, ErrUnknown) || err.Error() != "no partner" {
		t.Errorf("unknown: %v", err)
	}
}

// TestBrokenFile refuses files of state that are not as they were written: each has its place, and
// stays as it is.
func TestBrokenFile(t *testing.T) {
	t.Parallel()
	const first, entry = `{"rtbwire":"overrides","version":1,"entries":1}` + "\n",
		`{"action":"block","kind":"domain","name":"bad.example","by":"alice","since":"2026-11-23T03:00:00Z","until":"2026-11-23T04:00:00Z"}` + "\n"
	for name, tt := range map[string]struct{ text, want string }{
		"empty":            {"", ":1: the file is empty"},
		"another file":     {"# a list\n", ":1: invalid character"},
		"another version":  {strings.Replace(first, "1", "2", 1) + entry, `:1: expected a line with "rtbwire": "overrides" and "version": 1`},
		"cut":              {first, ":1: the file ends after 0 of 1 entries"},
		"cut in a line":    {first + entry[:40], ":2: the line is not complete"},
		"too many":         {first + entry + strings.Replace(entry, "bad", "worse", 1), ":3: more entries than the 1 of the first line"},
		"twice":            {strings.Replace(first, "entries\":1", "entries\":2", 1) + entry + entry, ":3: block domain bad.example is there twice"},
		"too large":        {strings.Replace(first, "entries\":1", "entries\":1001", 1), ":1: 1001 entries (want at most 1000)"},
		"an unknown key":   {first + strings.Replace(entry, `"by"`, `"bye"`, 1), `:2: json: unknown field "bye"`},
		"no operator":      {first + strings.Replace(entry, "alice", "", 1), `:2: expected "by" with the name of an operator`},
		"not canonical":    {first + strings.Replace(entry, "bad", "BAD", 1), `:2: the name "BAD.example" is not in the form that is compared, "bad.example"`},
		"no kind":          {first + strings.Replace(entry, "domain", "domains", 1), `:2: block takes domain, bundle or address, found "domains"`},
		"for ever":         {first + strings.Replace(entry, "2026-11-23T04", "2036-11-23T04", 1), `:2: expected times from "since" to "until"`},
		"before its start": {first + strings.Replace(entry, "2026-11-23T04", "2026-11-23T02", 1), `:2: expected times from "since" to "until"`},
		"two on a line":    {first + strings.TrimSpace(entry) + entry, ":2: expected one JSON object"},
		"too long":         {strings.Repeat("x", FileMax+1), fmt.Sprintf("more than %d bytes", FileMax)},
	} {
		file := filepath.Join(t.TempDir(), "state")
		if err := os.WriteFile(file, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := open(t, file, monday); err == nil || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", name, err, tt.want)
		}
		if err := Check(file); err == nil {
			t.Errorf("%s: no problem for Check", name)
		}
		if text, err := os.ReadFile(file); err != nil || string(text) != tt.text {
			t.Errorf("%s: the file has changed", name)
		}
	}
	folder := t.TempDir()
	if _, err := open(t, folder, monday); err == nil || !strings.Contains(err.Error(), "expected a regular file") {
		t.Errorf("a folder: %v", err)
	}
	file := filepath.Join(folder, "state")
	if err := os.WriteFile(file, []byte(first+entry), 0o600); err != nil {
		t.Fatal(err)
	}
	if f := mustOpen(t, file, monday); names(f.List()) != "block domain bad.example; " {
		t.Errorf("a good one: %s", names(f.List()))
	}
}

// TestUnwritable changes something where the file can't be written: it is in effect all the same,
// and the store says so until a later write succeeds.
func TestUnwritable(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "none")
	file := filepath.Join(folder, "state")
	f := mustOpen(t, file, monday)
	add(t, f, Block, Domain, "bad.example", 0)
	if f.inUse() == nil || f.Problem() == nil || !strings.Contains(f.Problem().Error(), folder) {
		t.Errorf("in use %v, problem %v", f.inUse(), f.Problem())
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	add(t, f, Block, Domain, "worse.example", 0)
	if f.Problem() != nil {
		t.Errorf("after a good write: %v", f.Problem())
	}
	if again := mustOpen(t, file, monday); len(again.List()) != 2 {
		t.Errorf("the file has %s", names(again.List()))
	}
}

// TestShared lets another process write the same file: nothing of it is lost.
func TestShared(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "state")
	one, two := mustOpen(t, file, monday), mustOpen(t, file, monday)
	add(t, one, Block, Domain, "one.example", 0)
	add(t, two, Block, Domain, "two.example", 0)
	if !errors.Is(two.Problem(), errForeign) || one.Problem() != nil || names(mustOpen(t, file, monday).List()) != "block domain one.example; " {
		t.Errorf("problems: %v and %v", one.Problem(), two.Problem())
	}
}

// TestBlocked finds what is blocked wherever a request says it, in the spellings that lists know.
func TestBlocked(t *testing.T) {
	t.Parallel()
	f := mustOpen(t, "", monday)
	add(t, f, Block, Domain, "bad.example", 0)
	add(t, f, Block, Bundle, "com.bad.app", 0)
	add(t, f, Block, Address, "192.0.2.0/24", 0)
	add(t, f, Block, Address, "2001:db8::/32", 0)
	blocks := f.inUse().Blocks
	for _, tt := range []struct {
		request string
		facts   inspect.Facts
		path    string
		found   bool
	}{
		{request: `{"site":{"domain":"good.example","page":"https://good.example/bad.example"},"app":{"bundle":"com.good"},"device":{"ip":"198.51.100.1"}}`},
		{request: `{}`},
		{request: `{"site":{"domain":"www.BAD.example."}}`, path: "/site/domain", found: true},
		{request: `{"site":{"domain":"notbad.example"}}`},
		{request: `{"site":{"page":"https://user@Bad.Example:443/x"}}`, path: "/site/page", found: true},
		{request: `{"app":{"domain":"bad.example"}}`, path: "/app/domain", found: true},
		{request: `{"dooh":{"domain":"bad.example"}}`, path: "/dooh/domain", found: true},
		{request: `{"app":{"bundle":" Com.Bad.App "}}`, path: "/app/bundle", found: true},
		{request: `{"device":{"ip":"192.0.2.200"}}`, path: "/device/ip", found: true},
		{request: `{"device":{"ip":"0300.0.2.1"}}`, path: "/device/ip", found: true},
		{request: `{"device":{"ipv6":"2001:db8::1"}}`, path: "/device/ipv6", found: true},
		{request: `{"device":{"ipv6":"64:ff9b::c000:201"}}`, path: "/device/ipv6", found: true},
		{request: `{}`, facts: inspect.Facts{Peer: netip.MustParseAddr("192.0.2.1")}, found: true},
		{request: `{}`, facts: inspect.Facts{Peer: netip.MustParseAddr("198.51.100.1"), Forwarded: []netip.Addr{netip.MustParseAddr("192.0.2.1")}}, found: true},
	} {
		r, err := openrtb.Parse([]byte(tt.request))
		if err != nil {
			t.Fatal(err)
		}
		if path, found := blocks.Blocked(r, &tt.facts); path != tt.path || found != tt.found {
			t.Errorf("%s %+v: %q, %v", tt.request, tt.facts, path, found)
		}
	}
}
