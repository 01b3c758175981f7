package followed

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rtbwire/rtbwire/internal/filewatch"
)

var now = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// states are files in every state that there is.
func states() []filewatch.Named {
	good := filewatch.Status{
		Path: "/l/good.txt", Loads: 3, Failures: 1, Result: filewatch.Result{Entries: 100}, LoadedAt: now.Add(-time.Minute), Modified: now.Add(-time.Hour),
	}
	broken, skips := good, good
	broken.Path, broken.Err, broken.Failures = "/l/broken.txt", &filewatch.Error{Path: "/l/broken.txt", Line: 17, Err: errors.New("expected a domain name")}, 2
	skips.Skipped, skips.SkippedFirst = 2, &filewatch.LineError{Line: 5, Err: errors.New("expected a domain name")}
	old := good.Named(filewatch.KindList, "old")
	old.MaxAge = 30 * time.Minute
	folder := filewatch.FolderStatus{Path: "/l/ads", Files: 9, Refused: 1, Problems: []error{errors.New("/l/ads/a.com.txt: expected text")}, Loads: 8, Result: filewatch.Result{Entries: 80}, LoadedAt: now}
	configuration := filewatch.Status{Path: "c.yaml", Err: errors.New("c.yaml:1:1: x"), Loads: 1, Failures: 1, LoadedAt: now}
	return []filewatch.Named{
		configuration.Named(filewatch.KindConfiguration, "configuration"), good.Named(filewatch.KindList, "good"), skips.Named(filewatch.KindList, "skips"),
		old, broken.Named(filewatch.KindList, "broken"), folder.Named(filewatch.KindSupply, "ads_txt"),
	}
}

func TestRows(t *testing.T) {
	var got []string
	for _, r := range Rows(states(), now) {
		got = append(got, fmt.Sprintf("%s %s %d %v %q %q", r.Kind, r.Name, r.Entries, r.Old, r.Error, r.Problem))
	}
	if want := []string{
		`configuration configuration 0 false "c.yaml:1:1: x" ""`,
		`list broken 100 false "/l/broken.txt:17: expected a domain name" ""`,
		`list old 100 true "" ""`,
		`list good 100 false "" ""`,
		`list skips 100 false "" "line 5: expected a domain name"`,
		`supply ads_txt 80 false "" "/l/ads/a.com.txt: expected text"`,
	}; strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	many := make([]filewatch.Named, RowsMax+10)
	many[RowsMax+9] = states()[4]
	many[RowsMax+9].Err = errors.New(strings.Repeat("é", textMax))
	rows := Rows(many, now)
	if len(rows) != RowsMax || rows[0].Name != "broken" || len(rows[0].Error) > textMax+len("…") || !strings.HasSuffix(rows[0].Error, "é…") {
		t.Errorf("%d rows, the first %+v", len(rows), rows[0])
	}
	if rows := Rows(nil, now); rows == nil {
		t.Error("no row is null in JSON")
	}
}

// TestLog: one line for each, with the place, at a level that says how bad it is.
func TestLog(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	for _, f := range states() {
		Log(log, f)
	}
	want := `level=INFO msg="a file was loaded again" kind=list name=good path=/l/good.txt entries=100 modified=2026-11-20T11:00:00Z
level=WARN msg="a file was loaded again without some of its entries" kind=list name=skips path=/l/good.txt entries=100 modified=2026-11-20T11:00:00Z skipped=2 first="line 5: expected a domain name"
level=WARN msg="a file is older than it may be" kind=list name=old path=/l/good.txt entries=100 modified=2026-11-20T11:00:00Z "max age"=30m0s
level=ERROR msg="a file was not loaded again; its last good content stays in use" kind=list name=broken path=/l/broken.txt entries=100 modified=2026-11-20T11:00:00Z error="/l/broken.txt:17: expected a domain name"
level=WARN msg="a folder was loaded again without some of its files" kind=supply name=ads_txt path=/l/ads entries=80 modified=2026-11-20T12:00:00Z files=9 refused=1 first="/l/ads/a.com.txt: expected text"
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestCollector(t *testing.T) {
	registry := prometheus.NewRegistry()
	registry.MustRegister(Collector("rtbwire_x_", states))
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range families {
		var values []string
		for _, m := range f.GetMetric() {
			if len(m.GetLabel()) != 2 || m.GetLabel()[0].GetName() != "kind" || m.GetLabel()[1].GetName() != "name" {
				t.Errorf("labels %v", m.GetLabel())
			}
			v := m.GetGauge().GetValue() + m.GetCounter().GetValue() // one of which is missing
			values = append(values, fmt.Sprintf("%s=%.0f", m.GetLabel()[1].GetValue(), v))
		}
		got[strings.TrimPrefix(f.GetName(), "rtbwire_x_followed_file_")] = strings.Join(values, " ")
	}
	at := now.Unix()
	want := map[string]string{
		"age_max_seconds":            "old=1800",
		"entries":                    "configuration=0 broken=100 good=100 old=100 skips=100 ads_txt=80",
		"skipped_entries":            "configuration=0 broken=0 good=0 old=0 skips=2 ads_txt=0",
		"refused_files":              "configuration=0 broken=0 good=0 old=0 skips=0 ads_txt=1",
		"failed":                     "configuration=1 broken=1 good=0 old=0 skips=0 ads_txt=0",
		"loads_total":                "configuration=1 broken=3 good=3 old=3 skips=3 ads_txt=8",
		"failures_total":             "configuration=1 broken=2 good=1 old=1 skips=1 ads_txt=0",
		"loaded_timestamp_seconds":   fmt.Sprintf("configuration=%d broken=%d good=%[2]d old=%[2]d skips=%[2]d ads_txt=%[1]d", at, at-60),
		"modified_timestamp_seconds": fmt.Sprintf("broken=%d good=%[1]d old=%[1]d skips=%[1]d ads_txt=%d", at-3600, at),
	}
	if !maps.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
}
