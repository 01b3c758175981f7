package useragent

import (
	"strings"

	"github.com/rtbwire/rtbwire/internal/mem"
)

// word is a word of user agents, or several with one meaning.
type word uint8

// The words whose place is of interest, browsers first. Where a text has several browsers, the
// first one of this list is what it claims to be: Edge names Chrome and Safari too.
const (
	edge word = iota
	opera
	samsungBrowser
	silk
	ucBrowser
	yandexBrowser
	miBrowser
	huaweiBrowser
	otherBrowser
	inApp
	fxiOS
	firefox
	criOS
	chrome
	msie
	trident
	safari

	version // of Safari
	android
	cpu // "CPU iPhone OS 17_4"
	ios // "iOS 17.4"
	ipadOS
	tvOS
	macOS
	mac // "Mac OS X 10_15_7"
	windowsNT
	cros
	tizen
	webOS
	dvp // "Roku/DVP-14.5"

	positions // how many these are
)

// The other words.
const (
	iphone word = positions + iota
	ipad
	appleTV
	macintosh
	darwin
	webKit
	mobile
	tablet
	tv
	windows
	linux
	x11
	roku
	playStation
	xbox
	nintendo
	webView
	amazon
	otherOS
	crawler
	generic // looks like a crawler
	headless
	app
	library

	wordCount
)

// A set has a bit for each word.
type set uint64

func (w word) bit() set { return 1 << w }

const _ = uint(64 - wordCount)

// browserWords are the words of browsers.
const browserWords = set(1)<<version - 1

// spelling is how a word is written.
type spelling struct {
	text string // letters in either case
	word word   // whose place it is
	also set    // other words that it means

	// part means that letters may follow.
	part bool
}

// spellings are the spellings of systems, devices and browsers. Clients and crawlers are data:
// agents. Of those with one beginning, the frequent ones come first.
var spellings = []spelling{
	{text: "android", word: android},
	{text: "androidtv", word: android, also: tv.bit()},
	{text: "cpu ", word: cpu, part: true},
	{text: "iphone", word: iphone},
	{text: "ipod", word: iphone},
	{text: "ipad", word: ipad},
	{text: "ios ", word: ios, part: true},
	{text: "ios/", word: ios, part: true},
	{text: "ios;", word: ios, part: true},
	{text: "ios)", word: ios, part: true},
	{text: "ipados", word: ipadOS},
	{text: "tvos", word: tvOS},
	{text: "applewebkit", word: webKit},
	{text: "apple tv", word: appleTV},
	{text: "appletv", word: appleTV},
	{text: "macintosh", word: macintosh},
	{text: "macos", word: macOS},
	{text: "mac os x", word: mac},
	{text: "darwin", word: darwin},
	{text: "windows nt ", word: windowsNT, also: windows.bit(), part: true},
	{text: "windows", word: windows},
	{text: "linux", word: linux},
	{text: "x11;", word: x11, part: true},
	{text: "x11)", word: x11, part: true},
	{text: "cros", word: cros},
	{text: "tizen", word: tizen, also: linux.bit()},
	{text: "web0s", word: webOS, also: tv.bit()},
	{text: "webos", word: webOS, also: tv.bit()},
	{text: "roku", word: roku, also: tv.bit()},
	{text: "dvp-", word: dvp, also: roku.bit() | tv.bit(), part: true},
	{text: "playstation", word: playStation},
	{text: "xbox", word: xbox},
	{text: "nintendo", word: nintendo},

	// Systems of their own. Windows Phone names Android and iPhone, KaiOS names Android.
	{text: "windows phone", word: otherOS},
	{text: "iemobile", word: otherOS},
	{text: "blackberry", word: otherOS},
	{text: "bb10", word: otherOS},
	{text: "symbian", word: otherOS, part: true},
	{text: "symbos", word: otherOS},
	{text: "kaios", word: otherOS},
	{text: "openharmony", word: otherOS},
	{text: "bada", word: otherOS},
	{text: "j2me", word: otherOS},
	{text: "freebsd", word: otherOS},
	{text: "openbsd", word: otherOS},
	{text: "netbsd", word: otherOS},
	{text: "fuchsia", word: otherOS},
	{text: "watchos", word: otherOS},
	{text: "visionos", word: otherOS},

	// Forms.
	{text: "mobile", word: mobile},
	{text: "tablet", word: tablet},
	{text: "smart-tv", word: tv},
	{text: "smarttv", word: tv},
	{text: "smart tv", word: tv},
	{text: "smart_tv", word: tv},
	{text: "tv safari", word: tv},
	{text: "hbbtv", word: tv},
	{text: "netcast", word: tv},
	{text: "googletv", word: tv},
	{text: "bravia", word: tv},
	{text: "shield android tv", word: tv},
	{text: "crkey", word: tv},
	{text: "chromecast", word: tv},
	{text: "mibox", word: tv},
	{text: "mitv", word: tv},
	{text: "vidaa", word: tv},
	{text: "viera", word: tv},
	{text: "aquos", word: tv},
	{text: "large screen", word: tv},

	// Browsers.
	{text: "edg/", word: edge, part: true},
	{text: "edge", word: edge},
	{text: "edga", word: edge},
	{text: "edgios", word: edge},
	{text: "opr/", word: opera, part: true},
	{text: "opt/", word: opera, part: true},
	{text: "opios", word: opera},
	{text: "opera", word: opera},
	{text: "samsungbrowser", word: samsungBrowser},
	{text: "silk", word: silk, also: amazon.bit()},
	{text: "ucbrowser", word: ucBrowser},
	{text: "yabrowser", word: yandexBrowser},
	{text: "miuibrowser", word: miBrowser},
	{text: "huaweibrowser", word: huaweiBrowser},
	{text: "vivaldi", word: otherBrowser},
	{text: "duckduckgo", word: otherBrowser},
	{text: "ddg/", word: otherBrowser, part: true},
	{text: "whale", word: otherBrowser},
	{text: "mqqbrowser", word: otherBrowser},
	{text: "qqbrowser", word: otherBrowser},
	{text: "vivobrowser", word: otherBrowser},
	{text: "heytapbrowser", word: otherBrowser},
	{text: "maxthon", word: otherBrowser},
	{text: "coc_coc_browser", word: otherBrowser},
	{text: "brave", word: otherBrowser},
	{text: "ecosia", word: otherBrowser},
	{text: "puffin", word: otherBrowser},
	{text: "seamonkey", word: otherBrowser},
	{text: "focus/", word: otherBrowser, part: true},
	{text: "klar/", word: otherBrowser, part: true},
	{text: "fxios", word: fxiOS},
	{text: "firefox", word: firefox},
	{text: "crios", word: criOS},
	{text: "chrome", word: chrome},
	{text: "chromium", word: chrome},
	{text: "msie", word: msie},
	{text: "trident", word: trident},
	{text: "safari", word: safari},
	{text: "version", word: version},
	{text: "wv) ", word: webView, part: true},
	{text: "wv; ", word: webView, part: true},
	{text: "amazonwebappplatform", word: amazon},

	// Apps that say their name.
	{text: "fbav/", word: inApp, part: true},
	{text: "instagram", word: inApp},
	{text: "gsa/", word: inApp, part: true},
	{text: "snapchat", word: inApp},
	{text: "micromessenger", word: inApp},
	{text: "musical_ly", word: inApp},
	{text: "bytedancewebview", word: inApp},
	{text: "trill_", word: inApp, part: true},
	{text: "kakaotalk", word: inApp},
	{text: "line/", word: inApp, part: true},
	{text: "pinterest", word: inApp},
	{text: "naver", word: inApp},
}

// agent is a crawler, a headless browser or a client that is known.
type agent struct {
	token    string
	kind     word // crawler, headless, app or library
	chromium bool // the version after the token is Chromium's
}

// entry is a spelling, compiled.
type entry struct {
	head, mask   uint64 // its first eight bytes, folded, and which of them it has
	head2, mask2 uint64 // the next eight
	text         string // all of them, folded
	first        set    // word
	means        set    // word and also
	next         *entry // with the same slot
	place        uint8  // of word, in found.at
	size         uint8
	agent        uint8
	whole        class // letter if none may follow
}

// The slot of a word depends on its first four bytes. The factor was searched for: with it few
// beginnings share a slot, the most frequent ones are alone in theirs, and the words of almost
// every user agent that mean nothing have empty ones.
const (
	slotBits   = 10
	slotFactor = 0x9e3adce1
)

// slotOf returns the slot of a folded word.
func slotOf(text uint64) uint32 { return uint32(text) * slotFactor >> (32 - slotBits) }

// words are all spellings, by slot.
var words = compile()

func compile() (slots [1 << slotBits]*entry) {
	add := func(e entry) {
		slot := &slots[slotOf(e.head)]
		for *slot != nil && !(*slot).hides(&e) {
			slot = &(*slot).next
		}
		e.next, *slot = *slot, &e
	}
	for _, s := range spellings {
		add(newEntry(s))
	}
	for i, a := range agents[1:] {
		s := spelling{text: a.token, word: a.kind, part: classes[a.token[len(a.token)-1]]&letter == 0}
		if a.chromium {
			s.word, s.also = chrome, s.word.bit()
		}
		e := newEntry(s)
		e.agent = uint8(i + 1)
		add(e)
	}
	return slots
}

func newEntry(s spelling) entry {
	e := entry{
		first: s.word.bit(), means: s.word.bit() | s.also, place: uint8(min(s.word, positions)),
		size: uint8(len(s.text)),
	}
	if !s.part {
		e.whole = letter
	}
	folded := []byte(s.text)
	for i := range folded {
		folded[i] |= caseBit
	}
	e.text = string(folded)
	e.head, e.mask = wordOf(e.text)
	e.head2, e.mask2 = wordOf(e.text[min(8, len(e.text)):])
	return e
}

// hides reports whether e is found where o is, so that o has to be tried first.
func (e *entry) hides(o *entry) bool {
	rest, begins := strings.CutPrefix(o.text, e.text)
	return begins && (rest == "" || e.whole&classes[rest[0]] == 0)
}

// wordOf returns the first eight bytes of s, and which of them there are.
func wordOf(s string) (word, mask uint64) {
	for i := range min(len(s), 8) {
		word |= uint64(s[i]) << (8 * i)
		mask |= 0xff << (8 * i)
	}
	return word, mask
}

// caseBit is what tells a small letter from a capital. Folding sets it in every byte, which makes
// equal what no user agent has in place of a letter, a digit or a separator: control characters.
const caseBit = 0x20

// fold folds eight bytes.
func fold(word uint64) uint64 { return word | 0x0101010101010101*caseBit }

// foldedIs reports whether t[at:] begins with text, which is folded.
func foldedIs(t mem.Text, at int, text string) bool {
	for i := range len(text) {
		if t.At(at+i)|caseBit != text[i] {
			return false
		}
	}
	return true
}
