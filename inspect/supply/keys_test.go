package supply

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/setting"
	"github.com/rtbwire/rtbwire/internal/setting/settingtest"
)

func TestConfigured(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"ads", "apps", "sellers"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	var r setting.Reader
	if set := OpenConfigured(&r, settingtest.MustParse(t, "{}"), nil); set != nil {
		t.Error("a set of nothing")
	}
	text := strings.ReplaceAll("fraud: {supply: {ads_txt: DIR/ads, app_ads_txt: DIR/apps, sellers: DIR/sellers}}", "DIR", dir)
	set := OpenConfigured(&r, settingtest.MustParse(t, text), nil)
	if p := r.Problems(); set == nil || len(p) > 0 || len(set.Status()) != 3 {
		t.Errorf("%v, %v", set, p)
	}
	text = strings.ReplaceAll("fraud:\n  supply: {ads_txt: DIR/none, sellers: DIR/nothing}", "DIR", dir)
	if set := OpenConfigured(&r, settingtest.MustParse(t, text), nil); set != nil {
		t.Error("a set whose folders are missing")
	}
	p := r.Problems()
	if len(p) != 2 || p[0].Line != 2 || !strings.Contains(p[0].Message, "none") || strings.HasPrefix(p[0].Message, "supply: ") {
		t.Errorf("missing folders: %v", p)
	}
}

// TestConfiguredMistakes refuses a section that names nothing.
func TestConfiguredMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"{}":                   "supply needs one of ads_txt, app_ads_txt, sellers and bundles",
		"{adstxt: x}":          `did you mean "ads_txt"?`,
		"{ads_txt: [x]}":       "expected the name of a file, found a sequence",
		"{sellers: a, ads: b}": `unknown key "ads"`,
	} {
		if _, problems := settingtest.Parse(t, "fraud: {supply: "+text+"}"); len(problems) != 1 || !strings.Contains(problems[0].Summary(), want) {
			t.Errorf("%s: %v, want %s", text, problems, want)
		}
	}
}
