package browser

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp/kb"
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
	// A busy machine is late for some requests, and then it is not.
	b.await(t, `document.getElementById("banners").textContent === "" && document.querySelector(".card:not([data-state=good])") === null`)
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

// TestPartners opens a partner with the keyboard, and asks for the refusals of one.
func TestPartners(t *testing.T) {
	s := startStates(t)
	s.traffic(t)
	b := open(t, "http://"+s.page+"/", 1280, "light")
	const (
		open    = `document.querySelector("[data-open='exchange-new']")`
		detail  = `(document.querySelector("tr.detail")?.textContent ?? "")`
		rejects = `[...document.querySelectorAll("#rejects .partner")].map((p) => p.textContent)`
	)
	b.await(t, open+` !== null && new Set(`+rejects+`).size >= 3`)
	ask[bool](t, b, `(`+open+`.focus(), true)`)
	b.press(t, kb.Enter)
	// A rule's message is where its reason is, and what is observed is counted apart.
	b.await(t, detail+`.includes("policy.expensive") && `+detail+`.includes("the floor is above what anybody pays")`)
	b.await(t, `[...document.querySelectorAll("tr.detail th")].some((h) => h.textContent === "Would refuse")`)
	b.await(t, `/; \d+ would be refused/.test(`+detail+`)`)
	before := ask[string](t, b, detail)
	b.await(t, detail+` !== `+fmt.Sprintf("%q", before)) // it goes on
	b.await(t, `document.activeElement === `+open+` && `+open+`.getAttribute("aria-expanded") === "true"`)
	b.press(t, kb.Enter)
	b.await(t, `document.querySelector("tr.detail") === null`)

	choose := func(name string) {
		t.Helper()
		ask[bool](t, b, fmt.Sprintf(`(() => { const s = document.getElementById("partner"); s.value = %q; s.dispatchEvent(new Event("change")); return true; })()`, name))
	}
	all := ask[int64](t, b, `document.querySelectorAll("#reasons tbody tr").length`)
	choose("exchange-b")
	b.await(t, rejects+`.length > 0 && `+rejects+`.every((name) => name === "exchange-b")`)
	b.await(t, fmt.Sprintf(`document.querySelectorAll("#reasons tbody tr").length < %d`, all))
	b.await(t, `![...document.querySelectorAll("#reasons th")].some((h) => h.textContent === "Would refuse")`)
	ask[bool](t, b, `(document.getElementById("pause").click(), true)`)
	choose("exchange-a") // somebody asks while the page is paused
	b.await(t, rejects+`.length > 0 && `+rejects+`.every((name) => name === "exchange-a")`)
	ask[bool](t, b, `(document.getElementById("pause").click(), true)`)
	choose("")
	b.await(t, `new Set(`+rejects+`).size >= 3`)
	b.check(t, s.page)
}

// TestNoScript comes to the page without a script by itself, which shows the same.
func TestNoScript(t *testing.T) {
	s := startStates(t)
	s.traffic(t)
	b := open(t, "http://"+s.page+"/", 1280, "light")
	b.await(t, `document.querySelectorAll("#rejects details").length >= 5`)
	call(t, b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	b.visit(t, "http://"+s.page+"/")
	b.await(t, `location.pathname === "/plain"`) // which loads itself again: there may be no body yet
	for _, text := range []string{"rtbwire gateway", "Our time p99", "core-a", "exchange-new", "policy.expensive", "the floor is above what anybody pays", "list blocked", "next.yaml", "What the candidate would change"} {
		b.await(t, fmt.Sprintf(`(document.body?.textContent ?? "").includes(%q)`, text))
	}
	b.eachLook(t, func(width int64, scheme string) {
		b.visit(t, "http://"+s.page+"/plain")
		b.readable(t, "plain", width, scheme)
		if bad := ask[string](t, b, names); bad != "" {
			t.Error(bad)
		}
		b.picture(t, fmt.Sprintf("plain-%d-%s", width, scheme))
	})
	b.visit(t, "http://"+s.page+"/plain?partner=exchange-b")
	b.await(t, `(document.querySelector(".banner.note")?.textContent ?? "").includes("exchange-b")`)
	b.check(t, s.page)
}
