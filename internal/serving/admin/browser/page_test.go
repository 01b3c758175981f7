package browser

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

const config = `version: 1
rules:
  - {name: expensive, when: "imp.exists(i, i.bidfloor > 20.0)", severity: refuse, nbr: 7}
partners:
  exchange-a: {match: {from: [127.0.0.0/8], path: /exchange-a}}
`

// number reads the number of a card, such as 152/s or 4.1k/s.
func number(name string) string {
	return fmt.Sprintf(`(() => {
	  const card = [...document.querySelectorAll("#cards dl")].find((c) => c.querySelector("dt").textContent === %q);
	  const m = /^([0-9.,]+)(k?)/.exec(card?.querySelector(".value").textContent ?? "");
	  return m ? Number(m[1].replaceAll(",", "")) * (m[2] ? 1000 : 1) : -1;
	})()`, name)
}

// state is what the page says about the gateway.
const state = `document.body.dataset.state`

// TestPage shows real numbers while traffic runs.
func TestPage(t *testing.T) {
	s := startStack(t, config)
	const rate = 150
	s.load(t, "/openrtb2/auction", "--rate", fmt.Sprint(rate), "--defects", "20%")
	s.load(t, "/exchange-a", "--rate", "50", "--seed", "5")
	b := open(t, "http://"+s.page+"/", 1400, "light")
	b.await(t, state+` === "live"`)
	// A busy machine sends fewer, so the page is compared with the gateway, too.
	b.await(t, number("Requests")+` > 20`)
	if got := ask[float64](t, b, number("Requests")); got > 3*(rate+50) {
		t.Errorf("%v requests a second", got)
	}
	b.await(t, number("Forwarded")+` > 50 && `+number("Forwarded")+` < 100`)
	b.await(t, number("Refused")+` > 1`)
	b.await(t, number("Our time p99")+` > 0`)
	b.await(t, number("Memory")+` > 1`)
	for _, title := range []string{"Requests", "Latency p50", "Latency p99", "Connections", "Memory", "In flight"} {
		b.await(t, fmt.Sprintf(`[...document.querySelectorAll("figure")].find((f) => f.querySelector("h2").textContent === %q).querySelector("path").getAttribute("d").length > 40`, title))
	}
	b.await(t, `document.querySelectorAll("#reasons tbody tr").length >= 5`)
	b.await(t, `document.querySelector("#upstreams .state").textContent === "healthy"`)
	b.await(t, `document.querySelector("#partners tbody").textContent.includes("exchange-a")`)
	b.await(t, `document.querySelectorAll("#rejects details").length >= 5`)
	b.await(t, `[...document.querySelectorAll("#rejects mark")].some((m) => m.textContent !== "")`)
	b.await(t, `document.getElementById("about").textContent.includes("configuration 1")`)

	// What the page says of the whole time is what the gateway counts.
	b.await(t, `fetch("/live").then((r) => r.json()).then((d) => { window.counted = d.totals.forwarded; }) && window.counted > 100`)

	// Somebody reads an entry: it stays, and newer ones wait.
	ask[bool](t, b, `(document.querySelector("#rejects details").open = true)`)
	first := ask[string](t, b, `document.querySelector("#rejects summary").textContent`)
	b.await(t, `!document.getElementById("newer").hidden`)
	if got := ask[string](t, b, `document.querySelector("#rejects summary").textContent`); got != first {
		t.Errorf("%q became %q while it was read", first, got)
	}
	ask[bool](t, b, `(document.getElementById("newer").click(), true)`)
	b.await(t, `document.querySelector("#rejects details[open]") === null`)

	// Pause, and a window of one minute.
	ask[bool](t, b, `(document.getElementById("pause").click(), true)`)
	b.await(t, state+` === "paused"`)
	ask[bool](t, b, `(document.getElementById("pause").click(), document.querySelector("input[value='60']").click(), true)`)
	b.await(t, state+` === "live"`)
	b.check(t, s.page)
}

// TestReload shows a configuration that could not be loaded, and the next one.
func TestReload(t *testing.T) {
	s := startStack(t, config)
	b := open(t, "http://"+s.page+"/", 1400, "light")
	b.await(t, state+` === "live"`)
	file := s.args[2]
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file+".new", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(file+".new", file); err != nil {
			t.Fatal(err)
		}
	}
	write("version: 1\nruels: []\n")
	b.await(t, `document.getElementById("banners").textContent.includes("could not be loaded again")`)
	b.await(t, `document.querySelector("#banners pre").textContent.includes("ruels")`)
	write(config + "max_findings: 7\n")
	b.await(t, `document.getElementById("banners").textContent === ""`)
	b.await(t, `document.getElementById("about").textContent.includes("configuration 2")`)
	b.await(t, `document.querySelector(".marks text")?.textContent === "configuration 2"`)
	b.check(t, s.page)
}

// TestRestart loses the gateway, says so, and goes on with the next one.
func TestRestart(t *testing.T) {
	s := startStack(t, config)
	s.load(t, "/openrtb2/auction", "--rate", "100")
	b := open(t, "http://"+s.page+"/", 1400, "light")
	b.await(t, number("Requests")+` > 10`)
	s.restart(t, func() {
		b.await(t, state+` === "lost"`)
		b.await(t, `document.getElementById("banners").textContent.includes("does not answer")`)
		b.await(t, `document.title.startsWith("No answer")`)
	})
	s.load(t, "/openrtb2/auction", "--rate", "100") // the one before may have given up
	b.await(t, state+` === "live"`)
	b.await(t, `document.getElementById("banners").textContent === ""`)
	b.await(t, `document.querySelector(".marks text")?.textContent === "restart"`)
	b.await(t, number("Requests")+` > 10`)
	// The line has a gap where nothing was known.
	b.await(t, `document.querySelector("figure path").getAttribute("d").split("M").length >= 3`)
	b.check(t, s.page, "ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE", "ERR_SOCKET_NOT_CONNECTED")
}

// contrast returns texts whose contrast with what is under them is too low (WCAG 2.2, 1.4.3).
const contrast = `(() => {
  const parse = (c) => { const m = c.match(/[0-9.]+/g).map(Number); return { rgb: m.slice(0, 3), a: m.length > 3 ? m[3] : 1 }; };
  const light = (rgb) => { const [r, g, b] = rgb.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const under = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c.a === 1) return c.rgb; } return [255, 255, 255]; };
  const bad = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let n = walk.nextNode(); n; n = walk.nextNode()) {
    const e = n.parentElement;
    if (!n.data.trim() || !e.getClientRects().length || e.closest(".hidden, script, noscript")) continue;
    const style = getComputedStyle(e);
    const fore = light(parse(e instanceof SVGElement ? style.fill : style.color).rgb), back = light(under(e));
    const ratio = (Math.max(fore, back) + 0.05) / (Math.min(fore, back) + 0.05);
    if (ratio < 4.5) bad.push(e.tagName + "." + (e.getAttribute("class") ?? "") + " " + n.data.trim().slice(0, 30) + " " + ratio.toFixed(2));
  }
  return bad.join("\n");
})()`

// names returns what a screen reader could not name.
const names = `(() => {
  const bad = [];
  if (document.documentElement.lang !== "en") bad.push("no language");
  if (document.querySelectorAll("h1").length !== 1) bad.push("not one h1");
  for (const e of document.querySelectorAll("button, a, summary")) if (!e.hidden && !e.textContent.trim()) bad.push("no text: " + e.outerHTML);
  for (const e of document.querySelectorAll("input, select")) if (!e.closest("label")?.textContent.trim()) bad.push("no label: " + e.outerHTML);
  for (const e of document.querySelectorAll("svg")) {
    if (e.getAttribute("aria-hidden") === "true") continue;
    if (!document.getElementById(e.getAttribute("aria-labelledby"))?.textContent) bad.push("no name: " + e.outerHTML.slice(0, 80));
  }
  for (const e of document.querySelectorAll("table")) if (!e.caption?.textContent) bad.push("no caption: " + e.textContent.slice(0, 80));
  for (const e of document.querySelectorAll("th")) if (!e.scope) bad.push("no scope: " + e.textContent);
  return bad.join("\n");
})()`

// TestReadable wants no horizontal scrolling at any width, text with contrast in the light and in
// the dark, and names for everything.
func TestReadable(t *testing.T) {
	s := startStack(t, config)
	s.load(t, "/openrtb2/auction", "--rate", "100", "--defects", "30%")
	s.load(t, "/exchange-a", "--rate", "20", "--seed", "5")
	b := open(t, "http://"+s.page+"/", 360, "light")
	b.await(t, `document.querySelectorAll("#rejects details").length >= 5 && document.querySelectorAll("#partners tr").length > 1`)
	backgrounds := map[string]string{}
	for _, width := range []int64{320, 360, 390, 768, 1400, 2560} {
		for _, scheme := range []string{"light", "dark"} {
			b.look(t, width, scheme)
			b.await(t, fmt.Sprintf(`innerWidth === %d && matchMedia("(prefers-color-scheme: %s)").matches`, width, scheme))
			ask[bool](t, b, `([...document.querySelectorAll("details")].slice(0, 3).forEach((d) => { d.open = true; }), true)`)
			if got := ask[int64](t, b, `document.documentElement.scrollWidth`); got > width {
				t.Errorf("%d wide, %s: the page is %d wide", width, scheme, got)
			}
			if bad := ask[string](t, b, contrast); bad != "" {
				t.Errorf("%d wide, %s: low contrast:\n%s", width, scheme, bad)
			}
			if cut := ask[string](t, b, cutOff); cut != "" {
				t.Errorf("%d wide, %s: cut off:\n%s", width, scheme, cut)
			}
			backgrounds[scheme] = ask[string](t, b, `getComputedStyle(document.body).backgroundColor`)
		}
	}
	if backgrounds["light"] == backgrounds["dark"] {
		t.Errorf("the same in the dark: %v", backgrounds)
	}
	if bad := ask[string](t, b, names); bad != "" {
		t.Error(bad)
	}

	// With the keyboard alone: from the link that skips the head on, to a plot, along it, and out.
	b.look(t, 1400, "light")
	ask[bool](t, b, `(document.activeElement.blur(), true)`)
	b.press(t, kb.Tab)
	b.await(t, `document.activeElement.className === "skip"`)
	for range 20 {
		b.press(t, kb.Tab)
		if ask[bool](t, b, `document.activeElement.getAttribute("role") === "img"`) {
			break
		}
	}
	b.await(t, number("Forwarded")+` > 0`) // what has not happened in this time is not said
	b.press(t, kb.ArrowLeft)
	b.press(t, kb.ArrowLeft)
	b.await(t, `/^Requests at [0-9:]+: forwarded /.test(document.getElementById("spoken").textContent)`)
	b.await(t, `document.querySelectorAll(".cursor[visibility=visible]").length === document.querySelectorAll("figure").length`)
	b.press(t, kb.Escape)
	b.await(t, `document.querySelector(".cursor[visibility=visible]") === null`)
	b.check(t, s.page)
}

// hostile are texts that would do something if they were more than text. Neither the first nor the
// last ones are always shown: a second has at most 20 refusals, and so has the page.
var hostile = []string{
	`</script><script>window.pwned=1</script>`,
	`"><svg onload=window.pwned=1>`,
	`<img src=x onerror="window.pwned=1">`,
	`javascript:window.pwned=1`,
	"\u202eabc\u200f\u2066",
	`'"` + "`" + `${window.pwned=1}{{7*7}}&lt;b&gt;`,
	`__proto__`,
	strings.Repeat("<b>long", 1500),
}

// TestHostile sends texts that are made for pages like this, as names, values, ids and headers.
func TestHostile(t *testing.T) {
	for _, full := range []bool{false, true} {
		t.Run(fmt.Sprintf("full %v", full), func(t *testing.T) {
			s := startStack(t, fmt.Sprintf("%sgateway: {operators: {full_rejects: %v}, metrics: {publishers: 10}}\n", config, full))
			b := open(t, "http://"+s.page+"/", 1400, "light")
			b.await(t, state+` === "live"`)
			before := ask[string](t, b, `JSON.stringify([document.scripts.length, document.images.length, document.querySelectorAll("iframe, object, embed, b:not(.legend b)").length])`)
			for _, text := range hostile {
				send(t, s, text)
			}
			b.await(t, `document.querySelectorAll("#rejects details").length >= 10`)
			ask[bool](t, b, `([...document.querySelectorAll("#rejects .more")].forEach((m) => m.click()), [...document.querySelectorAll("details")].forEach((d) => { d.open = true; }), true)`)
			shown := ask[string](t, b, `document.getElementById("rejects").textContent`)
			if strings.Contains(shown, "window.pwned") != full || strings.Contains(shown, "<img src=x") != full {
				t.Errorf("full %v, and the page shows:\n%.3000s", full, shown)
			}
			if strings.ContainsAny(shown, "\u202e\u200f\u2066") {
				t.Error("marks that turn text are on the page")
			}
			if full && !strings.Contains(shown, `\u202e`) {
				t.Error("marks that turn text are not shown as what they are")
			}
			if got := ask[int64](t, b, `document.documentElement.scrollWidth`); got > 1400 {
				t.Errorf("the page is %d wide", got)
			}
			if after := ask[string](t, b, `JSON.stringify([document.scripts.length, document.images.length, document.querySelectorAll("iframe, object, embed, b:not(.legend b)").length])`); after != before {
				t.Errorf("elements: %s, before %s", after, before)
			}
			if ask[bool](t, b, `"pwned" in window || "pwned" in {}`) {
				t.Error("something ran")
			}
			b.check(t, s.page)
		})
	}
}

// send sends requests with a text in several places. All of them are refused.
func send(t *testing.T, s *stack, text string) {
	t.Helper()
	quoted := fmt.Sprintf("%q", text)
	quoted = strings.ReplaceAll(strings.ReplaceAll(quoted, `\u202e`, "\u202e"), "`", "\\u0060")
	for _, body := range []string{
		fmt.Sprintf(`{"id":%s,"imp":%s}`, quoted, quoted),
		fmt.Sprintf(`{"id":"1","imp":[{"id":"1","banner":{"w":1,"h":1}}],"ext":{%s:1,%s:2}}`, quoted, quoted),
		text,
	} {
		r, err := http.NewRequest(http.MethodPost, "http://"+s.bids+"/openrtb2/auction", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		if id := strings.ReplaceAll(text, " ", "/"); len(id) <= 128 && !strings.ContainsFunc(id, func(c rune) bool { return c > '~' }) {
			r.Header.Set("X-Request-Id", id)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if resp.StatusCode == http.StatusOK {
			t.Errorf("%.100s was forwarded", body)
		}
	}
}

// TestToken opens the page of a port that takes a token, as somebody does who types it.
func TestToken(t *testing.T) {
	const token = "browser-token-0123"
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(token), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startStack(t, config, "--admin-token-file", file)
	b := open(t, "http://me:"+token+"@"+s.page+"/", 1400, "light")
	b.await(t, state+` === "live"`)
	if err := os.WriteFile(file, []byte("another-token-0123"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.await(t, state+` === "lost"`)
	b.await(t, `document.getElementById("banners").textContent.includes("a token is missing or wrong")`)
	b.visit(t, "http://me:another-token-0123@"+s.page+"/") // the browser has forgotten the first one
	b.await(t, state+` === "live"`)
	b.check(t, s.page, "401")
}

// TestStopping shows that the gateway stops, while it does.
func TestStopping(t *testing.T) {
	s := startStack(t, config, "--drain-delay", "30s")
	b := open(t, "http://"+s.page+"/", 1400, "dark")
	b.await(t, state+` === "live"`)
	if err := s.gateway.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	b.await(t, state+` === "stopping"`)
	b.check(t, s.page)
}
