package useragent

import "github.com/rtbwire/rtbwire/internal/mem"

// This file recognizes the forms that most user agents have, whole, without looking for words:
//
//	Mozilla/5.0 (PLATFORM) AppleWebKit/537.36 (KHTML, like Gecko) [Version/4.0 ]Chrome/N [Mobile ]Safari/537.36
//	Mozilla/5.0 (PLATFORM) AppleWebKit/605.1.15 (KHTML, like Gecko) [Version/N ][Mobile/15E148 ][Safari/604.1]
//
// It notes what found.scan would. Everything else is left to that.

// usualMin is longer than everything besides the platform and numbers. Words are read before the
// last usualTail bytes only, so that they end before the text does.
const (
	usualMin  = usualTail + 32
	usualTail = len(") AppleWebKit/605.1.15 (KHTML, like Gecko)")
)

// Eight bytes each, as they are in a text.
var (
	mozillaWords  = [...]uint64{wordIn("Mozilla/"), wordIn("la/5.0 (")}
	androidWords  = [...]uint64{wordIn("Linux; A"), wordIn("Android ")}
	iphoneWords   = [...]uint64{wordIn("iPhone; "), wordIn("CPU iPho"), wordIn("hone OS ")}
	ipadWords     = [...]uint64{wordIn("iPad; CP"), wordIn(" CPU OS ")}
	likeMacWords  = [...]uint64{wordIn(" like Ma"), wordIn("ac OS X)")}
	windowsWords  = [...]uint64{wordIn("Windows "), wordIn("NT 10.0;"), wordIn(" Win64; "), wordIn("64; x64)")}
	x11Words      = [...]uint64{wordIn("X11; Lin"), wordIn("ux x86_6"), wordIn("x86_64) ")}
	macWords      = [...]uint64{wordIn("Macintos"), wordIn("h; Intel"), wordIn(" Mac OS "), wordIn("ac OS X ")}
	webKitWords   = [...]uint64{wordIn(") AppleW"), wordIn("ebKit/53"), wordIn("ebKit/60")}
	chromiumWords = [...]uint64{wordIn("7.36 (KH"), wordIn("TML, lik"), wordIn("e Gecko)")}
	safariWords   = [...]uint64{wordIn("5.1.15 ("), wordIn("KHTML, l"), wordIn("ike Geck")}
	versionWords  = [...]uint64{wordIn(" Version"), wordIn("ion/4.0 ")}
	chromeWord    = wordIn(" Chrome/")
	mobileWords   = [...]uint64{wordIn(" Mobile "), wordIn(" Mobile/"), wordIn("e/15E148")}
	endWords      = [...]uint64{wordIn(" Safari/"), wordIn("i/537.36"), wordIn("ri/604.1"), wordIn("605.1.15")}
)

// usual notes the words of t[:n] and reports whether it has one of the forms. If not, f is of no
// use.
func (f *found) usual(t mem.Text, n int) bool {
	if n < usualMin || n > shortMax || t.Word(0) != mozillaWords[0] || t.Word(5) != mozillaWords[1] {
		return false
	}
	last := n - usualTail
	end := 0
	switch t.Word(13) {
	case androidWords[0]:
		if t.Word(20) == androidWords[1] {
			f.seen, f.at[android] = linux.bit()|android.bit(), 27
			end = f.usualPlatform(t, 27, last)
		}
	case iphoneWords[0]:
		if t.Word(21) == iphoneWords[1] && t.Word(27) == iphoneWords[2] {
			f.seen, f.at[cpu] = iphone.bit()|cpu.bit(), 25
			end = f.usualLikeMac(t, 35, last)
		}
	case ipadWords[0]:
		if t.Word(18) == ipadWords[1] {
			f.seen, f.at[cpu] = ipad.bit()|cpu.bit(), 23
			end = f.usualLikeMac(t, 26, last)
		}
	case windowsWords[0]:
		if t.Word(21) == windowsWords[1] && t.Word(29) == windowsWords[2] && t.Word(33) == windowsWords[3] {
			f.seen, f.at[windowsNT] = windows.bit()|windowsNT.bit(), 24
			end = 40
		}
	case x11Words[0]:
		if t.Word(21) == x11Words[1] && t.Word(24) == x11Words[2] {
			f.seen = x11.bit() | linux.bit()
			end = 30
		}
	case macWords[0]:
		if t.Word(21) == macWords[1] && t.Word(29) == macWords[2] && t.Word(31) == macWords[3] {
			f.seen, f.at[mac] = macintosh.bit()|mac.bit(), 38
			end = afterVersion(t, 39, last)
		}
	}
	if end == 0 || end > last || t.Word(end) != webKitWords[0] {
		return false
	}
	f.seen |= webKit.bit()
	switch t.Word(end + 8) {
	case webKitWords[1]:
		return t.Word(end+16) == chromiumWords[0] && t.Word(end+24) == chromiumWords[1] && t.Word(end+32) == chromiumWords[2] &&
			f.usualChrome(t, end+41, n)
	case webKitWords[2]:
		return t.Word(end+16) == safariWords[0] && t.Word(end+24) == safariWords[1] && t.Word(end+32) == safariWords[2] &&
			f.usualSafari(t, end+40, n)
	}
	return false
}

// usualPlatform returns where the parenthesis is that ends the platform of an Android device, of
// which t[at:] is the rest. It is 0 for one with parentheses in it.
func (f *found) usualPlatform(t mem.Text, at, last int) int {
	for ; at < last; at++ {
		class := classes[t.At(at)]
		if class&(separator|special) == 0 {
			continue
		}
		switch {
		case t.At(at) == ')':
			return at
		case class&letter != 0: // of "bot" and its like
			f.special(t, at)
		case class&special != 0:
			return 0
		case classes[t.At(at+1)]&letter != 0:
			f.lookup(t, at+1)
		}
	}
	return 0
}

// usualLikeMac returns where the parenthesis is after a version of iOS at t[at] and what follows it
// always, 0 if something else follows.
func (f *found) usualLikeMac(t mem.Text, at, last int) int {
	at = afterVersion(t, at, last)
	if t.Word(at) != likeMacWords[0] || t.Word(at+7) != likeMacWords[1] {
		return 0
	}
	at += len(" like Mac OS X")
	f.seen |= mac.bit()
	f.at[mac] = uint16(at)
	return at
}

// afterVersion returns where the digits, points and underscores at t[at:last] end.
func afterVersion(t mem.Text, at, last int) int {
	for at < last && (t.At(at)-'.' <= '9'-'.' || t.At(at) == '_') {
		at++
	}
	return at
}

// isVersion reports whether eight bytes are points, slashes and digits, '.' to '9'. It may be wrong
// the other way.
func isVersion(word uint64) bool {
	const ones = 0x0101010101010101
	return (word+ones*(0x7f-'9')|(word-ones*'.')|word)&(ones*0x80) == 0
}

// usualChrome is usual for what follows the engine of Chrome.
func (f *found) usualChrome(t mem.Text, at, n int) bool {
	const end = len(" Safari/537.36")
	if n-at >= len("Version/4.0 ")+end && t.Word(at-1) == versionWords[0] && t.Word(at+4) == versionWords[1] {
		f.seen |= version.bit()
		f.at[version] = uint16(at + len("Version"))
		at += len("Version/4.0 ")
	}
	if n-at < len("Chrome/1")+end || t.Word(at-1) != chromeWord {
		return false
	}
	f.seen |= chrome.bit() | safari.bit()
	f.at[chrome] = uint16(at + len("Chrome"))
	at += len("Chrome/")
	if at+8 <= n-end && isVersion(t.Word(at)) {
		at += 8
	}
	at = afterVersion(t, at, n-end)
	if t.Word(at) == mobileWords[0] {
		f.seen |= mobile.bit()
		at += len(" Mobile")
	}
	return n-at == end && t.Word(at) == endWords[0] && t.Word(at+6) == endWords[1]
}

// usualSafari is usual for what follows the engine of Safari, or nearly: t[at] is its last letter.
func (f *found) usualSafari(t mem.Text, at, n int) bool {
	if t.At(at) != 'o' || t.At(at+1) != ')' {
		return false
	}
	at += 2
	const mobileSize, endSize, macSize = len(" Mobile/15E148"), len(" Safari/604.1"), len(" Safari/605.1.15")
	if n-at >= len(" Version/1")+endSize && t.Word(at) == versionWords[0] && t.At(at+8) == '/' {
		f.seen |= version.bit()
		f.at[version] = uint16(at + len(" Version"))
		at = afterVersion(t, at+len(" Version/"), n-endSize)
	}
	if n-at >= mobileSize && t.Word(at) == mobileWords[1] && t.Word(at+6) == mobileWords[2] {
		f.seen |= mobile.bit()
		at += mobileSize
	}
	switch n - at {
	case 0:
		return true
	case endSize:
		f.seen |= safari.bit()
		return t.Word(at) == endWords[0] && t.Word(at+5) == endWords[2]
	case macSize:
		f.seen |= safari.bit()
		return t.Word(at) == endWords[0] && t.Word(at+8) == endWords[3]
	}
	return false
}
