package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/fraud"
	"github.com/rtbwire/rtbwire/internal/mmdbtest"
)

// filed is a configuration with all files that only the score reads.
const filed = `version: 1
fraud: {geoip: geo.mmdb, supply: {ads_txt: ads, app_ads_txt: apps, sellers: sellers, bundles: bundles.csv}}
`

// countries is a database with one network in a country.
func countries(code string) string {
	return string(mmdbtest.New(4, 24).Add("8.8.8.0/24", mmdbtest.Map{"country": mmdbtest.Map{"iso_code": code}}).Bytes())
}

func filedFolder(t *testing.T) string {
	return folder(t, "c.yaml", filed, "geo.mmdb", countries("US"), "ads/publisher.com.txt", "exchange.com, 77, DIRECT\n", "apps/games.com.txt", "exchange.com, 5, DIRECT\n",
		"sellers/exchange.com.json", `{"version":"1.0","sellers":[{"seller_id":"77","seller_type":"PUBLISHER","domain":"publisher.com"}]}`, "bundles.csv", "com.games.puzzle,games.com\n")
}

// signalsOf are the ids of the signals of a request.
func signalsOf(w *inspect.Worker, body string) string {
	v := w.Inspect([]byte(body), inspect.Facts{})
	var ids []string
	table := fraud.Signals()
	for _, hit := range v.Signals {
		ids = append(ids, table[hit.Signal].ID)
	}
	return strings.Join(ids, " ")
}

// TestFraudData asks for what the files say, also after they have changed.
func TestFraudData(t *testing.T) {
	name := filedFolder(t)
	live, problems := config.Follow(name, config.OpenOptions{}, nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	w := live.Holder().NewWorker()
	const (
		german = `{"id":"1","imp":[{"id":"1"}],"site":{"id":"1"},"device":{"ua":"Roku/DVP-12.5","ip":"8.8.8.8","geo":{"country":"DEU"}}}`
		stolen = `{"id":"1","imp":[{"id":"1"}],"site":{"domain":"publisher.com"},"source":{"schain":{"complete":1,"nodes":[{"asi":"exchange.com","sid":"78","hp":1}]}},"device":{"ua":"Roku/DVP-12.5"}}`
		game   = `{"id":"1","imp":[{"id":"1"}],"app":{"bundle":"com.games.puzzle"},"source":{"schain":{"complete":1,"nodes":[{"asi":"exchange.com","sid":"77","hp":1}]}},"device":{"ua":"Roku/DVP-12.5","lmt":1}}`
	)
	expect := func(step, body, want string) {
		t.Helper()
		if got := signalsOf(w, body); got != want {
			t.Errorf("%s: %s has the signals %q, want %q", step, body, got, want)
		}
	}
	expect("at first", german, "address.country")
	expect("at first", stolen, "supply.unauthorized supply.unlisted")
	if got := signalsOf(w, game); !strings.Contains(got, "supply.unauthorized") {
		t.Errorf("an app whose developer is in bundles.csv has the signals %q", got)
	}
	root := filepath.Dir(name)
	write(t, filepath.Join(root, "geo.mmdb"), countries("DE"))
	write(t, filepath.Join(root, "ads/publisher.com.txt"), "exchange.com, 78, DIRECT\n")
	live.Refresh()
	expect("new files", german, "")
	expect("new files", stolen, "supply.unlisted")
	if paths := strings.Join(live.Paths(), " "); !strings.Contains(paths, "geo.mmdb") || !strings.Contains(paths, "sellers") {
		t.Errorf("paths %s", paths)
	}
	write(t, filepath.Join(root, "geo.mmdb"), "not a database")
	live.Refresh()
	expect("a broken file", german, "")
}

// TestFraudDataMistakes opens configurations whose files are missing or of another kind.
func TestFraudDataMistakes(t *testing.T) {
	for _, c := range []struct{ file, want string }{{"geo.mmdb", "geo.mmdb"}, {"ads", "ads"}, {"sellers", "sellers"}, {"bundles.csv", "bundles.csv"}} {
		name := filedFolder(t)
		if err := os.RemoveAll(filepath.Join(filepath.Dir(name), c.file)); err != nil {
			t.Fatal(err)
		}
		_, problems := config.Open(name, config.OpenOptions{})
		if len(problems) == 0 || !strings.Contains(problems.Error(), c.want) || !strings.Contains(problems.Error(), "c.yaml:2:") {
			t.Errorf("without %s: %v", c.file, problems)
		}
	}
	s, problems := config.Open(folder(t, "c.yaml", "version: 1\nfraud: {weights: {address.country: 30, supply.unlisted: 9}}\n"), config.OpenOptions{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var warnings []string
	for _, w := range s.Review() {
		warnings = append(warnings, w.Message)
	}
	if all := strings.Join(warnings, "\n"); !strings.Contains(all, "address.country is never seen: it needs fraud.geoip") || !strings.Contains(all, "supply.unlisted is never seen: it needs fraud.supply") {
		t.Errorf("warnings:\n%s", all)
	}
}

// TestGeoIPAge warns of a database that is old.
func TestGeoIPAge(t *testing.T) {
	for age, want := range map[time.Duration]bool{time.Hour: false, 89 * 24 * time.Hour: false, 91 * 24 * time.Hour: true} {
		built := time.Now().Add(-age)
		db := mmdbtest.New(4, 24)
		db.Epoch = uint64(built.Unix())
		text := string(db.Add("8.8.8.0/24", mmdbtest.Map{"country": mmdbtest.Map{"iso_code": "US"}}).Bytes())
		s, problems := config.Open(folder(t, "c.yaml", "version: 1\nfraud: {geoip: geo.mmdb}\n", "geo.mmdb", text), config.OpenOptions{})
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		warned := false
		for _, w := range s.Review() {
			warned = warned || strings.HasSuffix(w.Summary(), "c.yaml:2:16: the database of countries is of "+built.UTC().Format(time.DateOnly)+": addresses have moved since")
		}
		if warned != want {
			t.Errorf("a database of %v: warned %v, %v", age, warned, s.Review())
		}
	}
}
