package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/lab/figures"
)

// Every section finds the figures that it declares, and no others. The numbers mean nothing at
// this size. What needs programs of its own is left out.
func TestSections(t *testing.T) {
	all := map[string]figures.Figure{}
	for i := range experiments {
		e := &experiments[i]
		found, err := e.try(tiny, func(string) {})
		if err != nil {
			t.Errorf("section %d: %v", e.section, err)
			continue
		}
		declared := map[string]bool{}
		for _, name := range e.names() {
			declared[e.prefix()+name] = true
			if _, there := found[e.prefix()+name]; !there && !strings.Contains(name, "easyjson") && e.section != 17 {
				t.Errorf("section %d declares %s, which is not found", e.section, name)
			}
		}
		for name := range found {
			if !declared[name] {
				t.Errorf("section %d finds %s, which it does not declare", e.section, name)
			}
		}
		var text bytes.Buffer
		if err := e.print(&text, found); err != nil {
			t.Error(err)
		}
		got := strings.Join(strings.Fields(text.String()), " ")
		if !strings.Contains(got, "Verdict section "+strconv.Itoa(e.section)+": ") || !strings.Contains(got, e.says) {
			t.Errorf("section %d is printed as\n%s", e.section, text.String())
		}
		maps.Copy(all, found)
	}
	file := figures.File{Figures: all} // it refuses values that are not finite or out of their bounds
	if err := file.Write(filepath.Join(t.TempDir(), "playbook.json")); err != nil {
		t.Error(err)
	}
}

// The sections match the playbook, and their texts refer to figures that they declare.
func TestDeclarations(t *testing.T) {
	if len(experiments) != 18 {
		t.Fatalf("%d sections", len(experiments))
	}
	for i := range experiments {
		e := &experiments[i]
		if e.section != i+1 || e.title == "" || e.says == "" || e.method == "" || e.seconds[full] <= 0 || e.seconds[quick] <= 0 {
			t.Errorf("section %d is not described", i+1)
		}
		if byName, ok := find(e.name); !ok || byName != e {
			t.Errorf("section %d is not found as %s", e.section, e.name)
		}
		if byNumber, ok := find(strconv.Itoa(e.section)); !ok || byNumber != e {
			t.Errorf("section %d is not found by its number", e.section)
		}
		names := e.names()
		if len(slices.Compact(slices.Clone(names))) != len(names) {
			t.Errorf("section %d declares a name twice", e.section)
		}
		for _, k := range e.keys {
			if !slices.Contains(names, k) {
				t.Errorf("section %d: key %s is not declared", e.section, k)
			}
		}
		if len(e.keys) == 0 || len(e.claims) == 0 {
			t.Errorf("section %d has %d keys and %d claims", e.section, len(e.keys), len(e.claims))
		}
		for _, c := range e.claims {
			if !slices.Contains(names, c.value) || c.says == "" || c.when == "" || c.want.lo > c.want.hi {
				t.Errorf("section %d: claim %+v", e.section, c)
			}
		}
	}
}

// notYet has the figures that sections measure since the last run whose figures are kept. A section
// leaves it when it is measured.
var notYet = map[int][]string{}

// The committed page follows from the committed figures, which answer every claim.
func TestPage(t *testing.T) {
	folder, pageFile, err := paths()
	if err != nil {
		t.Fatal(err)
	}
	f, err := figures.ReadProgram(folder, program)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(pageFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != page(f) {
		t.Error("lab/docs/playbook.md is not what lab/results/claims says: go run ./playbook --draw")
	}
	form := regexp.MustCompile(`^(holds|false|holds if .+; false if .+)( \(close\))?$`)
	for i := range experiments {
		e := &experiments[i]
		for _, name := range e.names() {
			_, there := f.Figures[e.prefix()+name]
			later := slices.Contains(notYet[e.section], name)
			switch {
			case !there && !later:
				t.Errorf("section %d: %s was not measured", e.section, name)
			case there && later:
				t.Errorf("section %d: %s has been measured: take it from the list of those that have not", e.section, name)
			}
		}
		if v := e.verdictWords(f.Figures); !form.MatchString(v) {
			t.Errorf("section %d: verdict %q", e.section, v)
		}
	}
	declared := declaredFigures()
	for _, list := range notYet {
		declared -= len(list)
	}
	if len(f.Figures) != declared {
		t.Errorf("%d figures, of which the sections declare %d", len(f.Figures), declared)
	}
}

func declaredFigures() (n int) {
	for i := range experiments {
		n += len(experiments[i].names())
	}
	return n
}

func TestVerdict(t *testing.T) {
	e := experiment{section: 0, claims: []claim{
		{"", "you A", "a", atMost(1)}, {"", "you B", "b", atLeast(1)}, {"", "you A", "a2", between(1, 2)},
	}}
	at := func(v float64) figures.Figure { return figures.Figure{Value: v, Lo: v - 0.1, Hi: v + 0.1} }
	for _, c := range []struct {
		a, b, a2 float64
		want     string
	}{
		{0.5, 1.5, 1.5, "holds"},
		{1.5, 0.5, 1.5, "false"},
		{0.5, 0.5, 1.5, "holds if you A; false if you B"},
		{0.5, 1.5, 2.5, "holds if you B; false if you A"}, // both claims about A have to hold
		{0.95, 1.5, 1.5, "holds (close)"},
		{1.05, 1.5, 1.5, "holds if you B; false if you A (close)"},
		{0.5, 1.5, 2.05, "holds if you B; false if you A (close)"},
	} {
		found := map[string]figures.Figure{"playbook/0/a": at(c.a), "playbook/0/b": at(c.b), "playbook/0/a2": at(c.a2)}
		if got := e.verdictWords(found); got != c.want {
			t.Errorf("%v: %s, want %s", c, got, c.want)
		}
	}
	if got := e.verdictWords(nil); got != "not measured" {
		t.Error(got)
	}
	if got := either([]string{"you A", "you B", "you C"}); got != "you A, you B, or you C" {
		t.Error(got)
	}
	if got := either([]string{"you A, or so", "you B"}); got != "you A, or so; or you B" {
		t.Error(got)
	}
}

func command(args ...string) (status int, out, errs string) {
	var o, e bytes.Buffer
	status = run(args, &o, &e)
	return status, o.String(), e.String()
}

func TestList(t *testing.T) {
	status, out, _ := command("--list")
	for i := range experiments {
		if status != 0 || !strings.Contains(out, experiments[i].title) || !strings.Contains(out, experiments[i].name) {
			t.Errorf("--list: status %d, without section %d", status, i+1)
		}
	}
	if status, out, _ := command("--help"); status != 0 || !strings.Contains(out, "-quick") {
		t.Errorf("--help: status %d\n%s", status, out)
	}
}

func TestExitStatus(t *testing.T) {
	for args, want := range map[string]int{
		"no-such-section": 2, "19": 2, "7 --no-such-flag": 2, "--core": 2, "--write 7": 2, "--list 7": 0, "worker": 3, "7 --core 100000": 2,
	} {
		status, out, errs := command(strings.Fields(args)...)
		if status != want || (status != 0) != (errs != "") {
			t.Errorf("%s: status %d, want %d\n%s%s", args, status, want, out, errs)
		}
	}
}

func TestJSON(t *testing.T) {
	status, out, errs := command("8", "--json", "--quick", "number")
	var f figures.File
	if err := json.Unmarshal([]byte(out), &f); status != 0 || err != nil {
		t.Fatalf("status %d, %v\n%s%s", status, err, out, errs)
	}
	if f.Figures["playbook/8/number/allocs"].Unit != "allocs" || len(f.Preliminary) == 0 {
		t.Errorf("%+v", f)
	}
}

// The counterexample to returning a pooled buffer's slice, and those to pooling a Decoder. A pool
// may drop its objects, and does so at random under the race detector: some tries suffice.
func TestPoolsGoWrong(t *testing.T) {
	p := newBufferPool(poolCap)
	if changed, err := countChanged(p.encodeAliased, 1000); err != nil || changed == 0 {
		t.Errorf("no slice of a buffer was overwritten: then the section shows nothing; %v", err)
	}
	if changed, err := countChanged(p.encode, 1000); err != nil || changed != 0 {
		t.Errorf("%d copies changed: %v", changed, err)
	}
	if served, err := leftOverServed(100); err != nil || served == 0 {
		t.Errorf("no body was answered with the one before: %v", err)
	}
	if refused := refusedAfterBad(100); refused == 0 {
		t.Error("no good body was refused after a bad one")
	}
	large, err := eventsOfSize(2 * poolCap)
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		if _, err := p.encode(large); err != nil {
			t.Fatal(err)
		}
		if b := p.pool.Get().(*bytes.Buffer); b.Cap() > poolCap {
			t.Fatal("a buffer over the limit came back")
		}
	}
}

func TestRawMessageAliases(t *testing.T) {
	for _, c := range []struct {
		how     keeping
		changes bool
	}{{keeping{}, false}, {keeping{reuse: true}, true}, {keeping{reuse: true, clone: true}, false}} {
		if changed, err := keptChanged(100, c.how); err != nil || (changed > 0) != c.changes {
			t.Errorf("%+v: %d payloads changed: %v", c.how, changed, err)
		}
	}
}

// strconv.AppendQuote writes escapes like \a, \x and \U that JSON does not have.
func TestAppendQuoteIsNotJSON(t *testing.T) {
	for _, s := range []string{"\a", "\v", "\x00", "\x7f", "\xff", "\U0010ffff"} {
		quoted := strconv.AppendQuote(nil, s)
		if json.Valid(quoted) {
			t.Errorf("%s is JSON", quoted)
		}
		own, err := json.Marshal(s)
		if err != nil || !json.Valid(own) {
			t.Errorf("%s is not JSON: %v", own, err)
		}
	}
}

// What is written by hand is what encoding/json writes, or the comparison means nothing.
func TestHandWrittenIsRight(t *testing.T) {
	special := someUser
	special.Name = "a\"b\\c\x01<>&\x7f\u00e9\u2028\xff"
	for _, u := range []user{someUser, special} {
		want, err := json.Marshal(u)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := u.byHandJSON(); err != nil || !bytes.Equal(got, want) {
			t.Errorf("by hand: %s, %v; want %s", got, err, want)
		}
	}
	want, err := json.Marshal(someUser)
	if err != nil {
		t.Fatal(err)
	}
	for _, write := range []func() ([]byte, error){
		someUser.byHand,
		func() ([]byte, error) { return json.Marshal(methodUser(someUser)) },
		func() ([]byte, error) { return json.Marshal(roomlessUser(someUser)) },
		func() ([]byte, error) { u := someUser; return u.intoBuffer(), nil },
	} {
		if got, err := write(); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s, %v; want %s", got, err, want)
		}
	}
	var back user
	if text, err := json.Marshal(mapUser(someUser)); err != nil || json.Unmarshal(text, &back) != nil || back.Email != someUser.Email {
		t.Errorf("through a map: %s, %v", text, err)
	}
}

// The program of section 12 finds every user, and the document is JSON.
func TestExtractEmails(t *testing.T) {
	for _, n := range []int{0, 1, 5} {
		text, err := io.ReadAll(usersOf(n))
		if err != nil || !json.Valid(text) {
			t.Fatalf("%d users: %s, %v", n, text, err)
		}
		var out bytes.Buffer
		found, err := extractEmails(bytes.NewReader(text), &out)
		if err != nil || found != n || strings.Count(out.String(), "@mail.example\"\n") != n {
			t.Errorf("%d users: found %d, %s, %v", n, found, out.String(), err)
		}
	}
	if _, err := extractEmails(strings.NewReader(`{"users":{}}`), io.Discard); err == nil {
		t.Error("an object was read as an array")
	}
	if _, err := extractEmails(strings.NewReader(`{"others":[]}`), io.Discard); err == nil {
		t.Error("a document without users was read")
	}
	if found, err := extractEmails(longUser(1000), io.Discard); err != nil || found != 1 {
		t.Errorf("%d users with a long text: %v", found, err)
	}
}

// All libraries read and write the struct of six fields alike.
func TestLibrariesAgree(t *testing.T) {
	want, err := json.Marshal(someUser)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range libraries[:len(libraries)-1] {
		var u user
		err := l.read(want, &u)
		text, errWrite := l.write(u)
		if err := errors.Join(err, errWrite); err != nil || !bytes.Equal(text, want) {
			t.Errorf("%s: %s, %v", l.name, text, err)
		}
	}
}

func TestShortName(t *testing.T) {
	for name, want := range map[string]string{
		"encoding/json.(*encodeState).marshal":     "json.encodeState.marshal",
		"encoding/json.appendString[go.shape.str]": "json.appendString",
		"internal/strconv.formatBits":              "strconv.formatBits",
		"runtime.mallocgc":                         "runtime.mallocgc",
		"reflect.Value.Field":                      "reflect.Value.Field",
	} {
		if got := shortName(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
