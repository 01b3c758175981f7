package useragent

import (
	"strconv"
	"testing"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/openrtb"
)

var timed = []struct {
	name   string
	device openrtb.Device
}{
	{"chrome", openrtb.Device{
		UA: "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Mobile Safari/537.36",
		OS: "Android", OSV: "14", Make: "Samsung", Model: "SM-S918B", DeviceType: new(adcom.DeviceTypePhone),
	}},
	{"safari", openrtb.Device{
		UA: "Mozilla/5.0 (iPhone; CPU iPhone OS 18_3_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.3.1 Mobile/15E148 Safari/604.1",
		OS: "iOS", OSV: "18.3.2", Make: "Apple", Model: "iPhone14,5", DeviceType: new(adcom.DeviceTypePhone),
	}},
	{"webview", openrtb.Device{
		UA: "Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/UD1A.230803.041; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0.6478.71 Mobile Safari/537.36",
		OS: "android", OSV: "14", Make: "Google", Model: "Pixel 8", DeviceType: new(adcom.DeviceTypePhone),
	}},
	{"desktop", openrtb.Device{
		UA: "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/135.0.0.0 Safari/537.36",
		OS: "Windows", OSV: "10", DeviceType: new(adcom.DeviceTypePC),
		SUA: &openrtb.UserAgent{
			Source: new(adcom.UserAgentSourceLowEntropyHints), Mobile: new(0), Platform: &openrtb.BrandVersion{Brand: "Windows"},
			Browsers: []openrtb.BrandVersion{{Brand: "Google Chrome", Version: []string{"135"}}},
		},
	}},
}

func BenchmarkParse(b *testing.B) {
	for i := range timed {
		d := &timed[i].device
		b.Run(timed[i].name+"-"+strconv.Itoa(len(d.UA)), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if c := Parse(d.UA); c.OS == OSUnknown {
					b.Fatal("nothing claimed")
				}
			}
		})
	}
}

func BenchmarkParseAndCompare(b *testing.B) {
	for i := range timed {
		d := &timed[i].device
		b.Run(timed[i].name+"-"+strconv.Itoa(len(d.UA)), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c := Parse(d.UA)
				if found := Compare(&c, d); found != 0 {
					b.Fatal(found)
				}
			}
		})
	}
}

// TestNoAllocation wants the user agents that are timed, and long ones, to need no memory.
func TestNoAllocation(t *testing.T) {
	long := openrtb.Device{UA: timed[2].device.UA + string(make([]byte, 2*TextMax)), Model: "Pixel 8"}
	devices := []*openrtb.Device{&long}
	for i := range timed {
		devices = append(devices, &timed[i].device)
	}
	for _, d := range devices {
		if n := testing.AllocsPerRun(100, func() {
			c := Parse(d.UA)
			Compare(&c, d)
		}); n != 0 {
			t.Errorf("%.60q: %v allocations", d.UA, n)
		}
	}
}

// BenchmarkCorpus times one device of the corpus, most of which have no user agent worth parsing.
func BenchmarkCorpus(b *testing.B) {
	list := devices(b)
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		d := list[i%len(list)]
		c := Parse(d.UA)
		Compare(&c, d)
		i++
	}
}

// BenchmarkGolden times one user agent of all kinds.
func BenchmarkGolden(b *testing.B) {
	order, _ := golden(b)
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		Parse(order[i%len(order)])
		i++
	}
}
