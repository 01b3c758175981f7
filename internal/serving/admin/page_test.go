package admin

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Ways to make markup or code of text. What requests send is only ever text on the page.
var forbidden = regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|srcdoc|createContextualFragment|setHTML|\bon[a-z]+=|javascript:|localStorage|document\.cookie`)

var (
	address   = regexp.MustCompile(`https?://[^\s"'` + "`" + `)]+`)
	reference = regexp.MustCompile(`(?:href|src)="([^"]*)"|from "(\./[^"]*)"`)
)

// TestPageFiles holds the page to its rules: text is never markup, nothing comes from elsewhere,
// and all that it refers to is there.
func TestPageFiles(t *testing.T) {
	t.Parallel()
	entries, err := pageFiles.ReadDir("page")
	if err != nil {
		t.Fatal(err)
	}
	s := server(t, newSource(), Options{Config: func() any { return nil }})
	total := 0
	for _, entry := range entries {
		data, err := pageFiles.ReadFile("page/" + entry.Name())
		if err != nil {
			t.Fatal(err)
		}
		source := string(data)
		total += len(source)
		if got := forbidden.FindString(source); got != "" {
			t.Errorf("%s has %s", entry.Name(), got)
		}
		for _, url := range address.FindAllString(source, -1) {
			if url != "http://www.w3.org/2000/svg" { // a name, which is not loaded
				t.Errorf("%s refers to %s", entry.Name(), url)
			}
		}
		if strings.HasSuffix(entry.Name(), ".html") && regexp.MustCompile(`<script>|<style|style=`).MatchString(source) {
			t.Errorf("%s has a script or style of its own", entry.Name())
		}
		for _, m := range reference.FindAllStringSubmatch(source, -1) {
			path := m[1] + m[2]
			if strings.HasPrefix(path, "#") {
				continue
			}
			path = strings.Replace(path, "./", "/page/", 1)
			if r := get(t, s, path); r.StatusCode != http.StatusOK {
				t.Errorf("%s refers to %s, which is %d", entry.Name(), path, r.StatusCode)
			}
		}
	}
	if total > 100<<10 {
		t.Errorf("the page has %d bytes", total)
	}
}

// TestPageSeries wants the series that the page plots to be those that there are.
func TestPageSeries(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, s := range slices.Concat(gatewaySeries, streamSeries) {
		known[s.name] = true
	}
	seen := 0
	for _, name := range []string{"app.js", "plots.js"} {
		source, err := pageFiles.ReadFile("page/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?:series: |latest\(|column\()"([a-z_0-9.]+)"`).FindAllStringSubmatch(string(source), -1) {
			seen++
			if !known[m[1]] && !known[m[1]+"p50"] && m[1] != "requests." && m[1] != "time" {
				t.Errorf("%s plots %s", name, m[1])
			}
		}
	}
	if seen < 15 {
		t.Errorf("only %d series were found", seen)
	}
}
