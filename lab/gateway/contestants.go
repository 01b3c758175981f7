package gateway

import (
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// The contestants that others are compared with.
const (
	ownFull        = "rtbwire"         // with the whole verdict
	ownOff         = "rtbwire-off"     // nothing to look for
	ownPassthrough = "rtbwire-through" // unread
	bareName       = "fasthttp"
	reverse        = "reverseproxy"
	stdJSON        = "json"
	goJSON         = "gojson"
	stdChecked     = "json-checked" // with the gateway's inspectors
	goChecked      = "gojson-checked"
	directName     = "direct" // no proxy: the generator asks the upstream
)

// contestant is a program that takes requests and passes them to the upstream.
type contestant struct {
	name, about string
	lang        string // "go" for those with allocations and a collector
	extra       bool   // only when it is asked for
	refuses     bool   // decides by the content
	command     func(l *lab, at addresses) []string
	program     string // that has to be on PATH
	deb         string // Debian's
}

// addresses are where a contestant listens and what it talks to.
type addresses struct{ listen, upstream, stats string }

//go:embed conf
var configurations embed.FS

// rules are the rules and lists of the comparison of inspectors, from the folder lab.
const rules = "check/inspectors.yaml"

// prefixes is how many prefixes the list of data centres has. No body has an address in it.
const prefixes = 50_000

var contestants = []*contestant{
	{name: ownFull, about: "the gateway with the whole verdict: schema, rules, payload patterns, fraud score with 50,000 prefixes and windows", lang: "go", refuses: true,
		command: func(l *lab, at addresses) []string { return l.serve(at, "full.yaml") }},
	{name: ownOff, about: "the gateway with every inspector off: it decodes and forwards", lang: "go",
		command: func(l *lab, at addresses) []string { return l.serve(at, "off.yaml", "--windows=false") }},
	{name: ownPassthrough, about: "the gateway on a passthrough route: guard and limits, nothing is decoded", lang: "go",
		command: func(l *lab, at addresses) []string { return l.serve(at, "passthrough.yaml", "--windows=false") }},
	{name: ownFull + "-std", about: "the gateway with the whole verdict on the server of net/http", lang: "go", refuses: true, extra: true,
		command: func(l *lab, at addresses) []string { return l.serve(at, "full.yaml", "--http", "std") }},
	{name: bareName, about: "a bare proxy with fasthttp: pooled, no copies, no header looked at", lang: "go",
		command: func(l *lab, at addresses) []string { return l.peerCommand(at, "fasthttp") }},
	{name: "nginx", about: "a worker for each core, passes bodies unread", program: "nginx", deb: "nginx",
		command: func(l *lab, _ addresses) []string { return []string{"nginx", "-c", filepath.Join(l.dir, "nginx.conf")} }},
	{name: "haproxy", about: "a thread for each core, passes bodies unread", program: "haproxy", deb: "haproxy",
		command: func(l *lab, _ addresses) []string {
			return []string{"haproxy", "-db", "-f", filepath.Join(l.dir, "haproxy.cfg")}
		}},
	{name: reverse, about: "httputil.ReverseProxy with a tuned transport and a pool of buffers", lang: "go",
		command: func(l *lab, at addresses) []string { return l.peerCommand(at, "reverse") }},
	{name: goJSON, about: "a handler of net/http that decodes with goccy/go-json, checks a few things by hand and forwards", lang: "go", refuses: true,
		command: func(l *lab, at addresses) []string { return l.peerCommand(at, "gojson") }},
	{name: stdJSON, about: "the same with encoding/json", lang: "go", refuses: true,
		command: func(l *lab, at addresses) []string { return l.peerCommand(at, "json") }},
	{name: goChecked, about: "the handler with goccy/go-json and the gateway's inspectors, as far as they work on what another library has decoded", lang: "go", refuses: true,
		command: func(l *lab, at addresses) []string { return l.peerCommand(at, "gojson-checked") }},
	{name: stdChecked, about: "the same with encoding/json", lang: "go", refuses: true,
		command: func(l *lab, at addresses) []string { return l.peerCommand(at, "json-checked") }},
}

func (l *lab) serve(at addresses, file string, more ...string) []string {
	return append([]string{l.rtbwire, "serve", "--config", filepath.Join(l.dir, file), "--listen", at.listen,
		"--upstream", "http://" + at.upstream, "--admin", at.stats}, more...)
}

func (l *lab) peerCommand(at addresses, role string) []string {
	return []string{l.peer, "--listen", at.listen, "--upstream", at.upstream, "--stats", at.stats, "--config", filepath.Join(l.dir, "full.yaml"), role}
}

// chooseContestants returns who takes part, and writes the files that all need.
func (l *lab) chooseContestants() (list []*contestant, err error) {
	var names []string
	for name := range strings.SplitSeq(l.contestants, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if !slices.ContainsFunc(contestants, func(c *contestant) bool { return c.name == name }) {
			return nil, fmt.Errorf("no contestant %q: %w", name, ErrUsage)
		}
		names = append(names, name)
	}
	for _, c := range contestants {
		if names == nil && c.extra || names != nil && !slices.Contains(names, c.name) {
			continue
		}
		if c.program != "" {
			if _, err := exec.LookPath(c.program); err != nil {
				l.say("%s is left out: there is no program %s (Debian's package %s)", c.name, c.program, c.deb)
				continue
			}
		}
		list = append(list, c)
	}
	files, err := os.ReadFile(rules)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(l.dir, filepath.Base(rules)), files, 0o644); err != nil {
		return nil, err
	}
	var b strings.Builder
	for i := range prefixes {
		fmt.Fprintf(&b, "%d.%d.%d.0/24\n", 20+i>>16, i>>8&0xff, i&0xff)
	}
	if err := os.WriteFile(filepath.Join(l.dir, "prefixes.txt"), []byte(b.String()), 0o644); err != nil {
		return nil, err
	}
	return list, nil
}

// configure writes the configurations, with addresses in them.
func (l *lab) configure(at addresses) error {
	entries, err := configurations.ReadDir("conf")
	if err != nil {
		return err
	}
	fill := strings.NewReplacer("@DIR@", l.dir, "@WORKERS@", strconv.Itoa(max(l.workers, 1)), "@LISTEN@", at.listen, "@UPSTREAM@", at.upstream)
	for _, e := range entries {
		text, err := configurations.ReadFile("conf/" + e.Name())
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(l.dir, e.Name()), []byte(fill.Replace(string(text))), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// version returns what a program says about itself.
func (c *contestant) version() string {
	switch c.program {
	case "nginx":
		out, _ := exec.Command("nginx", "-v").CombinedOutput()
		return strings.TrimPrefix(strings.TrimSpace(string(out)), "nginx version: ")
	case "haproxy":
		out, _ := exec.Command("haproxy", "-v").Output()
		first, _, _ := strings.Cut(string(out), " - ")
		return first
	}
	return ""
}
