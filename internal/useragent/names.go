package useragent

import (
	"encoding/binary"
	"strings"
)

// names finds the meaning of a short name without regard to case. A name that is not known has the
// meaning zero.
type names[V ~uint8] struct {
	entries [namesMax]struct {
		first, last uint64
		size        uint8
		value       V
	}
}

const (
	nameLongest = 16
	namesBits   = 8
	namesMax    = 1 << namesBits
)

// newNames returns a table. Names are lists with commas.
func newNames[V ~uint8](lists map[V]string) *names[V] {
	n := &names[V]{}
	for value, list := range lists {
		for name := range strings.SplitSeq(list, ",") {
			first, last := nameWords(name)
			slot := nameSlot(first, last)
			for n.entries[slot].size > 0 {
				slot = (slot + 1) % namesMax
			}
			e := &n.entries[slot]
			e.first, e.last, e.size, e.value = first, last, uint8(len(name)), value
		}
	}
	return n
}

// of returns the meaning of a name.
func (n *names[V]) of(name string) V {
	if len(name) == 0 || len(name) > nameLongest {
		return 0
	}
	first, last := nameWords(name)
	for slot := nameSlot(first, last); ; slot = (slot + 1) % namesMax {
		e := &n.entries[slot]
		if int(e.size) == len(name) && e.first == first && e.last == last || e.size == 0 {
			return e.value
		}
	}
}

// nameWords returns the first and the last bytes of a name of up to nameLongest bytes, folded. They
// and the length tell names apart.
func nameWords(s string) (first, last uint64) {
	switch {
	case len(s) >= 8:
		first = wordIn(s)
		last = wordIn(s[len(s)-8:])
	case len(s) >= 4:
		first = uint64(halfIn(s))
		last = uint64(halfIn(s[len(s)-4:]))
	default:
		var b [4]byte
		copy(b[:], s)
		first = uint64(binary.LittleEndian.Uint32(b[:]))
	}
	return fold(first), fold(last)
}

// wordIn returns the first eight bytes of s.
func wordIn(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// halfIn returns the first four bytes of s.
func halfIn(s string) uint32 {
	_ = s[3]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

func nameSlot(first, last uint64) uint64 {
	return (first ^ last<<1) * 0x9e3779b97f4a7c15 >> (64 - namesBits)
}

// systemOf returns the system of a name. The most frequent spellings need no look at the table.
func systemOf(name string) OS {
	switch name {
	case "iOS":
		return IOS
	case "Android", "android":
		return Android
	case "Windows":
		return Windows
	case "macOS":
		return MacOS
	}
	return systems.of(name)
}

// systems are the spellings of device.os and sua.platform.brand. What is not here, and the systems
// that Android's and Linux's user agents may be of, contradict nothing.
var systems = newNames(systemNames)

var systemNames = map[OS]string{
	Android:     "android,androidos,android os,google android,android tv,androidtv,android-tv,wear os,wearos",
	FireOS:      "fire os,fireos,fire_os,amazon fire os,fire tv,firetv,fire tv os",
	IOS:         "ios,iphone os,iphoneos,iphone,apple ios",
	IPadOS:      "ipados,ipad os,ipad",
	TvOS:        "tvos,apple tv,appletv,apple tvos,tv os,apple tv os",
	MacOS:       "macos,mac os,mac os x,osx,os x,macosx,mac osx,mac,macintosh,apple mac os x,mac_os,macos x",
	Windows:     "windows,windows nt,win,windows 10,windows 11,windows 7,windows 8,windows 8.1,win32,win10,windows xp",
	Linux:       "linux,gnu/linux,ubuntu,debian,fedora,linux x86_64",
	ChromeOS:    "chrome os,chromeos,chromium os,cros,chromiumos",
	WebOS:       "webos,web0s,webos tv,lg webos,webostv",
	Tizen:       "tizen,tizen os,tizenos,samsung tizen",
	Roku:        "roku,roku os,rokuos,roku_os",
	PlayStation: "playstation,orbis os,playstation os,playstation 4,playstation 5,ps4,ps5",
	Xbox:        "xbox,xbox os,xbox one,xboxos,xbox series x",
}

// maker is a maker of devices whose devices have systems or models of their own.
type maker uint8

const (
	apple maker = iota + 1
	samsung
	google
	amazonMaker
	rokuMaker
	sony
	microsoft
	otherMaker // of phones with Android
)

// makerOf returns the maker of a name, as systemOf does.
func makerOf(name string) maker {
	switch name {
	case "Apple":
		return apple
	case "Samsung", "samsung":
		return samsung
	case "Google":
		return google
	}
	return makers.of(name)
}

// makers are the spellings of device.make.
var makers = newNames(makerNames)

var makerNames = map[maker]string{
	apple:       "apple,apple inc.,apple inc,apple computer",
	samsung:     "samsung,samsung group,samsung mobile",
	google:      "google,google inc.,google llc",
	amazonMaker: "amazon,amazon.com,amazon fire",
	rokuMaker:   "roku,roku inc.,roku inc",
	sony:        "sony,sony mobile,sony ericsson,sonyericsson",
	microsoft:   "microsoft,microsoft corp",
	otherMaker: "xiaomi,redmi,poco,huawei,honor,oppo,realme,oneplus,vivo,motorola,lg,lge,lg electronics,nokia,hmd global," +
		"htc,zte,asus,lenovo,tecno,infinix,itel,tcl,alcatel,meizu,blu,wiko,hisense,fairphone,nothing,sharp,kyocera",
}

// brand is what a brand of sua.browsers says.
type brand uint8

const (
	chromiumBrand brand = iota + 1 // its version is Chromium's
	headlessBrand                  // and it has no screen
)

// brands are the spellings of sua.browsers[].brand.
var brands = newNames(brandNames)

var brandNames = map[brand]string{
	chromiumBrand: "chromium,google chrome,chrome,android webview,microsoft edge",
	headlessBrand: "headlesschrome",
}
