package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/filewatch"
	"github.com/rtbwire/rtbwire/internal/mmdbtest"
)

// followedText is a configuration with a file of every kind.
const followedText = `version: 1
lists:
  blocked: {kind: domain, file: blocked.txt, max_age: 2h}
  static: {kind: domain, file: static.txt}
  inline: {kind: domain, entries: [a.example]}
rates: {file: rates.csv, max_age: 2h}
fraud: {geoip: geo.mmdb, supply: {ads_txt: ads}}
rules: [{name: blocked, when: site.domain in lists.blocked || site.domain in lists.static || site.domain in lists.inline, severity: refuse}]
`

func followedFolder(t *testing.T) (name string) {
	t.Helper()
	db := mmdbtest.New(4, 24)
	db.Epoch = uint64(time.Now().Unix())
	return folder(t, "c.yaml", followedText, "blocked.txt", "bad.example\n", "static.txt", "s.example\n", "rates.csv", "EUR,1.08\n",
		"geo.mmdb", string(db.Add("8.8.8.0/24", mmdbtest.Map{"country": mmdbtest.Map{"iso_code": "US"}}).Bytes()),
		"ads/publisher.com.txt", "exchange.com, 77, DIRECT\n")
}

// TestFileNews breaks each file that a configuration names and repairs it: each time there is news
// with the place, the last good content stays in use, and the counts of the others go on.
func TestFileNews(t *testing.T) {
	name := followedFolder(t)
	dir := filepath.Dir(name)
	var news []string
	live, problems := config.Follow(name, config.OpenOptions{FileNews: func(f filewatch.Named) {
		text := f.Kind + " " + f.Name
		if f.Err != nil {
			text += ": " + strings.ReplaceAll(f.Err.Error(), dir, "DIR")
		}
		if f.Old(time.Now()) {
			text += " is old"
		}
		if f.Problem != nil {
			text += " without " + strings.ReplaceAll(f.Problem.Error(), dir, "DIR")
		}
		news = append(news, text+".")
	}}, nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	step := func(what string, want ...string) {
		t.Helper()
		news = nil
		live.Refresh()
		if !slices.EqualFunc(news, want, strings.HasPrefix) {
			t.Errorf("%s: news %q, want %q", what, news, want)
		}
	}
	put := func(file, text string) { t.Helper(); write(t, filepath.Join(dir, file), text) }
	step("nothing new")
	put("blocked.txt", "worse.example\nnot a domain\n")
	step("a bad line", "list blocked: DIR/blocked.txt:2: expected a domain such as example.com")
	step("the same one")
	if w := live.Holder().NewWorker(); w.Inspect(request("bad.example", ""), inspect.Facts{}).Reason != "policy.blocked" {
		t.Error("the last good content is not in use")
	}
	put("blocked.txt", "bad.example\n")
	step("repaired", "list blocked.")
	old(t, filepath.Join(dir, "blocked.txt"))
	step("another time", "list blocked.")
	before := time.Now().Add(-3 * time.Hour)
	for _, file := range []string{"blocked.txt", "static.txt"} {
		if err := os.Chtimes(filepath.Join(dir, file), before, before); err != nil {
			t.Fatal(err)
		}
	}
	step("old", "list blocked is old.", "list static.")
	put("rates.csv", "EUR,1.08\nEUR,1\n")
	step("bad rates", "configuration configuration: DIR/c.yaml:6:", "rates rates: DIR/rates.csv:2: the currency has a rate already")
	put("rates.csv", "EUR,1.1\n")
	step("good rates", "configuration configuration.", "rates rates.")
	put("geo.mmdb", "no database")
	step("a bad database", "geoip geoip: DIR/geo.mmdb: ")
	put("ads/other.com.txt", "<html>")
	step("a bad file of a folder", "supply ads_txt without DIR/ads/other.com.txt:1: ")

	for _, f := range live.Files() {
		want, ok := map[string]struct {
			loads   uint64
			fails   bool
			entries int
		}{
			"configuration configuration": {2, true, 2}, "list blocked": {4, true, 1}, "list static": {2, false, 1},
			"rates rates": {2, true, 2}, "geoip geoip": {1, true, 1}, "supply ads_txt": {1, true, 1},
		}[f.Kind+" "+f.Name]
		if !ok || f.Loads != want.loads || (f.Failures > 0) != want.fails || f.Entries != want.entries || f.LoadedAt.IsZero() || f.Path == "" {
			t.Errorf("%+v, want %+v", f, want)
		}
	}
	var warnings []string
	for _, w := range live.Setup().Review() {
		warnings = append(warnings, w.Message)
	}
	if all := strings.Join(warnings, "\n"); !strings.Contains(all, "blocked.txt is of "+before.UTC().Format(time.DateTime)+", older than max_age (2h0m0s)") || strings.Contains(all, "static.txt is of") {
		t.Errorf("warnings %s", all)
	}
}

// TestFilesOfUnusedSetup: a configuration that opens and can't be used (an upstream has no address,
// say) leaves the one before in use, with all that it follows.
func TestFilesOfUnusedSetup(t *testing.T) {
	name := followedFolder(t)
	live, problems := config.Follow(name, config.OpenOptions{}, func(*config.Setup, config.Problems) error { return errors.New("no use") })
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	before := live.Setup()
	write(t, name, strings.Replace(followedText, "severity: refuse", "severity: warn", 1))
	live.Refresh()
	if live.Setup() != before || live.Holder().Engine() != before.Engine {
		t.Error("a setup that can't be used is in use")
	}
	if own := live.Files()[0]; own.Kind != filewatch.KindConfiguration || own.Failures != 1 || own.Err == nil || own.Err.Error() != "no use" {
		t.Errorf("%+v", own)
	}
	write(t, filepath.Join(filepath.Dir(name), "blocked.txt"), "new.example\n")
	live.Refresh()
	if v := before.Engine.NewWorker().Inspect(request("new.example", ""), inspect.Facts{}); v.Reason != "policy.blocked" {
		t.Errorf("reason %q: the list in use is not followed", v.Reason)
	}
}

// TestMaxAge refuses an age of what has no file.
func TestMaxAge(t *testing.T) {
	for text, want := range map[string]string{
		"lists: {a: {kind: domain, entries: [a.example], max_age: 1h}}": "max_age without a file",
		"rates: {values: {EUR: 1.08}, max_age: 1h}":                     "max_age without a file",
		"lists: {a: {kind: domain, file: a.txt, max_age: 1s}}":          "expected a time such as 36h from 1m0s to 87600h0m0s",
	} {
		_, problems := config.Open(folder(t, "c.yaml", "version: 1\n"+text+"\n", "a.txt", "a.example\n"), config.OpenOptions{})
		if len(problems) == 0 || !strings.Contains(problems.Error(), want) {
			t.Errorf("%s: %v, want %q", text, problems, want)
		}
	}
}
