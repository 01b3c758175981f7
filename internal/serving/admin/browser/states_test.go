package browser

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// stateConfig is a configuration with all that the page has a place for. The upstreams are two
// cores, and %s is the folder.
const stateConfig = `version: 1
lists:
  blocked: {kind: domain, file: blocked.txt}
  apps: {kind: bundle, file: apps.txt}
rates: {file: rates.csv, max_age: 36h}
rules:
  - {name: expensive, when: "imp.exists(i, i.bidfloor > 15.0)", severity: refuse, nbr: 7, message: the floor is above what anybody pays}
  - {name: blocked-site, when: site.domain in lists.blocked, severity: refuse, nbr: 7, message: the site is on our block list}
  - {name: sold-to-minors, when: "user.yob > 2015", severity: refuse, message: the user is a child}
gateway:
  upstreams:
    - {name: core-a, url: "http://%s", weight: 3}
    - {name: core-b, url: "http://%s"}
partners:
  exchange-a: {match: {from: [127.0.0.0/8], path: /exchange-a}}
  exchange-b: {match: {from: [127.0.0.0/8], path: /exchange-b}, limits: {rate: 60}}
  exchange-new: {match: {from: [127.0.0.0/8], path: /exchange-new}, enforce: 0%%}
`

// states is a gateway with two cores, and files that it follows.
type states struct {
	*stack
	cores []*process
	dir   string
}

func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name+".new", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(name+".new", name); err != nil {
		t.Fatal(err)
	}
}

func startStates(t *testing.T) *states {
	t.Helper()
	s := &states{stack: &stack{}, dir: t.TempDir()}
	var addresses []any
	for range 2 {
		core := start(t, "simulate", "core", "--listen", "127.0.0.1:0", "--bid", "60%", "--latency", "p50=2ms,p99=15ms")
		addresses = append(addresses, core.said(t, `http://(127\.0\.0\.1:\d+)`))
		s.cores = append(s.cores, core)
	}
	for name, text := range map[string]string{
		"blocked.txt": "blocked.example\nbad.example\n", "apps.txt": "com.example.app\n", "rates.csv": "EUR,1.08\nJPY,0.0066\n",
		"rtbwire.yaml": fmt.Sprintf(stateConfig, addresses...),
		"next.yaml":    strings.Replace(fmt.Sprintf(stateConfig, addresses...), "bidfloor > 15.0", "bidfloor > 9.0", 1),
	} {
		put(t, filepath.Join(s.dir, name), text)
	}
	s.args = []string{"serve", "--config", filepath.Join(s.dir, "rtbwire.yaml"), "--candidate", filepath.Join(s.dir, "next.yaml")}
	s.start(t, "127.0.0.1:0", "127.0.0.1:0")
	return s
}

// traffic begins to send, by partners and by nobody's.
func (s *states) traffic(t *testing.T) {
	t.Helper()
	s.load(t, "/openrtb2/auction", "--rate", "60", "--defects", "5%", "--payloads", "2%")
	s.load(t, "/exchange-a", "--rate", "90", "--seed", "5", "--defects", "2%", "--fraud", "3%")
	s.load(t, "/exchange-b", "--rate", "50", "--seed", "9", "--payloads", "1%")
	s.load(t, "/exchange-new", "--rate", "40", "--seed", "11", "--defects", "8%")
}

// TestStates shows a gateway that is well, and then one with everything wrong that an operator can
// have at once: no core, a list with a bad line, old rates, a configuration and a candidate with
// mistakes, a partner over its limit.
func TestStates(t *testing.T) {
	s := startStates(t)
	s.traffic(t)
	b := open(t, "http://"+s.page+"/", 1280, "light")
	b.await(t, `document.querySelectorAll("#partners tbody tr").length === 3 && document.querySelectorAll("#rejects details").length >= 5`)
	b.await(t, `document.getElementById("configuration").textContent.includes("rtbwire.yaml")`)
	b.await(t, `document.getElementById("candidate").textContent.includes("policy.expensive")`)
	if got := ask[string](t, b, `document.getElementById("banners").textContent`); got != "" {
		t.Errorf("a healthy gateway has banners: %s", got)
	}
	if got := ask[string](t, b, `[...document.querySelectorAll(".card:not([data-state=good])")].map((c) => c.textContent).join("; ")`); got != "" {
		t.Errorf("tiles of a healthy gateway: %s", got)
	}
	if os.Getenv("RTBWIRE_PICTURES") != "" {
		time.Sleep(time.Minute) // the axis is a minute at least
	}
	b.pictures(t, "gateway-healthy")

	s.load(t, "/exchange-b", "--rate", "80", "--seed", "10")
	rates := filepath.Join(s.dir, "rates.csv")
	put(t, rates+".old", "EUR,1.07\nJPY,0.0065\n")
	old := time.Now().Add(-49 * time.Hour)
	if err := errors.Join(os.Chtimes(rates+".old", old, old), os.Rename(rates+".old", rates)); err != nil {
		t.Fatal(err)
	}
	b.await(t, `document.getElementById("banners").textContent.includes("The file of rates is too old")`)
	put(t, filepath.Join(s.dir, "blocked.txt"), "blocked.example\nno domain at all\n")
	put(t, filepath.Join(s.dir, "next.yaml"), "version: 1\nruels: []\n")
	for _, core := range s.cores {
		core.kill()
	}
	for _, text := range []string{
		"No upstream is healthy", "The list blocked could not be loaded again", "blocked.txt:2:", "The candidate could not be loaded again", "ruels", "Requests are shed", "of the partner exchange-b", "Requests fail",
	} {
		b.await(t, fmt.Sprintf(`document.getElementById("banners").textContent.includes(%q)`, text))
	}
	b.await(t, `[...document.querySelectorAll("#upstreams .state")].every((s) => s.className.includes("bad"))`)
	b.await(t, `[...document.querySelectorAll("#files .state.bad")].length === 2`)
	if os.Getenv("RTBWIRE_PICTURES") != "" {
		time.Sleep(20 * time.Second)
	}
	ask[bool](t, b, `(document.querySelector("[data-open='exchange-b']").click(), true)`)
	b.await(t, `(document.querySelector("tr.detail")?.textContent ?? "").includes("gateway.rate")`)
	b.pictures(t, "gateway-broken")
	b.check(t, s.page)
}
