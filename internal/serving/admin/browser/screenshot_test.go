package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
)

// TestScreenshot takes the picture for the documentation: a gateway with some minutes of traffic.
func TestScreenshot(t *testing.T) {
	name := os.Getenv("RTBWIRE_SCREENSHOT")
	if name == "" {
		t.Skip("RTBWIRE_SCREENSHOT is not set; make verify STEPS=screenshot sets it")
	}
	s := startStack(t, config+"  exchange-b: {match: {from: [127.0.0.0/8], path: /exchange-b}, limits: {rate: 90}}\n")
	s.load(t, "/openrtb2/auction", "--rate", "220", "--defects", "5%", "--payloads", "2%")
	s.load(t, "/exchange-a", "--rate", "260", "--seed", "5", "--defects", "2%", "--fraud", "3%")
	s.load(t, "/exchange-b", "--rate", "100", "--seed", "9", "--payloads", "1%")
	time.Sleep(70 * time.Second) // the axis is a minute at least
	b := open(t, "http://"+s.page+"/", 1280, "light")
	b.await(t, number("Requests")+` > 100`)
	b.await(t, `document.querySelectorAll("#rejects details").length >= 5`)
	ask[bool](t, b, `([...document.querySelectorAll("#rejects details")].find((d) => d.querySelector("mark:not(.end)")).open = true)`)
	b.save(t, name)
}

// picture takes a picture of the whole page, if RTBWIRE_PICTURES names a folder for them.
func (b *tab) picture(t *testing.T, name string) {
	t.Helper()
	if folder := os.Getenv("RTBWIRE_PICTURES"); folder != "" {
		b.save(t, filepath.Join(folder, name+".png"))
	}
}

// pictures takes pictures of the page on a desk and in a hand, in the light and in the dark, and
// wants none of them to scroll sideways.
func (b *tab) pictures(t *testing.T, name string) {
	t.Helper()
	for _, width := range []int64{1280, 390} {
		for _, scheme := range []string{"light", "dark"} {
			b.look(t, width, scheme)
			b.await(t, fmt.Sprintf(`innerWidth === %d && matchMedia("(prefers-color-scheme: %s)").matches`, width, scheme))
			if got := ask[int64](t, b, `document.documentElement.scrollWidth`); got > width {
				t.Errorf("%s: %d wide, the page is %d wide", name, width, got)
			}
			if bad := ask[string](t, b, contrast); bad != "" {
				t.Errorf("%s: %d wide, %s: low contrast:\n%s", name, width, scheme, bad)
			}
			if cut := ask[string](t, b, cutOff); cut != "" {
				t.Errorf("%s: %d wide, %s: cut off:\n%s", name, width, scheme, cut)
			}
			time.Sleep(1500 * time.Millisecond) // plots are drawn again for the width
			b.picture(t, fmt.Sprintf("%s-%d-%s", name, width, scheme))
		}
	}
	b.look(t, 1280, "light")
}

// cutOff returns names, states and numbers of the head and of tiles that don't fit where they are.
const cutOff = `[...document.querySelectorAll("h1, #state, .where, .card dt, .card .value")].filter((e) => {
  const r = e.getBoundingClientRect();
  return e.textContent && (e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== "inline" || r.left < 0 || r.right > innerWidth || r.width === 0);
}).map((e) => e.tagName + " " + e.textContent).join("\n")`

// save takes a picture of the whole page.
func (b *tab) save(t *testing.T, name string) {
	t.Helper()
	size := ask[[2]float64](t, b, `[document.documentElement.scrollWidth, document.documentElement.scrollHeight]`)
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
