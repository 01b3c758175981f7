package useragent

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/openrtb"
)

// User agents that many cases have.
const (
	uaPixel    = "Mozilla/5.0 (Linux; Android 13; Pixel 7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Mobile Safari/537.36"
	uaGalaxy   = "Mozilla/5.0 (Linux; Android 8.0.0; SM-G960F Build/R16NW; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/113.0.5672.162 Mobile Safari/537.36"
	uaReduced  = "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36"
	uaOppo     = "Mozilla/5.0 (Linux; Android 12; CPH2219) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/116.0.0.0 Mobile Safari/537.36"
	uaFireTV   = "Mozilla/5.0 (Linux; Android 9; AFTS Build/PS7633; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/102.0.5005.125 Mobile Safari/537.36"
	uaIPhone   = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1"
	uaIPhone26 = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1"
	uaIPad     = "Mozilla/5.0 (iPad; CPU OS 15_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/15.6 Mobile/15E148 Safari/604.1"
	uaMacOrPad = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15"
	uaMac      = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/134.0.0.0 Safari/537.36"
	uaWindows  = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/135.0.0.0 Safari/537.36"
	uaFirefox  = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:132.0) Gecko/20100101 Firefox/132.0"
	uaLinux    = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36"
	uaHeadless = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/120.0.0.0 Safari/537.36"
	uaTizen    = "Mozilla/5.0 (SMART-TV; LINUX; Tizen 4.0) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 TV Safari/537.36"
	uaWebOS    = "Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/79.0.3945.79 Safari/537.36 WebAppManager"
	uaRoku     = "Roku/DVP-14.5 (14.5.4.5934-46)"
	uaAppleTV  = "AppleCoreMedia/1.0.0.21K69 (Apple TV; U; CPU OS 17_0 like Mac OS X; en_us)"
	uaPS       = "Mozilla/5.0 (PlayStation; PlayStation 5/7.61) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.0 Safari/605.1.15"
	uaXbox     = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; Xbox; Xbox One) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/48.0.2564.82 Safari/537.36 Edge/20.02"
	uaCrOS     = "Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36"
	uaApp      = "MyApp/1 CFNetwork/1494.0.7 Darwin/23.4.0"
)

type device = openrtb.Device

func hints(s openrtb.UserAgent) device { return device{SUA: &s} }

func platform(brand string, version ...string) *openrtb.BrandVersion {
	return &openrtb.BrandVersion{Brand: brand, Version: version}
}

func ofType(t adcom.DeviceType) device { return device{DeviceType: &t} }

// compareCases are devices with the user agents that they contradict, and with those that only look
// as if they did.
var compareCases = []struct {
	why    string
	device device
	want   Contradictions
	uas    []string
}{
	{"spellings of Android", device{OS: "AndroidOS"}, ContradictsOS, []string{uaIPhone, uaIPad, uaMac, uaMacOrPad, uaWindows, uaTizen, uaRoku, uaApp}},
	{"tablets ask for desktop pages", device{OS: "android"}, 0, []string{uaPixel, uaFireTV, uaReduced, uaLinux, uaCrOS}},
	{"iOS on an iPad", device{OS: "iOS"}, 0, []string{uaIPhone, uaIPad, uaMacOrPad, uaAppleTV, uaApp}},
	{"iOS with another system", device{OS: "iPhone OS"}, ContradictsOS, []string{uaPixel, uaWindows, uaMac, uaLinux, uaFirefox, uaCrOS, uaTizen}},
	{"Macs run apps of iPads", device{OS: "macOS"}, 0, []string{uaMac, uaMacOrPad, uaIPad, uaApp}},
	{"macOS with another system", device{OS: "Mac OS X"}, ContradictsOS, []string{uaIPhone, uaPixel, uaWindows, uaLinux}},
	{"Windows", device{OS: "Windows"}, 0, []string{uaWindows, uaXbox, uaFirefox}},
	{"Windows with another system", device{OS: "WINDOWS"}, ContradictsOS, []string{uaPixel, uaIPhone, uaMac, uaLinux, uaRoku}},
	{"Linux is in everything", device{OS: "Linux"}, 0, []string{uaPixel, uaFireTV, uaTizen, uaWebOS, uaRoku, uaPS, uaCrOS, uaLinux}},
	{"Linux with another system", device{OS: "linux"}, ContradictsOS, []string{uaWindows, uaIPhone, uaMac}},
	{"Fire OS is Android", device{OS: "Fire OS"}, 0, []string{uaFireTV, uaPixel}},
	{"televisions", device{OS: "Roku"}, ContradictsOS, []string{uaTizen, uaWebOS, uaFireTV, uaAppleTV, uaPS}},
	{"unknown systems", device{OS: "test-device-os"}, 0, []string{uaPixel, uaIPhone, uaWindows, uaTizen}},
	{"no system claimed", device{OS: "iOS", OSV: "3", Make: "Samsung", Model: "SM-G960F"}, 0, []string{"", "curl/8.4.0", "okhttp/4.9.3", "test-ua"}},

	{"the version", device{OS: "Android", OSV: "13"}, 0, []string{uaPixel}},
	{"an update since the app started", device{OS: "Android", OSV: "14.0"}, 0, []string{uaPixel}},
	{"API levels", device{OS: "Android", OSV: "33"}, 0, []string{uaPixel}},
	{"names in the version", device{OS: "Android", OSV: "Android 13"}, 0, []string{uaPixel}},
	{"another version", device{OS: "Android", OSV: "9.0"}, ContradictsOSVersion, []string{uaPixel, uaOppo}},
	{"another API level", device{OS: "Android", OSV: "21"}, ContradictsOSVersion, []string{uaPixel}},
	{"frozen versions", device{OS: "Android", OSV: "15"}, 0, []string{uaReduced}},
	{"no version", device{OS: "Android", OSV: "unknown"}, 0, []string{uaPixel, uaGalaxy}},
	{"the system is off, not its version", device{OS: "Android", OSV: "4"}, ContradictsOS, []string{uaIPhone}},
	{"frozen iOS", device{OS: "iOS", OSV: "26.1"}, 0, []string{uaIPhone26}},
	{"another iOS", device{OS: "iOS", OSV: "14.4"}, ContradictsOSVersion, []string{uaIPhone}},
	{"versions of Windows are frozen", device{OS: "Windows", OSV: "7"}, 0, []string{uaWindows}},
	{"Fire OS counts by itself", device{OS: "Fire OS", OSV: "7.6.3.3"}, 0, []string{uaFireTV}},

	{"makers", device{Make: "Apple"}, ContradictsMake, []string{uaPixel, uaGalaxy, uaFireTV, uaTizen, uaWebOS, uaRoku, uaPS, uaXbox}},
	{"makers with Windows and Linux", device{Make: "Apple"}, 0, []string{uaIPhone, uaMac, uaWindows, uaLinux}},
	{"not Apple", device{Make: "samsung"}, ContradictsMake, []string{uaIPhone, uaIPad, uaMac, uaPixel, uaAppleTV, uaApp, uaFireTV}},
	{"Samsung's own", device{Make: "SAMSUNG"}, 0, []string{uaGalaxy, uaReduced, uaTizen, uaMacOrPad}},
	{"a maker with Samsung's model", device{Make: "Xiaomi"}, ContradictsMake, []string{uaGalaxy, uaPixel, uaIPhone}},
	{"consoles", device{Make: "Microsoft"}, ContradictsMake, []string{uaPS}},
	{"other consoles", device{Make: "Sony"}, ContradictsMake, []string{uaXbox}},
	{"Amazon's devices", device{Make: "Amazon"}, ContradictsMake, []string{uaRoku, uaIPhone}},
	{"Roku's makers", device{Make: "TCL"}, 0, []string{uaRoku, uaReduced}},
	{"unknown makers", device{Make: "Generic"}, 0, []string{uaIPhone, uaGalaxy, uaPixel}},

	{"iPhones", device{Model: "iPhone14,5"}, ContradictsModel, []string{uaPixel, uaReduced, uaWindows, uaMac, uaIPad}},
	{"iPhones by themselves", device{Model: "iPhone"}, 0, []string{uaIPhone, uaMacOrPad, uaLinux}},
	{"apps for iPhones run on iPads", device{Model: "iPad13,1"}, 0, []string{uaIPhone, uaIPad, uaMacOrPad}},
	{"iPads", device{Model: "iPad"}, ContradictsModel, []string{uaPixel, uaReduced}},
	{"Samsung", device{Model: "SM-G960U1"}, 0, []string{uaGalaxy, uaReduced, uaPixel, uaMacOrPad}},
	{"another Samsung", device{Model: "SM-S918B"}, ContradictsModel, []string{uaGalaxy, uaIPhone, uaMac}},
	{"names for the market", device{Model: "Galaxy S9"}, 0, []string{uaGalaxy, uaPixel}},
	{"Pixels", device{Model: "Pixel 7 Pro"}, 0, []string{uaPixel, uaReduced}},
	{"another Pixel", device{Model: "Pixel 8"}, ContradictsModel, []string{uaPixel, uaIPhone}},
	{"Pixelbooks are not phones", device{Model: "Pixelbook Go"}, 0, []string{uaPixel, uaIPhone}},
	{"Oppo", device{Model: "CPH2219"}, 0, []string{uaOppo}},
	{"another Oppo", device{Model: "CPH2387"}, ContradictsModel, []string{uaOppo}},
	{"Realme", device{Model: "RMX3085"}, ContradictsModel, []string{uaIPhone, strings.Replace(uaOppo, "CPH2219", "RMX2185", 1)}},
	{"the letter for every model", device{Model: "K"}, 0, []string{uaPixel, uaGalaxy}},
	{"a folding Pixel", device{Model: "Pixel Fold"}, ContradictsModel, []string{uaIPhone}},

	{"phones", ofType(adcom.DeviceTypePhone), 0, []string{uaPixel, uaReduced, uaIPhone, uaIPad, uaMacOrPad, uaLinux, uaFireTV}},
	{"no phones", ofType(adcom.DeviceTypePhone), ContradictsDeviceType, []string{uaWindows, uaMac, uaRoku, uaTizen, uaWebOS, uaPS, uaXbox}},
	{"tablets", ofType(adcom.DeviceTypeTablet), 0, []string{uaPixel, uaIPad, uaWindows, uaLinux, uaMacOrPad, uaCrOS}},
	{"no tablets", ofType(adcom.DeviceTypeMobileOrTablet), ContradictsDeviceType, []string{uaMac, uaRoku, uaXbox}},
	{"computers", ofType(adcom.DeviceTypePC), 0, []string{uaWindows, uaMac, uaLinux, uaCrOS, uaIPad, uaReduced, uaXbox}},
	{"no computers", ofType(adcom.DeviceTypePC), ContradictsDeviceType, []string{uaPixel, uaIPhone, uaRoku, uaTizen, uaAppleTV}},
	{"televisions", ofType(adcom.DeviceTypeConnectedTV), 0, []string{uaFireTV, uaRoku, uaTizen, uaLinux, uaReduced, uaPS, uaXbox, uaAppleTV}},
	{"no televisions", ofType(adcom.DeviceTypeSetTopBox), ContradictsDeviceType, []string{uaPixel, uaGalaxy, uaIPhone, uaIPad, uaWindows, uaMac}},
	{"connected devices are anything", ofType(adcom.DeviceTypeConnectedDevice), 0, []string{uaPixel, uaIPhone, uaWindows}},
	{"screens outside are anything", ofType(adcom.DeviceTypeOOH), 0, []string{uaPixel, uaIPad, uaWindows}},

	{"hints of a system", hints(openrtb.UserAgent{Platform: platform("Windows")}), ContradictsHintOS, []string{uaPixel, uaIPhone, uaMac, uaLinux}},
	{"hints from the user agent", hints(openrtb.UserAgent{Platform: platform("Windows"), Source: new(adcom.UserAgentSourceHeader)}), 0, []string{uaPixel}},
	{"hints of a version", hints(openrtb.UserAgent{Platform: platform("Android", "9", "0", "0")}), ContradictsHintVersion, []string{uaPixel}},
	{"hints of the version", hints(openrtb.UserAgent{Platform: platform("Android", "13")}), 0, []string{uaPixel, uaReduced, uaFireTV}},
	{"hints of a version of macOS", hints(openrtb.UserAgent{Platform: platform("macOS", "12", "3", "1")}), 0, []string{uaMac}},
	{"hints of a browser", hints(openrtb.UserAgent{Browsers: []openrtb.BrandVersion{
		{Brand: "Not:A-Brand", Version: []string{"24"}}, {Brand: "Chromium", Version: []string{"134", "0"}}, {Brand: "Opera", Version: []string{"119"}},
	}}), 0, []string{uaMac, uaWindows}},
	{"hints of another browser", hints(openrtb.UserAgent{Browsers: []openrtb.BrandVersion{{Brand: "Google Chrome", Version: []string{"120"}}}}),
		ContradictsHintBrowser, []string{uaWindows, uaPixel, uaFirefox, uaIPhone, uaMacOrPad}},
	{"hints without a version", hints(openrtb.UserAgent{Browsers: []openrtb.BrandVersion{{Brand: "Chromium"}, {Brand: "Google Chrome", Version: []string{""}}}}),
		0, []string{uaWindows, uaTizen, uaWebOS}},
	{"hints of a browser without a screen", hints(openrtb.UserAgent{Browsers: []openrtb.BrandVersion{{Brand: "HeadlessChrome", Version: []string{"120"}}}}),
		ContradictsHintBrowser, []string{uaWindows, uaPixel}},
	{"hints of that browser", hints(openrtb.UserAgent{Browsers: []openrtb.BrandVersion{{Brand: "HeadlessChrome", Version: []string{"120"}}}}), 0, []string{uaHeadless}},
	{"hints of a phone", hints(openrtb.UserAgent{Mobile: new(1)}), ContradictsHintMobile, []string{uaWindows, uaMac}},
	{"hints of a phone that may be one", hints(openrtb.UserAgent{Mobile: new(1)}), 0, []string{uaPixel, uaIPhone, uaMacOrPad, uaLinux}},
	{"hints of a computer", hints(openrtb.UserAgent{Mobile: new(0)}), ContradictsHintMobile, []string{uaPixel, uaReduced}},
	{"hints of a computer that may be one", hints(openrtb.UserAgent{Mobile: new(0)}), 0, []string{uaIPhone, uaWindows, uaFireTV, uaGalaxy, uaLinux}},
	{"hints of a strange number", hints(openrtb.UserAgent{Mobile: new(7)}), 0, []string{uaPixel, uaWindows}},
	{"hints of a model", hints(openrtb.UserAgent{Model: "SM-S918B"}), ContradictsHintModel, []string{uaPixel, uaGalaxy}},
	{"hints of the model", hints(openrtb.UserAgent{Model: "pixel 7"}), 0, []string{uaPixel, uaReduced, uaIPhone, uaWindows}},
}

func TestCompare(t *testing.T) {
	seen := Contradictions(0)
	for _, test := range compareCases {
		for _, ua := range test.uas {
			d := test.device
			d.UA = ua
			c := Parse(ua)
			got := Compare(&c, &d)
			seen |= got
			if got != test.want {
				t.Errorf("%s: %q contradicts %q, want %q", test.why, ua, got, test.want)
			}
		}
	}
	if seen != AllContradictions {
		t.Errorf("no case has %v", AllContradictions&^seen)
	}
}

// TestCompareTogether wants contradictions to be reported together.
func TestCompareTogether(t *testing.T) {
	d := device{
		UA: uaPixel, OS: "iOS", Make: "Apple", Model: "iPhone", DeviceType: new(adcom.DeviceTypeConnectedTV),
		SUA: &openrtb.UserAgent{
			Platform: platform("Windows"), Mobile: new(0), Model: "x",
			Browsers: []openrtb.BrandVersion{{Brand: "Chromium", Version: []string{"99"}}},
		},
	}
	c := Parse(d.UA)
	got := Compare(&c, &d)
	want := AllContradictions &^ (ContradictsOSVersion | ContradictsHintVersion)
	if got != want {
		t.Errorf("%v, want %v", got, want)
	}
	if got, want := got.String(), "os,make,model,devicetype,sua.platform.brand,sua.browsers,sua.mobile,sua.model"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// corpusContradictions is how many requests of the corpus have each contradiction. All of them were
// read: they are tests of exchanges' adapters that put a user agent beside another device.
var corpusContradictions = map[string]int{
	"os: Macintosh, android":       1,
	"os: Macintosh, ios":           1,
	"os: Windows, android":         2,
	"model: Windows, iPhone":       3,
	"devicetype: Macintosh, phone": 12,
}

func TestCompareCorpus(t *testing.T) {
	got := map[string]int{}
	for _, d := range devices(t) {
		c := Parse(d.UA)
		found := Compare(&c, d)
		if found == 0 {
			continue
		}
		_, system, _ := strings.Cut(d.UA, "(")
		system, _, _ = strings.Cut(system, ";")
		system, _, _ = strings.Cut(system, " ")
		other := d.OS
		switch found {
		case ContradictsModel:
			other = d.Model
		case ContradictsDeviceType:
			other = d.DeviceType.String()
		}
		got[fmt.Sprintf("%v: %s, %s", found, system, other)]++
	}
	if !maps.Equal(got, corpusContradictions) {
		t.Errorf("got  %v\nwant %v", got, corpusContradictions)
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string]OS{
		"iOS": IOS, "ANDROID": Android, "Mac OS": MacOS, "mac os x": MacOS, "tvos": TvOS, "ChromeOS": ChromeOS, "": 0, "x": 0,
		"an operating system": 0, "macos ": 0, "androi": 0, "windows 10": Windows, "Windows NT": Windows,
	} {
		if got := systems.of(name); got != want {
			t.Errorf("%q is %v, want %v", name, got, want)
		}
	}
	for _, name := range []string{"iOS", "Android", "android", "Windows", "macOS"} {
		if systemOf(name) != systems.of(name) {
			t.Errorf("%q has two meanings", name)
		}
	}
	for _, name := range []string{"Apple", "Samsung", "samsung", "Google"} {
		if makerOf(name) != makers.of(name) {
			t.Errorf("%q has two meanings", name)
		}
	}
	if makers.of("Apple Inc.") != apple || makers.of("LGE") != otherMaker || brands.of("chromium") != chromiumBrand {
		t.Error("makers or brands are not known")
	}
	for _, list := range [][]string{namesOf(systemNames), namesOf(makerNames), namesOf(brandNames)} {
		slices.Sort(list)
		for i, name := range list {
			if len(name) > nameLongest || name != strings.ToLower(name) || i > 0 && list[i-1] == name {
				t.Errorf("the name %q comes twice, has capitals or more than %d bytes", name, nameLongest)
			}
		}
	}
}

// namesOf returns all names of lists.
func namesOf[V comparable](lists map[V]string) (all []string) {
	for _, list := range lists {
		all = append(all, strings.Split(list, ",")...)
	}
	return all
}

func TestFirstNumber(t *testing.T) {
	for s, want := range map[string]int16{"13": 13, "Android 9.1": 9, "": -1, "x": -1, "99999999999": versionMax, "0": 0} {
		if got := firstNumber(s); got != want {
			t.Errorf("%q has the number %d, want %d", s, got, want)
		}
	}
}

func TestStrings(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{fmt.Sprint(OS(200), Form(200), Browser(200), Client(200)), "unknown unknown unknown none"},
		{(ImpossibleOS | TooLong).String(), "impossible-os,too-long"},
		{Contradictions(0).String(), ""},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
	if len(faultNames) != 6 || AllContradictions>>len(contradictionNames) != 0 {
		t.Error("a fault or a contradiction has no name")
	}
}

func FuzzCompare(f *testing.F) {
	for _, test := range compareCases {
		d := test.device
		f.Add(test.uas[0], d.OS, d.OSV, d.Make, d.Model, 3)
	}
	f.Fuzz(func(t *testing.T, ua, os, osv, maker, model string, deviceType int) {
		c := Parse(ua)
		d := device{OS: os, OSV: osv, Make: maker, Model: model, DeviceType: new(adcom.DeviceType(deviceType))}
		d.SUA = &openrtb.UserAgent{Platform: platform(os, osv), Model: model, Browsers: []openrtb.BrandVersion{{Brand: os, Version: []string{osv}}}}
		got := Compare(&c, &d)
		if got&^AllContradictions != 0 || c.OS == OSUnknown && got != 0 {
			t.Errorf("%v", got)
		}
		if (got&ContradictsOS != 0) != (got&ContradictsHintOS != 0) {
			t.Errorf("os and sua differ: %v", got)
		}
	})
}
