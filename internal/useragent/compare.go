package useragent

import (
	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/openrtb"
)

// Contradictions are the places of a device that a user agent contradicts, as a set of bits.
type Contradictions uint16

// The contradictions. docs/lookups.md has a section on each.
const (
	ContradictsOS          Contradictions = 1 << iota // device.os
	ContradictsOSVersion                              // device.osv
	ContradictsMake                                   // device.make
	ContradictsModel                                  // device.model
	ContradictsDeviceType                             // device.devicetype
	ContradictsHintOS                                 // device.sua.platform.brand
	ContradictsHintVersion                            // device.sua.platform.version
	ContradictsHintBrowser                            // device.sua.browsers
	ContradictsHintMobile                             // device.sua.mobile
	ContradictsHintModel                              // device.sua.model
)

// contradictionNames are the fields of the contradictions.
var contradictionNames = []string{
	"os", "osv", "make", "model", "devicetype", "sua.platform.brand", "sua.platform.version", "sua.browsers", "sua.mobile",
	"sua.model",
}

// String returns the fields with commas between them: "os,sua.mobile".
func (c Contradictions) String() string { return joined(contradictionNames, uint(c)) }

// Compare returns the fields of a device that contradict the claims of its user agent. What the
// user agent does not claim, or the device does not say, contradicts nothing.
func Compare(c *Claims, d *openrtb.Device) (found Contradictions) {
	if c.OS == OSUnknown {
		return 0
	}
	if d.OS != "" {
		os := systemOf(d.OS)
		if !c.compatible(os) {
			found = ContradictsOS
		} else if d.OSV != "" && os != OSUnknown && c.contradictsVersion(d.OSV) {
			found = ContradictsOSVersion
		}
	}
	if d.Make != "" && c.contradictsMake(d.Make) {
		found |= ContradictsMake
	}
	if d.Model != "" && c.contradictsModel(d.Model) {
		found |= ContradictsModel
	}
	if d.DeviceType != nil && c.contradictsType(*d.DeviceType) {
		found |= ContradictsDeviceType
	}
	if d.SUA != nil {
		found |= c.compareHints(d.SUA)
	}
	return found
}

// A systemSet has a bit for each OS.
type systemSet uint32

func setOf(list ...OS) (s systemSet) {
	for _, o := range list {
		s |= 1 << o
	}
	return s
}

// compatible are the systems that a device may say where the user agent claims one. All of them may
// be unknown.
var compatible = func() (t [osCount]systemSet) {
	any := systemSet(1<<osCount - 1)
	for o := range t {
		t[o] = any
	}
	// Chromebooks run apps of Android.
	t[Android] = setOf(Android, FireOS, Linux, ChromeOS)
	t[FireOS] = t[Android]
	t[IOS] = setOf(IOS, IPadOS, TvOS)
	// Macs run apps of iPads.
	t[IPadOS] = setOf(IOS, IPadOS, TvOS, MacOS)
	t[TvOS] = setOf(IOS, IPadOS, TvOS)
	t[Darwin] = setOf(IOS, IPadOS, TvOS, MacOS)
	t[MacOS] = setOf(MacOS)
	t[Windows] = setOf(Windows, Xbox)
	// Most televisions and boxes run Linux; tablets with Android claim it in desktop mode.
	t[Linux] = any &^ setOf(Windows, MacOS, IOS, IPadOS, TvOS, Xbox)
	t[ChromeOS] = setOf(ChromeOS, Linux, Android)
	t[WebOS] = setOf(WebOS, Linux)
	t[Tizen] = setOf(Tizen, Linux)
	t[Roku] = setOf(Roku, Linux)
	t[PlayStation] = setOf(PlayStation, Linux)
	t[Xbox] = setOf(Xbox, Windows)
	for o := range t {
		t[o] |= setOf(OSUnknown)
	}
	return t
}()

// compatible reports whether a device that says os may have sent the user agent.
func (c *Claims) compatible(os OS) bool {
	return compatible[c.OS]>>os&1 != 0 || c.MaybeIPad && compatible[IPadOS]>>os&1 != 0
}

// versionSlack is how many versions the system of a user agent may differ from device.osv: apps
// keep the user agent for weeks, also when the system is updated.
const versionSlack = 1

// contradictsVersion compares versions of Android and iOS. Other systems have versions that user
// agents do not tell.
func (c *Claims) contradictsVersion(osv string) bool {
	if c.OSMajor < 0 || c.Frozen {
		return false
	}
	switch c.OS {
	case Android:
		v := firstNumber(osv)
		return v > 0 && differ(c.OSMajor, v) && !isAPILevel(v, c.OSMajor)
	case IOS, IPadOS, TvOS:
		v := firstNumber(osv)
		return v > 0 && differ(c.OSMajor, v)
	}
	return false
}

// differ reports whether two versions are further apart than versionSlack.
func differ(a, b int16) bool { return a-b > versionSlack || b-a > versionSlack }

// isAPILevel reports whether v may be the API level of a version of Android in place of the
// version: 33 for Android 13. It accepts the levels of neighbours too.
func isAPILevel(v, android int16) bool {
	if android <= 4 {
		return v >= 14 && v <= 20
	}
	return v >= android+16 && v <= android+22
}

// firstNumber returns the number that s begins with, with a name before it or not: "13", "Android
// 13.1". It is -1 without one.
func firstNumber(s string) int16 {
	i := 0
	for i < len(s) && s[i]-'0' > 9 {
		i++
	}
	if i == len(s) {
		return -1
	}
	n := 0
	for ; i < len(s) && s[i]-'0' <= 9; i++ {
		n = min(10*n+int(s[i]-'0'), versionMax)
	}
	return int16(n)
}

// contradictsMake compares where the maker of the device is certain.
func (c *Claims) contradictsMake(name string) bool {
	m := makerOf(name)
	if m == 0 {
		return false
	}
	switch c.OS {
	case IOS, IPadOS, TvOS, Darwin:
		return m != apple
	case MacOS:
		return m != apple && !c.MaybeIPad
	case FireOS:
		return m == apple || m == samsung && c.Form == TV
	case Android:
		switch c.family() {
		case galaxy:
			return m != samsung
		case pixel:
			return m != google
		}
		return m == apple
	case Roku:
		return m == apple || m == amazonMaker
	case PlayStation:
		return m == apple || m == microsoft
	case Xbox:
		return m == apple || m == sony
	case Tizen, WebOS:
		return m == apple
	}
	return false
}

// family is a family of phones and tablets that is known by the model.
type family uint8

const (
	otherFamily family = iota
	galaxy             // SM-G960F
	pixel              // Pixel 7
	cph                // CPH2219: Oppo, OnePlus
	rmx                // RMX3085: Realme
)

// family returns the family of the model.
func (c *Claims) family() family {
	if c.model == 0 {
		return otherFamily
	}
	s := c.text[c.model-1:]
	if hasPrefix(s, samsungPrefix) {
		s = s[len(samsungPrefix):]
	}
	return familyOf(s)
}

// familyOf returns the family of a text that begins with a model.
func familyOf(s string) family {
	if len(s) < len("Pixel 7") {
		return otherFamily
	}
	switch s[0] {
	case 'S':
		if s[1] == 'M' && s[2] == '-' {
			return galaxy
		}
	case 'P':
		if s[:6] == "Pixel " && s[6]-'0' <= 9 || hasPrefix(s, "Pixel Fold") {
			return pixel
		}
	case 'C':
		if s[1] == 'P' && s[2] == 'H' {
			return cph
		}
	case 'R':
		if s[1] == 'M' && s[2] == 'X' {
			return rmx
		}
	}
	return otherFamily
}

// codeSize is how much of a model is compared: SM-G960 without the letters for regions, CPH2219.
const codeSize = 7

// contradictsModel compares models where both are known to be names of the same kind.
func (c *Claims) contradictsModel(model string) bool {
	if c.model > 0 && hasPrefix(c.text[c.model-1:], model) {
		return false // as almost always
	}
	theirs := familyOf(model)
	switch c.OS {
	case IOS:
		// Apps for iPhones run on iPads and say so.
		return theirs != otherFamily
	case IPadOS:
		return theirs != otherFamily || isIPhone(model)
	case Windows:
		return isIPhone(model)
	case MacOS:
		return theirs != otherFamily && !c.MaybeIPad || isIPhone(model) && !c.MaybeIPad
	case Android:
		if isIPhone(model) || hasPrefix(model, "iPad") {
			return true
		}
		ours := c.family()
		switch {
		case ours == otherFamily || theirs != ours:
			return false
		case ours == pixel:
			return !samePrefix(c.Model(), model)
		}
		own := c.Model()
		return len(own) >= codeSize && !equalFold(own[:codeSize], model[:codeSize])
	}
	return false
}

func isIPhone(model string) bool { return hasPrefix(model, "iPhone") }

func hasPrefix(s, prefix string) bool { return len(s) >= len(prefix) && s[:len(prefix)] == prefix }

// samePrefix reports whether one begins with the other, without regard to case.
func samePrefix(a, b string) bool {
	n := min(len(a), len(b))
	return equalFold(a[:n], b[:n])
}

// equalFold compares texts of one length without regard to case.
func equalFold(a, b string) bool {
	for i := range len(a) {
		if a[i]|caseBit != b[i]|caseBit {
			return false
		}
	}
	return true
}

// handheld reports whether the device is a phone or tablet and certainly nothing else. Televisions
// with Android say that they are mobile, and Chromebooks run apps of Android.
func (c *Claims) handheld() bool {
	switch c.OS {
	case IOS, IPadOS:
		return c.Form == Phone || c.Form == Tablet
	case Android:
		return c.Form == Phone && c.family() != otherFamily
	}
	return false
}

// contradictsType compares kinds of devices. Phones and tablets count as one.
func (c *Claims) contradictsType(t adcom.DeviceType) bool {
	switch t {
	case adcom.DeviceTypePhone:
		return c.OS == Windows || c.neverMobile()
	case adcom.DeviceTypeMobileOrTablet, adcom.DeviceTypeTablet:
		return c.neverMobile() // tablets with Windows are tablets
	case adcom.DeviceTypePC:
		// Macs run apps of iPads.
		return c.Form == Phone && c.handheld() || c.OS == Roku || c.OS == TvOS || c.Form == TV && (c.OS == WebOS || c.OS == Tizen)
	case adcom.DeviceTypeConnectedTV, adcom.DeviceTypeSetTopBox:
		return c.handheld() || c.Desktop && (c.OS == Windows || c.OS == MacOS)
	}
	return false
}

// neverMobile reports whether the device is certainly no phone or tablet.
func (c *Claims) neverMobile() bool {
	switch c.OS {
	case MacOS:
		return c.Desktop
	case Roku, PlayStation, Xbox:
		return true
	case WebOS, Tizen:
		return c.Form == TV
	}
	return false
}
