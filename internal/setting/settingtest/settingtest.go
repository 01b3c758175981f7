// Package settingtest reads configurations for tests of the packages that declare settings.
package settingtest

import (
	"testing"

	"github.com/rtbwire/rtbwire/internal/setting"
	"github.com/rtbwire/rtbwire/internal/strictyaml"
)

// Parse reads a text, a file called x.yaml, with the settings of the packages of the test. It runs
// their checks, too.
func Parse(t testing.TB, text string) (*setting.Scope, setting.Problems) {
	t.Helper()
	o := &setting.Object[setting.Scope]{Name: "file"}
	o.Fields, o.Groups = setting.Sections()
	o.Fields = append(o.Fields, setting.F("partners", setting.Partners(), func(c *setting.Scope) *[]*setting.Scope { return &c.Inner }, "Partners."))
	root, problems := strictyaml.Parse("x.yaml", text)
	if len(problems) > 0 {
		t.Fatalf("%s: %v", text, problems)
	}
	var r setting.Reader
	file, ok := o.Type().Read(&r, root)
	if ok {
		for _, m := range setting.Modules() {
			if m.Check != nil {
				m.Check(&r, &file)
			}
		}
	}
	return &file, r.Problems()
}

// MustParse is [Parse] for a text without problems.
func MustParse(t testing.TB, text string) *setting.Scope {
	t.Helper()
	c, problems := Parse(t, text)
	if len(problems) > 0 {
		t.Fatalf("%s: %v", text, problems)
	}
	return c
}
