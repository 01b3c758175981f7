package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/inspect/lists"
	"github.com/rtbwire/rtbwire/inspect/rates"
)

// TestExamples loads the files of examples/policy, and wants the lists they name to be there.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("../examples/policy/*.yaml")
	files = slices.DeleteFunc(files, func(name string) bool { return strings.HasSuffix(name, ".cases.yaml") }) // see internal/policytest
	if err != nil || len(files) != 4 {
		t.Fatalf("found %v, %v", files, err)
	}
	for _, file := range files {
		c, problems := Load(file, Options{})
		if len(problems) > 0 {
			t.Errorf("%v", problems)
			continue
		}
		for _, l := range lists.Configured(&c.Scope) {
			if l.File == "" {
				continue
			}
			if _, err := os.Stat(l.File); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
		if file, _ := rates.Configured(&c.Scope); file != "" {
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
	c, _ := Load("../examples/policy/exchange.yaml", Options{})
	if c == nil || len(c.Files) != 3 || !slices.Equal(c.Scope.Names(), []string{"ssp-one", "ssp-two"}) || c.Scope.Inner[0].Names()[1] != "1002" {
		t.Errorf("the exchange's file: %+v", c)
	}
}
