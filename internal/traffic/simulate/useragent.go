package simulate

import "strconv"

// agent is the kind of program that a request comes from.
type agent uint8

const (
	browser agent = iota
	webView       // a page inside an app
	client        // the app itself: Dalvik, CFNetwork, a player
)

// Versions of browsers that are in use together.
const (
	chromeOldest, chromeNewest   = 138, 144
	firefoxOldest, firefoxNewest = 140, 145
)

// appendUA appends the user agent of a device as its programs write it. Browsers have frozen all of
// it but the version: Chrome says Android 10 and K, Safari on computers macOS 10.15.7.
func appendUA(dst []byte, d *device, kind agent, app *app) []byte {
	m, v := d.model, d.version
	switch m.platform {
	case android:
		return appendAndroidUA(dst, d, kind)
	case ios:
		return appendIOSUA(dst, d, kind, app)
	case windows, mac, linux, chromeOS:
		return appendDesktopUA(dst, d)
	case roku:
		dst = append(append(dst, "Roku/DVP-"...), v.ua...)
		dst = append(append(dst, " ("...), v.detail...)
		return append(dst, ')')
	case tizen:
		dst = append(append(dst, "Mozilla/5.0 (SMART-TV; LINUX; Tizen "...), v.ua...)
		dst = append(append(dst, ") AppleWebKit/537.36 (KHTML, like Gecko) "...), v.detail...)
		return append(dst, " TV Safari/537.36"...)
	case webOS:
		dst = append(append(dst, "Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/"...), v.detail...)
		return append(dst, " Safari/537.36 WebAppManager"...)
	case fireTV:
		return appendAndroidUA(dst, d, client)
	case tvOS:
		dst = append(append(dst, "AppleCoreMedia/1.0.0."...), v.detail...)
		dst = append(append(dst, " (Apple TV; U; CPU OS "...), v.ua...)
		return append(dst, " like Mac OS X; en_us)"...)
	}
	if d.model.make == "BrightSign" {
		dst = append(append(dst, "BrightSign/"...), v.detail...)
		return append(append(append(dst, " ("...), m.model...), ") Mozilla/5.0 (X11; Linux armv7l) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.6099.225 Safari/537.36"...)
	}
	dst = append(append(dst, "Mozilla/5.0 (Linux; Tizen "...), v.detail...)
	return append(dst, "; Signage) AppleWebKit/537.36 (KHTML, like Gecko) 85.0.4183.93/6.5 Safari/537.36"...)
}

func appendAndroidUA(dst []byte, d *device, kind agent) []byte {
	m, v := d.model, d.version
	if kind == client {
		dst = append(append(dst, "Dalvik/2.1.0 (Linux; U; Android "...), v.ua...)
		dst = append(append(dst, "; "...), m.model...)
		return append(append(append(dst, " Build/"...), v.detail...), ')')
	}
	if kind == browser {
		dst = append(dst, "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/"...)
		dst = strconv.AppendInt(dst, int64(d.browser), 10)
		dst = append(dst, ".0.0.0"...)
	} else {
		dst = append(append(dst, "Mozilla/5.0 (Linux; Android "...), v.ua...)
		dst = append(append(dst, "; "...), m.model...)
		dst = append(append(dst, " Build/"...), v.detail...)
		dst = append(dst, "; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/"...)
		dst = strconv.AppendInt(dst, int64(d.browser), 10)
		dst = append(dst, ".0."...)
		dst = strconv.AppendInt(dst, int64(6800+47*(d.browser-chromeOldest)), 10)
		dst = append(dst, '.')
		dst = strconv.AppendInt(dst, int64(60+d.browser%7*13), 10)
	}
	if m.class == phone {
		dst = append(dst, " Mobile"...)
	}
	return append(dst, " Safari/537.36"...)
}

func appendIOSUA(dst []byte, d *device, kind agent, app *app) []byte {
	m, v := d.model, d.version
	if kind == client {
		dst = appendWord(dst, app.nameWords[0])
		dst = appendWord(dst, app.nameWords[1])
		dst = append(dst, '/')
		dst = app.appendVersion(dst)
		return append(append(dst, ' '), v.client...)
	}
	dst = append(append(dst, "Mozilla/5.0 ("...), m.model...)
	if m.class == phone {
		dst = append(dst, "; CPU iPhone OS "...)
	} else {
		dst = append(dst, "; CPU OS "...)
	}
	dst = append(append(dst, v.ua...), " like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "...)
	if kind == browser {
		dst = append(append(dst, "Version/"...), v.detail...)
		return append(dst, " Mobile/15E148 Safari/604.1"...)
	}
	return append(dst, "Mobile/15E148"...)
}

// appendWord appends a word with a capital.
func appendWord(dst []byte, word string) []byte {
	return append(append(dst, word[0]-'a'+'A'), word[1:]...)
}

func appendDesktopUA(dst []byte, d *device) []byte {
	switch d.model.platform {
	case windows:
		dst = append(dst, "Mozilla/5.0 (Windows NT 10.0; Win64; x64"...)
	case mac:
		dst = append(dst, "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7"...)
	case linux:
		dst = append(dst, "Mozilla/5.0 (X11; Linux x86_64"...)
	default:
		dst = append(dst, "Mozilla/5.0 (X11; CrOS x86_64 14541.0.0"...)
	}
	switch d.brand {
	case firefox:
		if d.model.platform == mac { // Firefox writes the version in another way
			dst = append(dst[:len(dst)-len("10_15_7")], "10.15"...)
		}
		dst = append(dst, "; rv:"...)
		dst = strconv.AppendInt(dst, int64(d.browser), 10)
		dst = append(dst, ".0) Gecko/20100101 Firefox/"...)
		dst = strconv.AppendInt(dst, int64(d.browser), 10)
		return append(dst, ".0"...)
	case safari:
		dst = append(append(dst, ") AppleWebKit/605.1.15 (KHTML, like Gecko) Version/"...), d.version.detail...)
		return append(dst, " Safari/605.1.15"...)
	}
	dst = append(dst, ") AppleWebKit/537.36 (KHTML, like Gecko) Chrome/"...)
	dst = strconv.AppendInt(dst, int64(d.browser), 10)
	dst = append(dst, ".0.0.0 Safari/537.36"...)
	if d.brand == edge {
		dst = append(dst, " Edg/"...)
		dst = strconv.AppendInt(dst, int64(d.browser), 10)
		dst = append(dst, ".0.0.0"...)
	}
	return dst
}
