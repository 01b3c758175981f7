package useragent

import (
	"math/bits"

	"github.com/rtbwire/rtbwire/internal/mem"
)

// browserOf is the family of each word of a browser.
var browserOf = [version]Browser{
	edge: Edge, opera: Opera, samsungBrowser: SamsungInternet, silk: Silk, ucBrowser: UCBrowser, yandexBrowser: Yandex,
	miBrowser: MiBrowser, huaweiBrowser: HuaweiBrowser, otherBrowser: OtherBrowser, inApp: InApp, fxiOS: Firefox,
	firefox: Firefox, criOS: Chrome, chrome: Chrome, msie: InternetExplorer, trident: InternetExplorer,
}

// claims notes what the words in t mean. start is where the text begins in t.
func (f *found) claims(c *Claims, t mem.Text, start int) {
	c.OSMajor, c.OSMinor, c.Major, c.Chromium = -1, -1, -1, -1
	c.Faults, c.agent = f.faults, f.agent
	c.Mobile = f.any(mobile.bit())
	c.Headless = f.any(headless.bit())
	f.system(c, t)
	f.browser(c, t)
	if f.any(crawler.bit() | generic.bit() | app.bit() | library.bit()) {
		f.program(c)
	}
	if c.model > 0 {
		c.model += uint16(1 - start)
	}
	c.Form = f.form(c)
	c.Desktop = c.Form == Desktop && c.Browser != BrowserUnknown && !c.MaybeIPad && !c.X11
	c.Faults |= c.impossible()
	c.Empty = f.seen == 0 && isBlank(c.text)
}

// any reports whether there is one of the words.
func (f *found) any(words set) bool { return f.seen&words != 0 }

// system finds the operating system and its version. Those that name others come first.
func (f *found) system(c *Claims, t mem.Text) {
	const (
		apple = set(1)<<iphone | 1<<ipad | 1<<ipadOS
		macs  = set(1)<<macintosh | 1<<macOS | 1<<mac
		first = set(1)<<otherOS | 1<<xbox | 1<<playStation | 1<<nintendo | 1<<roku | 1<<tizen | 1<<webOS | 1<<appleTV | 1<<tvOS
	)
	switch {
	case f.any(first):
		f.firstSystem(c, t)
	case f.any(android.bit()):
		if !f.any(apple) { // a text with both may be either
			f.android(c, t)
		}
	case f.any(apple):
		c.OS = IOS
		if f.any(ipad.bit() | ipadOS.bit()) {
			c.OS = IPadOS
		}
		f.appleVersion(c, t)
		c.Frozen = c.OSMajor == 18 && c.OSMinor >= 6
	case f.any(ios.bit()):
		c.OS = IOS
		f.appleVersion(c, t)
		c.Frozen = c.OSMajor == 18 && c.OSMinor >= 6
	case f.any(cros.bit()):
		c.OS = ChromeOS
	case f.any(windows.bit()):
		c.OS = Windows
		if f.any(windowsNT.bit()) {
			c.OSMajor, c.OSMinor, _ = versionAt(t, int(f.at[windowsNT]))
		}
		c.Frozen = c.OSMajor == 10
	case f.any(macs):
		c.OS = MacOS
		if f.any(mac.bit()) {
			c.OSMajor, c.OSMinor, _ = versionAt(t, int(f.at[mac]))
		} else if f.any(macOS.bit()) {
			c.OSMajor, c.OSMinor, _ = versionAt(t, int(f.at[macOS]))
		}
		c.Frozen = c.OSMajor == 10 && c.OSMinor >= 15
		c.MaybeIPad = f.any(macintosh.bit()) && !f.any(chrome.bit()|firefox.bit())
	case f.any(darwin.bit()):
		c.OS = Darwin
	case f.any(linux.bit() | x11.bit()):
		c.OS = Linux
		c.X11 = f.any(x11.bit())
	}
}

// firstSystem is system for those that are known by one word, whatever others there are.
func (f *found) firstSystem(c *Claims, t mem.Text) {
	switch {
	case f.any(otherOS.bit() | nintendo.bit()):
		c.OS = OtherOS
	case f.any(xbox.bit()):
		c.OS = Xbox
	case f.any(playStation.bit()):
		c.OS = PlayStation
	case f.any(roku.bit()):
		c.OS = Roku
		if f.any(dvp.bit()) {
			c.OSMajor, c.OSMinor, _ = versionAt(t, int(f.at[dvp]))
		}
	case f.any(tizen.bit()):
		c.OS = Tizen
		c.OSMajor, c.OSMinor, _ = versionAt(t, int(f.at[tizen]))
	case f.any(webOS.bit()):
		c.OS = WebOS
	default:
		c.OS = TvOS
		f.appleVersion(c, t)
	}
}

// android notes Android's version and the model.
func (f *found) android(c *Claims, t mem.Text) {
	c.OS = Android
	var next int
	c.OSMajor, c.OSMinor, next = versionAt(t, int(f.at[android]))
	model, reduced := modelAt(t, next)
	c.model = uint16(model)
	c.Frozen = c.OSMajor == 10 && (reduced || f.any(firefox.bit()))
	if f.any(amazon.bit()) || model > 0 && isAmazon(t, model) {
		c.OS = FireOS
	}
}

// isAmazon reports whether the model at t[at] is one of Amazon's televisions (AFT and letters) or
// tablets (KF and letters).
func isAmazon(t mem.Text, at int) bool {
	capital := func(i int) bool { return t.At(at+i)-'A' <= 'Z'-'A' }
	switch {
	case t.At(at) == 'K':
		return t.At(at+1) == 'F' && capital(2)
	case t.At(at) == 'A':
		return t.At(at+1) == 'F' && t.At(at+2) == 'T' && capital(3)
	}
	return false
}

// appleVersion reads "CPU iPhone OS 17_4", "CPU OS 17_4", "iOS 17.4" and their like.
func (f *found) appleVersion(c *Claims, t mem.Text) {
	var at int
	switch {
	case f.any(cpu.bit()):
		at = int(f.at[cpu])
		if foldedIs(t, at, "iphone ") {
			at += len("iphone ")
		}
		if !foldedIs(t, at, "os ") {
			return
		}
		at += len("os ")
	case f.any(ios.bit()):
		at = int(f.at[ios])
	case f.any(ipadOS.bit()):
		at = int(f.at[ipadOS])
	case f.any(tvOS.bit()):
		at = int(f.at[tvOS])
	default:
		return
	}
	c.OSMajor, c.OSMinor, _ = versionAt(t, at)
}

// browser finds the browser and its version.
func (f *found) browser(c *Claims, t mem.Text) {
	c.WebView = f.any(webView.bit())
	first := word(bits.TrailingZeros64(uint64(f.seen & browserWords)))
	if first >= version {
		// Apple's web view names no browser.
		if f.any(webKit.bit()) && (c.OS == IOS || c.OS == IPadOS || c.OS == MacOS) {
			c.Browser, c.WebView = WebView, true
		}
		return
	}
	if first == safari {
		f.safari(c, t)
		return
	}
	c.Browser = browserOf[first]
	c.Major = majorAt(t, int(f.at[first]))
	if f.any(chrome.bit()) {
		c.Chromium = c.Major
		if first != chrome {
			c.Chromium = majorAt(t, int(f.at[chrome]))
		} else if c.OS <= FireOS && f.any(webView.bit()|version.bit()) && c.OS != OSUnknown {
			c.Browser, c.WebView = WebView, true
		}
	}
	switch first {
	case inApp:
		c.WebView = true
		if c.Major == versionMax { // a date or the like
			c.Major = -1
		}
	case trident:
		// Internet Explorer 11 is Trident 7.
		if c.Major >= 0 {
			c.Major += 4
		}
	}
}

// safari tells Safari, which has a version of its own, from other browsers with its engine.
func (f *found) safari(c *Claims, t mem.Text) {
	if f.any(version.bit()) {
		c.Major = majorAt(t, int(f.at[version]))
	}
	switch c.OS {
	case Android, FireOS:
		c.Browser = AndroidBrowser
	case IOS, IPadOS, TvOS, MacOS, Windows, OSUnknown:
		c.Browser = Safari
	default:
		c.Browser = OtherBrowser
	}
}

// program notes what is not a browser that somebody uses.
func (f *found) program(c *Claims) {
	switch {
	case f.any(app.bit()):
		c.Client = AppClient
	case f.any(library.bit()):
		c.Client = LibraryClient
	}
	// Apps have names such as "Chatbot", and libraries name their web site.
	inside := f.any(app.bit() | library.bit() | webView.bit() | inApp.bit())
	c.Crawler = f.any(crawler.bit()) || f.any(generic.bit()) && !inside
}

// form returns the kind of device.
func (f *found) form(c *Claims) Form {
	switch c.OS {
	case Xbox, PlayStation:
		return Console
	case Roku, TvOS, WebOS:
		return TV
	case IPadOS:
		return Tablet
	case Windows, MacOS, ChromeOS:
		return Desktop
	}
	switch {
	case f.any(tv.bit()):
		return TV
	case c.OS == FireOS && c.model > 0 && c.text[c.model-1] == 'A':
		return TV
	case f.any(nintendo.bit()):
		return Console
	case f.any(tablet.bit()), c.OS == FireOS && c.model > 0:
		return Tablet
	case c.OS == IOS && f.any(iphone.bit()), c.Mobile:
		return Phone
	case c.OS == Android && c.Browser != BrowserUnknown && !c.WebView:
		return Tablet
	case c.X11:
		return Desktop
	}
	return FormUnknown
}

func isBlank(s string) bool {
	for i := range len(s) {
		if s[i] != ' ' && s[i] != '\t' {
			return false
		}
	}
	return true
}
