// Package useragent parses user agent strings, and finds where they contradict the rest of a
// request's device.
//
//	claims := useragent.Parse(d.UA)
//	if claims.Crawler || useragent.Compare(&claims, d)&useragent.ContradictsOS != 0 { ... }
//
// A claim is what the text says, not what is true: anybody can send any text. Package fraud makes
// signals from claims. docs/lookups.md lists each contradiction with what it compares, what it
// catches, and who is hit wrongly; where real devices contradict themselves, nothing is reported.
//
// Parse recognizes the most frequent forms whole; in others it looks for words, which SIMD blocks
// find. It allocates nothing. The files, in the order of reading:
//
//	useragent.go     what users name
//	parse.go         text to words
//	usual.go         the same for the most frequent forms
//	words.go         the words, and how they are looked up
//	tables_gen.go    crawlers, headless browsers, clients, limits of versions; generated
//	claims.go        words to claims
//	numbers.go       versions and models in a text
//	impossible.go    versions that do not exist
//	compare.go       claims against a device
//	hints.go         claims against client hints (device.sua)
//	names.go         spellings of systems, makers and brands outside user agents
package useragent

//go:generate go run ./internal/tables -root ../..

import "strings"

// Claims are what a user agent string claims. The zero value of each field means unknown, except
// for versions, which are -1 when unknown. Claims refer to the text that they were parsed from.
type Claims struct {
	OS      OS
	Form    Form
	Browser Browser
	Client  Client

	// OSMajor and OSMinor are the version of the operating system as the text has it: 10 and 15
	// for every macOS since 2020, 10 and 0 for Windows 11. See Frozen.
	OSMajor, OSMinor int16

	// Major is the version of Browser; of WebView, that of its Chromium.
	Major int16

	// Chromium is the version of the Chromium that Browser is made of.
	Chromium int16

	Faults Faults

	Empty    bool // there is no text, or nothing but spaces
	Crawler  bool // a known crawler, or a text that says so in the usual way
	Headless bool // a browser without a screen
	WebView  bool // a browser inside a mobile app
	Mobile   bool // has the word Mobile

	// Desktop means a browser on a desktop computer that can be nothing else: neither MaybeIPad nor
	// X11.
	Desktop bool

	// Frozen means that the version of the system is one that browsers send on other versions too:
	// Android 10 without a model, iOS 18.6 and 18.7, macOS 10.15, Windows 10.0.
	Frozen bool

	// MaybeIPad means that the text claims to be a Mac, as iPads do by default and iPhones when
	// asked for a desktop page.
	MaybeIPad bool

	// X11 means that the text claims to be a Linux desktop, as Android tablets do by default,
	// phones when asked for a desktop page, and some television boxes.
	X11 bool

	agent uint8  // in agents, 0 for none
	model uint16 // where the model begins in text, plus one; 0 for none
	text  string
}

// OS is a family of operating systems.
type OS uint8

// The families of operating systems.
const (
	OSUnknown OS = iota
	Android
	FireOS // Amazon's Android; OSMajor is Android's version
	IOS
	IPadOS
	TvOS
	Darwin // one of Apple's systems; the text does not say which
	MacOS
	Windows
	Linux
	ChromeOS
	WebOS
	Tizen
	Roku
	PlayStation
	Xbox
	OtherOS // one of its own, such as Windows Phone and KaiOS
	osCount
)

var osNames = [osCount]string{
	"unknown", "Android", "Fire OS", "iOS", "iPadOS", "tvOS", "Darwin", "macOS", "Windows", "Linux", "ChromeOS", "webOS",
	"Tizen", "Roku", "PlayStation", "Xbox", "other",
}

// String returns the name of the family, "unknown" for none.
func (o OS) String() string { return nameOf(osNames[:], int(o)) }

// Form is a kind of device.
type Form uint8

// The kinds of devices.
const (
	FormUnknown Form = iota
	Phone
	Tablet
	TV // or a box that is connected to one
	Desktop
	Console
	formCount
)

var formNames = [formCount]string{"unknown", "phone", "tablet", "TV", "desktop", "console"}

// String returns the name of the kind, "unknown" for none.
func (f Form) String() string { return nameOf(formNames[:], int(f)) }

// Browser is a family of browsers.
type Browser uint8

// The families of browsers. What shares an engine is told apart by name only.
const (
	BrowserUnknown Browser = iota
	Chrome                 // Chromium too
	Safari
	Firefox
	Edge
	Opera
	SamsungInternet
	InternetExplorer
	Silk
	UCBrowser
	Yandex
	MiBrowser
	HuaweiBrowser
	AndroidBrowser // of Android before version 5
	OtherBrowser
	WebView // a browser without a name inside an app
	InApp   // of an app that says its name, such as Facebook
	browserCount
)

var browserNames = [browserCount]string{
	"unknown", "Chrome", "Safari", "Firefox", "Edge", "Opera", "Samsung Internet", "Internet Explorer", "Silk", "UC Browser",
	"Yandex", "Mi Browser", "Huawei Browser", "Android Browser", "other", "WebView", "in-app",
}

// String returns the name of the family, "unknown" for none.
func (b Browser) String() string { return nameOf(browserNames[:], int(b)) }

// Client is a kind of program that is not a browser.
type Client uint8

// The kinds of clients.
const (
	NoClient      Client = iota
	AppClient            // what apps request with: okhttp, Dalvik, CFNetwork, media players
	LibraryClient        // what scripts and servers request with: curl, python-requests, Java
	clientCount
)

var clientNames = [clientCount]string{"none", "app", "library"}

// String returns the name of the kind, "none" for none.
func (c Client) String() string { return nameOf(clientNames[:], int(c)) }

func nameOf(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return names[0]
}

// Faults are what no real user agent has, as a set of bits.
type Faults uint8

// The faults.
const (
	ImpossibleOS      Faults = 1 << iota // a version of a system that does not exist: iOS 99
	ImpossibleBrowser                    // a version of a browser that does not exist: Chrome 999
	ImpossiblePair                       // a browser that does not run on the system: Chrome 120, Android 3
	ControlCharacter                     // other than a tab
	Unbalanced                           // parentheses
	TooLong                              // longer than TextMax; only so much was parsed
)

var faultNames = []string{"impossible-os", "impossible-browser", "impossible-pair", "control-character", "unbalanced", "too-long"}

// String returns the names of the faults with commas between them: "impossible-os,unbalanced".
func (f Faults) String() string { return joined(faultNames, uint(f)) }

// joined returns the names of the bits that are set.
func joined(names []string, set uint) string {
	var list []string
	for i, name := range names {
		if set>>i&1 != 0 {
			list = append(list, name)
		}
	}
	return strings.Join(list, ",")
}
