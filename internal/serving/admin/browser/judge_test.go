package browser

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// judged is a configuration whose verdicts have findings, a score, edits and a shadow, and that
// enforces nothing for a partner.
const judged = `version: 1
rules:
  - {name: expensive, when: "imp.exists(i, i.bidfloor > 20.0)", severity: refuse, nbr: 7}
  - {name: watched, when: site.domain == "watched.example", severity: refuse, shadow: true}
scrub:
  - {name: children, when: regs.coppa == 1, remove: [/device/ifa], truncate: [/device/ip]}
partners:
  exchange-a: {match: {from: [127.0.0.0/8], path: /exchange-a}, severities: {policy.expensive: warn}}
  exchange-b: {match: {from: [127.0.0.0/8], path: /exchange-b}, enforce: 0%}
`

// pasted is a request for it, with a character of two bytes before the places.
const pasted = `{"id":"ä","imp":[{"id":"1","bidfloor":21,"banner":{"w":300,"h":250}},{"banner":{"w":1,"h":1}}],` +
	`"site":{"id":"s","domain":"watched.example"},"device":{"ifa":"6f1a2b3c-secret","ip":"10.0.0.129","ua":"<img src=x onerror='window.pwned=1'>"},"regs":{"coppa":1}}`

// paste fills in the box and asks for the verdict.
func (b *tab) paste(t *testing.T, text, partner string) {
	t.Helper()
	b.await(t, `!document.querySelector("#judge button").disabled`) // the answer before
	ask[bool](t, b, fmt.Sprintf(`(() => {
	  const box = document.getElementById("judge");
	  box.querySelector("textarea").value = %q;
	  box.querySelector("select").value = %q;
	  box.querySelector("button").click();
	  return true;
	})()`, text, partner))
}

// checkJudge pastes requests and reads what the page says of them.
func checkJudge(t *testing.T, b *tab) {
	t.Helper()
	const verdict = `document.querySelector("#judge .verdict").textContent`
	b.paste(t, pasted, "")
	b.await(t, verdict+`.startsWith("refuse · ")`)
	b.await(t, `[...document.querySelectorAll("#judge .findings code")].some((c) => c.textContent === "policy.expensive")`)
	// A mark is at the value that lacks an id, and has the number of the finding.
	b.await(t, `[...document.querySelectorAll("#judge mark.refuse")].some((m) => m.textContent.startsWith("{") && /^[0-9]/.test(m.querySelector("sup").textContent))`)
	b.await(t, `[...document.querySelectorAll("#judge td code")].some((c) => c.textContent === "address.private")`)
	b.await(t, `document.querySelector("#judge .facts").textContent.includes("in shadow")`)
	if got := ask[string](t, b, `[...document.querySelector("#judge .whole").childNodes].map((n) => n.nodeName === "MARK" ? n.firstChild.data : n.data).join("")`); got != pasted {
		t.Errorf("the text became %s", got)
	}

	b.paste(t, pasted, "exchange-b")
	b.await(t, verdict+` === "forward" && [...document.querySelectorAll("#judge .facts")].some((p) => p.textContent.startsWith("If everything was enforced: refuse · "))`)

	good := strings.NewReplacer(`,{"banner":{"w":1,"h":1}}`, "", `"bidfloor":21`, `"bidfloor":1`, `<img src=x onerror='window.pwned=1'>`, "x").Replace(pasted)
	b.paste(t, good, "exchange-a")
	b.await(t, verdict+` === "forward"`)
	b.await(t, `document.querySelector("#judge del")?.textContent.includes("6f1a2b3c-secret")`)
	b.await(t, `[...document.querySelectorAll("#judge ins")].some((i) => i.textContent.includes("10.0.0.0"))`)
	b.paste(t, good, "") // and the same for nobody
	b.await(t, verdict+` === "forward"`)
	b.paste(t, `{"id":`, "")
	b.await(t, verdict+` === "refuse · json.truncated · nbr 2" && document.querySelector("#judge mark.end").firstChild.data === "the text ends here"`)
	b.paste(t, strings.Repeat(" ", 256<<10)+"x", "")
	b.await(t, verdict+`.startsWith("No verdict: the body has 262145 bytes")`)
	if ask[bool](t, b, `"pwned" in window`) {
		t.Error("something ran")
	}
	if ask[bool](t, b, `document.cookie !== "" || localStorage.length + sessionStorage.length > 0`) {
		t.Error("the browser keeps something")
	}
	b.paste(t, pasted, "")
	b.await(t, verdict+`.startsWith("refuse · ")`)
	for _, width := range []int64{390, 1280} {
		for _, scheme := range []string{"light", "dark"} {
			b.look(t, width, scheme)
			b.await(t, fmt.Sprintf(`innerWidth === %d && matchMedia("(prefers-color-scheme: %s)").matches`, width, scheme))
			if got := ask[int64](t, b, `document.documentElement.scrollWidth`); got > width {
				t.Errorf("%d wide, %s: the page is %d wide", width, scheme, got)
			}
			if bad := ask[string](t, b, contrast); bad != "" {
				t.Errorf("%d wide, %s: low contrast:\n%s", width, scheme, bad)
			}
			b.picture(t, fmt.Sprintf("%s-%d-%s", strings.ReplaceAll(t.Name(), "/", "-"), width, scheme))
		}
	}
	if bad := ask[string](t, b, names+`+[...document.querySelectorAll("textarea, select")].filter((e) => !e.closest("label")?.textContent.trim()).map((e) => "no label: " + e.outerHTML).join("\n")`); bad != "" {
		t.Error(bad)
	}
}

// TestJudge pastes requests on the page of a gateway.
func TestJudge(t *testing.T) {
	s := startStack(t, judged)
	b := open(t, "http://"+s.page+"/", 1280, "light")
	b.await(t, state+` === "live" && !document.getElementById("judge-box").hidden`)
	ask[bool](t, b, `(document.querySelector("#judge-box summary").click(), true)`)
	b.await(t, `[...document.querySelectorAll("#judge option")].some((o) => o.value === "exchange-a")`)
	checkJudge(t, b)
	b.check(t, s.page, "413") // of the request that is too long
}

// TestPlayground does the same without a gateway.
func TestPlayground(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rtbwire.yaml")
	if err := os.WriteFile(file, []byte(judged), 0o600); err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := ln.Addr().String()
	ln.Close()
	start(t, "playground", "--listen", address, "--config", file)
	waitFor(t, "the playground", func() bool {
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	b := open(t, "http://"+address+"/", 1280, "light")
	b.await(t, `document.getElementById("where").textContent.endsWith("rtbwire.yaml")`)
	checkJudge(t, b)
	b.check(t, address, "413")
}

// TestOverrides shows what operators have changed, and what becomes of upstreams.
func TestOverrides(t *testing.T) {
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("alice browser-token-0123\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startStack(t, judged, "--upstream", "http://127.0.0.1:9", "--admin-token-file", token)
	ctl := func(args ...string) {
		t.Helper()
		if status := start(t, append([]string{"ctl"}, append(args, "--admin", s.page, "--token-file", token)...)...).end(t); status != 0 {
			t.Fatalf("%v: exit status %d", args, status)
		}
	}
	ctl("block", "domain", "bad.example", "--note", "INC-4711")
	ctl("drain", "upstream", "http://127.0.0.1:9")
	ctl("observe", "partner", "exchange-a", "--for", "24h")
	b := open(t, "http://me:browser-token-0123@"+s.page+"/", 1280, "light")
	b.await(t, state+` === "live"`)
	b.await(t, `document.getElementById("banners").textContent.includes("By operators: 1 blocked, 1 drained, 1 observed.")`)
	b.await(t, `document.getElementById("overrides").textContent.includes("bad.example") && document.getElementById("overrides").textContent.includes("INC-4711")`)
	b.await(t, `document.querySelector("#upstreams .state.drained")?.textContent === "drained"`)
	for _, width := range []int64{390, 1280} {
		for _, scheme := range []string{"light", "dark"} {
			b.look(t, width, scheme)
			b.await(t, fmt.Sprintf(`innerWidth === %d && matchMedia("(prefers-color-scheme: %s)").matches`, width, scheme))
			if got := ask[int64](t, b, `document.documentElement.scrollWidth`); got > width {
				t.Errorf("%d wide, %s: the page is %d wide", width, scheme, got)
			}
			if bad := ask[string](t, b, contrast); bad != "" {
				t.Errorf("%d wide, %s: low contrast:\n%s", width, scheme, bad)
			}
			b.picture(t, fmt.Sprintf("%s-%d-%s", t.Name(), width, scheme))
		}
	}
	ctl("release", "block", "domain", "bad.example")
	ctl("release", "drain", "upstream", "http://127.0.0.1:9")
	ctl("release", "observe", "partner", "exchange-a")
	b.await(t, `document.getElementById("banners").textContent === "" && document.getElementById("overrides-box").hidden`)
	b.check(t, s.page)
}
