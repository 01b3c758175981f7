package browser

import (
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
		b.save(t, filepath.Join(folder, name+".webp"))
	}
}

// save takes a picture of the whole page.
func (b *tab) save(t *testing.T, name string) {
	t.Helper()
	size := ask[[2]float64](t, b, `[document.documentElement.scrollWidth, document.documentElement.scrollHeight]`)
	beyond, quality := true, int64(80)
	picture := call(t, b, page.CaptureScreenshot, page.CaptureScreenshotParams{
		Format: page.CaptureScreenshotFormatWebp, Quality: &quality, CaptureBeyondViewport: &beyond,
		Clip: &page.Viewport{Width: size[0], Height: size[1], Scale: 1},
	})
	if err := os.WriteFile(name, picture.Data, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %v, %d bytes", name, size, len(picture.Data))
}
