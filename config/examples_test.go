package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
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
		for _, l := range c.Lists {
			if l.File == "" {
				continue
			}
			if _, err := os.Stat(l.File); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
		if c.Rates != nil && c.Rates.File != "" {
			if _, err := os.Stat(c.Rates.File); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
	c, _ := Load("../examples/policy/exchange.yaml", Options{})
	if c == nil || len(c.Files) != 3 || len(c.Partners) != 2 || c.Partners[0].Name != "ssp-one" || c.Partners[0].Publishers[1].ID != "1002" {
		t.Errorf("the exchange's file: %+v", c)
	}
}
