package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
)

// TestScreenshot takes the pictures for the documentation: a gateway and a stream with some minutes
// of traffic, down to the reasons.
func TestScreenshot(t *testing.T) {
	folder := os.Getenv("RTBWIRE_SCREENSHOTS")
	if folder == "" {
		t.Skip("RTBWIRE_SCREENSHOTS is not set; make verify STEPS=screenshot sets it")
	}
	gateway := startStates(t)
	gateway.traffic(t)
	gateway.load(t, "/exchange-b", "--rate", "30", "--seed", "10")
	stream := startStreamStates(t)
	time.Sleep(70 * time.Second) // the axis is a minute at least
	for name, address := range map[string]string{"gateway": gateway.page, "stream": stream.address} {
		b := open(t, "http://"+address+"/", 1280, "light")
		b.await(t, `document.querySelectorAll("#rejects details").length >= 5`)
		if name == "gateway" {
			ask[bool](t, b, `(document.querySelector("[data-open='exchange-new']").click(), true)`)
			b.await(t, `(document.querySelector("tr.detail")?.textContent ?? "").includes("policy.expensive")`)
		}
		b.save(t, filepath.Join(folder, name+".webp"), `document.getElementById("reasons").parentElement.getBoundingClientRect().bottom + scrollY + 12`)
	}
}

// picture takes a picture of the whole page, if RTBWIRE_PICTURES names a folder for them.
func (b *tab) picture(t *testing.T, name string) {
	t.Helper()
	if folder := os.Getenv("RTBWIRE_PICTURES"); folder != "" {
		b.save(t, filepath.Join(folder, name+".png"), `document.documentElement.scrollHeight`)
	}
}

// pictures takes pictures of the page on a desk and in a hand, in the light and in the dark, and
// wants all of them to be readable.
func (b *tab) pictures(t *testing.T, name string) {
	t.Helper()
	b.eachLook(t, func(width int64, scheme string) {
		b.readable(t, name, width, scheme)
		time.Sleep(1500 * time.Millisecond) // plots are drawn again for the width
		b.picture(t, fmt.Sprintf("%s-%d-%s", name, width, scheme))
	})
}

// eachLook calls a function on a desk and in a hand, in the light and in the dark.
func (b *tab) eachLook(t *testing.T, do func(width int64, scheme string)) {
	t.Helper()
	for _, width := range []int64{1280, 390} {
		for _, scheme := range []string{"light", "dark"} {
			b.look(t, width, scheme)
			b.await(t, fmt.Sprintf(`innerWidth === %d && matchMedia("(prefers-color-scheme: %s)").matches`, width, scheme))
			do(width, scheme)
		}
	}
	b.look(t, 1280, "light")
}

// readable wants nothing to scroll sideways, to be cut off, or to have a low contrast.
func (b *tab) readable(t *testing.T, name string, width int64, scheme string) {
	t.Helper()
	if got := ask[int64](t, b, `document.documentElement.scrollWidth`); got > width {
		t.Errorf("%s: %d wide, the page is %d wide", name, width, got)
	}
	if bad := ask[string](t, b, contrast); bad != "" {
		t.Errorf("%s: %d wide, %s: low contrast:\n%s", name, width, scheme, bad)
	}
	if cut := ask[string](t, b, cutOff); cut != "" {
		t.Errorf("%s: %d wide, %s: cut off:\n%s", name, width, scheme, cut)
	}
}

// cutOff returns names, states and numbers of the head and of tiles that don't fit where they are.
const cutOff = `[...document.querySelectorAll("h1, #state, .where, .card dt, .card .value")].filter((e) => {
  const r = e.getBoundingClientRect();
  return e.textContent && (e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== "inline" || r.left < 0 || r.right > innerWidth || r.width === 0);
}).map((e) => e.tagName + " " + e.textContent).join("\n")`

// save takes a picture of the page, down to a height, which is an expression.
func (b *tab) save(t *testing.T, name, height string) {
	t.Helper()
	size := ask[[2]float64](t, b, `[document.documentElement.scrollWidth, `+height+`]`)
	beyond, quality := true, int64(80)
	params := page.CaptureScreenshotParams{
		Format: page.CaptureScreenshotFormatWebp, Quality: &quality, CaptureBeyondViewport: &beyond,
		Clip: &page.Viewport{Width: size[0], Height: size[1], Scale: 1},
	}
	if filepath.Ext(name) == ".png" {
		params.Format, params.Quality = page.CaptureScreenshotFormatPng, nil
	}
	picture := call(t, b, page.CaptureScreenshot, params)
	if err := os.WriteFile(name, picture.Data, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %v, %d bytes", name, size, len(picture.Data))
}
