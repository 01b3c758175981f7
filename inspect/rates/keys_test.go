package rates

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/setting"
	"github.com/rtbwire/rtbwire/internal/setting/settingtest"
)

func TestConfigured(t *testing.T) {
	good := filepath.Join(t.TempDir(), "rates.csv")
	if err := os.WriteFile(good, []byte("EUR,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text, file, problem string
		some                bool
		euro                float64
	}{
		{text: "{}"},
		{text: "rates: {values: {EUR: 3, USD: 1}}", some: true, euro: 3},
		{text: "rates: {file: " + good + "}", file: good, some: true, euro: 2},
		{text: "rates: {file: " + good + "x}", file: good + "x", some: true, problem: "x.yaml:1:8: "},
		{text: "rates: {values: {EUR: 3, XQX: 1}}", some: true, euro: 3, problem: "x.yaml:1:26: expected a currency code of ISO 4217"},
		{text: "rates: {values: {EUR: 3, USD: 2}}", some: true, euro: 3, problem: "x.yaml:1:26: expected a rate of 1 for USD"},
	} {
		scope := settingtest.MustParse(t, c.text)
		if file, some := Configured(scope); file != c.file || some != c.some {
			t.Errorf("%s: %q, %v", c.text, file, some)
		}
		var r setting.Reader
		table, _ := OpenConfigured(&r, scope, nil)
		if p := r.Problems(); (len(p) == 1) != (c.problem != "") || len(p) > 0 && !strings.HasPrefix(p[0].Summary(), c.problem) {
			t.Errorf("%s: %v, want %s", c.text, p, c.problem)
		}
		if c.euro == 0 {
			if table != nil {
				t.Errorf("%s: a table of %d", c.text, table.Len())
			}
			continue
		}
		if usd, known := table.USD(1, "EUR"); usd != c.euro || !known {
			t.Errorf("%s: a euro is worth %v", c.text, usd)
		}
	}
	for _, text := range []string{"rates: {}", "rates: {values: {EUR: 0}}", "rates: {values: {eur: 1}}", "rates: {file: a, values: {}}"} {
		if _, problems := settingtest.Parse(t, text); len(problems) != 1 {
			t.Errorf("%s: %v", text, problems)
		}
	}
}
