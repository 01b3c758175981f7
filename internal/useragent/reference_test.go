package useragent

import (
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/simd/literals"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// This file is a second implementation of Parse, slow and clear. It shares the lists of words and
// versions with the first one, and nothing else.

// refText is a text with what was found in it.
type refText struct {
	text   string // as it is, cut off at TextMax, with a space before it and zeros after it
	folded string
	ends   map[word][]int // where words end, in order
	agents []int          // that were found, in order
}

// refWord is a spelling or an agent.
type refWord struct {
	text  string
	means []word // the first one is the one whose place counts
	part  bool
	agent int
}

// refWords are all words, longer ones first.
var refWords = func() (list []refWord) {
	for _, s := range spellings {
		w := refWord{text: refFold(s.text), means: []word{s.word}, part: s.part}
		for also := range wordCount {
			if s.also>>also&1 != 0 {
				w.means = append(w.means, also)
			}
		}
		list = append(list, w)
	}
	for i, a := range agents {
		if i == 0 {
			continue
		}
		w := refWord{text: refFold(a.token), means: []word{a.kind}, agent: i}
		if a.chromium {
			w.means = []word{chrome, a.kind}
		}
		last := a.token[len(a.token)-1]
		w.part = !('a' <= last && last <= 'z' || 'A' <= last && last <= 'Z')
		list = append(list, w)
	}
	// A longer word is tried before one that it begins with.
	for i := range list {
		for k := i + 1; k < len(list); k++ {
			if len(list[k].text) > len(list[i].text) {
				list[i], list[k] = list[k], list[i]
			}
		}
	}
	return list
}()

// refFold sets the bit that tells small letters from capitals in every byte.
func refFold(s string) string {
	b := []byte(s)
	for i := range b {
		b[i] |= 0x20
	}
	return string(b)
}

var isLetterThere = regexp.MustCompile(`^[a-zA-Z]`).MatchString

func newRef(ua string) *refText {
	t := &refText{ends: map[word][]int{}}
	t.text = " " + ua[:min(len(ua), TextMax)] + strings.Repeat("\x00", 64)
	t.folded = refFold(t.text)
	for at := 1; at < len(t.text)-64; at++ {
		if !strings.Contains(" (;/,", t.text[at-1:at]) || !isLetterThere(t.text[at:]) {
			continue
		}
		for _, w := range refWords {
			end := at + len(w.text)
			if strings.HasPrefix(t.folded[at:], w.text) && (w.part || !isLetterThere(t.text[end:])) {
				for _, m := range w.means {
					t.ends[m] = append(t.ends[m], end)
				}
				if w.means[0] == chrome && w.agent != 0 {
					t.ends[w.means[1]] = append(t.ends[w.means[1]], end)
				}
				if w.agent != 0 {
					t.agents = append(t.agents, w.agent)
				}
				break
			}
		}
	}
	return t
}

func (t *refText) has(list ...word) bool {
	for _, w := range list {
		if len(t.ends[w]) > 0 {
			return true
		}
	}
	return false
}

// after returns the text after the first place of a word that has one of its own.
func (t *refText) after(w word) string {
	if !t.has(w) {
		return ""
	}
	return t.text[t.ends[w][0]:]
}

var refVersion = regexp.MustCompile(`^[ /_:-]?(\d{1,5})(?:[._](\d{1,5}))?`)

// refVersionOf reads a version.
func refVersionOf(s string) (major, minor int16) {
	m := refVersion.FindStringSubmatch(s)
	if m == nil {
		return -1, -1
	}
	return refNumber(m[1]), refNumber(m[2])
}

func refNumber(s string) int16 {
	n, err := strconv.Atoi(s)
	switch {
	case err != nil:
		return -1
	case len(s) > 4:
		return 9999
	}
	return int16(n)
}

// refModel is everything up to the model of an Android device.
var refModel = regexp.MustCompile(`^[ /_:-]?\d{0,5}[^;)\x00]{0,12}; ?` +
	`(?:[a-z]{2}; ?|[a-z]{2}[-_][a-zA-Z]{2}; ?)?`)

// modelOf returns the model after the version of Android.
func modelOf(s string) (model string, reduced bool) {
	loc := refModel.FindStringIndex(onlyASCII(s))
	if loc == nil {
		return "", false
	}
	s = s[loc[1]:]
	if refReduced.MatchString(onlyASCII(s)) {
		return "", true
	}
	if refNoModel.MatchString(onlyASCII(s)) {
		return "", false
	}
	if s[0] == 'H' && strings.HasPrefix(refFold(s), "harmonyos; ") {
		s = s[len("harmonyos; "):]
	}
	return s, false
}

// onlyASCII has a question mark for every byte above ASCII, because expressions are about runes.
func onlyASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 0x80 {
			b[i] = '?'
		}
	}
	return string(b)
}

var (
	refReduced = regexp.MustCompile(`^K(?:[^a-zA-Z0-9_-]|$)`)
	refNoModel = regexp.MustCompile(`^(?s:[);\x00]|M(?i:obile)|T(?i:ablet)|r(?i:v[:\x1a])|w(?i:v[)\x09]))`)
	refAmazon  = regexp.MustCompile(`^(?:AFT[A-Z]|KF[A-Z])`)
)

// refParse is Parse.
func refParse(ua string) (c Claims) {
	t := newRef(ua)
	c.text = ua
	c.OSMajor, c.OSMinor, c.Major, c.Chromium = -1, -1, -1, -1
	c.Empty = strings.Trim(ua, " \t") == ""
	c.Mobile, c.Headless, c.WebView = t.has(mobile), t.has(headless), t.has(webView)
	if len(t.agents) > 0 {
		c.agent = uint8(t.agents[0])
	}
	t.refSystem(&c)
	t.refBrowser(&c)
	t.refKinds(&c)
	c.Form = t.refForm(&c)
	c.Desktop = c.Form == Desktop && c.Browser != BrowserUnknown && !c.MaybeIPad && !c.X11
	t.refFaults(&c, ua)
	return c
}

var (
	refCPU     = regexp.MustCompile(`^(?:iphone )?os `)
	systemsRef = []struct {
		words []word
		os    OS
	}{
		{[]word{otherOS, nintendo}, OtherOS},
		{[]word{xbox}, Xbox},
		{[]word{playStation}, PlayStation},
		{[]word{roku}, Roku},
		{[]word{tizen}, Tizen},
		{[]word{webOS}, WebOS},
		{[]word{tvOS, appleTV}, TvOS},
		{[]word{android}, Android},
		{[]word{ipad, ipadOS}, IPadOS},
		{[]word{iphone, ios}, IOS},
		{[]word{cros}, ChromeOS},
		{[]word{windows}, Windows},
		{[]word{macintosh, macOS, mac}, MacOS},
		{[]word{darwin}, Darwin},
		{[]word{linux, x11}, Linux},
	}
)

func (t *refText) refSystem(c *Claims) {
	for _, s := range systemsRef {
		if t.has(s.words...) {
			c.OS = s.os
			break
		}
	}
	if c.OS == Android && t.has(iphone, ipad, ipadOS) {
		c.OS = OSUnknown
	}
	text := ""
	switch c.OS {
	case Android:
		text = t.after(android)
	case Windows:
		text = t.after(windowsNT)
	case Tizen:
		text = t.after(tizen)
	case Roku:
		text = t.after(dvp)
	case MacOS:
		if text = t.after(mac); text == "" {
			text = t.after(macOS)
		}
	case IOS, IPadOS, TvOS:
		switch {
		case t.has(cpu):
			text = t.after(cpu)
			if n := len(refCPU.FindString(refFold(text))); n > 0 {
				text = text[n:]
			} else {
				text = ""
			}
		case t.has(ios):
			text = t.after(ios)
		case t.has(ipadOS):
			text = t.after(ipadOS)
		default:
			text = t.after(tvOS)
		}
	}
	c.OSMajor, c.OSMinor = refVersionOf(text)
	reduced := false
	if c.OS == Android {
		var model string
		if model, reduced = modelOf(text); model != "" {
			c.model = uint16(len(t.text) - len(model))
		}
		if t.has(amazon) || refAmazon.MatchString(model) {
			c.OS = FireOS
		}
	}
	switch c.OS {
	case Android, FireOS:
		c.Frozen = c.OSMajor == 10 && (reduced || t.has(firefox))
	case IOS, IPadOS:
		c.Frozen = c.OSMajor == 18 && c.OSMinor >= 6
	case MacOS:
		c.Frozen = c.OSMajor == 10 && c.OSMinor >= 15
		c.MaybeIPad = t.has(macintosh) && !t.has(chrome) && !t.has(firefox)
	case Windows:
		c.Frozen = c.OSMajor == 10
	case Linux:
		c.X11 = t.has(x11)
	}
}

var browsersRef = []struct {
	word    word
	browser Browser
}{
	{edge, Edge}, {opera, Opera}, {samsungBrowser, SamsungInternet}, {silk, Silk}, {ucBrowser, UCBrowser}, {yandexBrowser, Yandex},
	{miBrowser, MiBrowser}, {huaweiBrowser, HuaweiBrowser}, {otherBrowser, OtherBrowser}, {inApp, InApp}, {fxiOS, Firefox},
	{firefox, Firefox}, {criOS, Chrome}, {chrome, Chrome}, {msie, InternetExplorer}, {trident, InternetExplorer}, {safari, Safari},
}

func (t *refText) refBrowser(c *Claims) {
	c.Chromium, _ = refVersionOf(t.after(chrome))
	for _, b := range browsersRef {
		if !t.has(b.word) {
			continue
		}
		c.Browser = b.browser
		c.Major, _ = refVersionOf(t.after(b.word))
		switch {
		case b.word == trident && c.Major >= 0:
			c.Major += 4
		case b.word == inApp && c.Major == 9999:
			c.Major = -1
		case b.word == safari:
			c.Major, _ = refVersionOf(t.after(version))
			switch c.OS {
			case Android, FireOS:
				c.Browser = AndroidBrowser
			case Linux, ChromeOS, WebOS, Tizen, Roku, PlayStation, Xbox, OtherOS, Darwin:
				c.Browser = OtherBrowser
			}
		case b.word == chrome && (c.OS == Android || c.OS == FireOS) && t.has(webView, version):
			c.Browser, c.WebView = WebView, true
		}
		c.WebView = c.WebView || b.word == inApp
		return
	}
	if t.has(webKit) && (c.OS == IOS || c.OS == IPadOS || c.OS == MacOS) {
		c.Browser, c.WebView = WebView, true
	}
}

// Texts that look like crawlers, folded.
var (
	refBot     = regexp.MustCompile(`(?i)bot[^a-z0-9]`)
	refCrawl   = regexp.MustCompile(`(?i)crawler[^a-z]`)
	refSpider  = regexp.MustCompile(`(?i)spider[/;)\x00]`)
	refAddress = regexp.MustCompile(`(?i)[ (;/,]\+http`)
)

func (t *refText) refKinds(c *Claims) {
	text := onlyASCII(t.text[:len(t.text)-63])
	looks := refCrawl.MatchString(text) || refSpider.MatchString(text) || refAddress.MatchString(text)
	for _, at := range refBot.FindAllStringIndex(text, -1) {
		looks = looks || !strings.HasSuffix(strings.ToLower(text[:at[0]]), "cu")
	}
	c.Crawler = t.has(crawler) || looks && !t.has(app, library, webView, inApp)
	switch {
	case t.has(app):
		c.Client = AppClient
	case t.has(library):
		c.Client = LibraryClient
	}
}

func (t *refText) refForm(c *Claims) Form {
	model := ""
	if c.model > 0 {
		model = t.text[c.model:]
	}
	switch {
	case c.OS == Xbox || c.OS == PlayStation:
		return Console
	case c.OS == Roku || c.OS == TvOS || c.OS == WebOS:
		return TV
	case c.OS == IPadOS:
		return Tablet
	case c.OS == Windows || c.OS == MacOS || c.OS == ChromeOS:
		return Desktop
	case t.has(tv) || c.OS == FireOS && strings.HasPrefix(model, "A"):
		return TV
	case t.has(nintendo):
		return Console
	case t.has(tablet) || c.OS == FireOS && model != "":
		return Tablet
	case c.OS == IOS && t.has(iphone) || c.Mobile:
		return Phone
	case c.OS == Android && c.Browser != BrowserUnknown && !c.WebView:
		return Tablet
	case c.X11:
		return Desktop
	}
	return FormUnknown
}

func (t *refText) refFaults(c *Claims, ua string) {
	set := func(fault Faults, ok bool) {
		if ok {
			c.Faults |= fault
		}
	}
	text := ua[:min(len(ua), TextMax)]
	depth, balanced := 0, true
	for i := range len(text) {
		depth += map[byte]int{'(': 1, ')': -1}[text[i]]
		balanced = balanced && depth >= 0
		set(ControlCharacter, text[i] < ' ' && text[i] != '\t' || text[i] == 0x7f)
	}
	set(TooLong, len(ua) > TextMax)
	set(Unbalanced, len(ua) <= TextMax && (!balanced || depth != 0))
	exists := func(version int16, l limit) bool {
		return version < 0 || l.most == 0 || version > 0 && version <= l.most && (version < l.gap || version > l.gapEnd)
	}
	set(ImpossibleOS, !exists(c.OSMajor, osLimits[c.OS]))
	set(ImpossibleBrowser, !exists(c.Major, browserLimits[c.Browser]) || c.Chromium > browserLimits[Chrome].most)
	if c.OSMajor < 0 {
		return
	}
	least := int16(0)
	switch {
	case c.OS == Android && (c.Browser == Chrome || c.Browser == WebView):
		for _, n := range androidNeeds {
			if c.Chromium >= n.chrome {
				least = max(least, n.least-1)
			}
		}
	case c.OS == Windows && c.Browser == Chrome:
		for _, n := range windowsNeeds {
			if c.Chromium >= n.chrome+10 {
				least = max(least, n.least)
			}
		}
	case (c.OS == IOS || c.OS == IPadOS) && c.Browser == Safari && c.OSMajor < 18:
		least = c.Major - 1
	}
	set(ImpossiblePair, c.OSMajor < least)
}

// compareReference fails for a text of which the two say different things.
func compareReference(tb testing.TB, ua string) {
	tb.Helper()
	got, want := Parse(ua), refParse(ua)
	if got != want {
		tb.Fatalf("%q\nParse: %s %+v\n reference: %s %+v", ua, describe(got), got, describe(want), want)
	}
}

func TestReference(t *testing.T) {
	order, _ := golden(t)
	for _, ua := range order {
		compareReference(t, ua)
		compareReference(t, strings.ToUpper(ua))
		compareReference(t, strings.ToLower(ua))
	}
	for _, s := range spellings {
		for _, next := range []string{"", " ", "/1", "a", "-x", ")", "12", "\x00"} {
			compareReference(t, s.text+next)
			compareReference(t, "x"+s.text+next)
			compareReference(t, "("+s.text+next)
		}
	}
	for i := range agents {
		for _, next := range []string{"", "/3.5", "bot/1", " (Linux; Android 9; Pixel 3)"} {
			compareReference(t, agents[i].token+next)
			compareReference(t, "Mozilla/5.0 (compatible; "+agents[i].token+next)
		}
	}
}

// TestReferenceCutOff cuts user agents off at every length, and puts them at the end of longer
// texts.
func TestReferenceCutOff(t *testing.T) {
	order, _ := golden(t)
	for i, ua := range order {
		if i%testkit.Scale(t, 17, 5, 1) != 0 {
			continue
		}
		for n := range len(ua) {
			compareReference(t, ua[:n])
		}
		for _, before := range []int{shortMax - len(ua), TextMax - len(ua), TextMax - len(ua)/2, TextMax} {
			for shift := -3; shift < 4; shift++ {
				compareReference(t, strings.Repeat("x", max(before+shift, 0))+" "+ua)
			}
		}
	}
}

// randomUA makes a text of parts of user agents.
func randomUA(r *rand.Rand, parts []string) string {
	var b strings.Builder
	for range r.IntN(25) {
		switch r.IntN(8) {
		case 0:
			b.WriteByte("0123456789._"[r.IntN(12)])
		case 1:
			b.WriteByte(byte(r.IntN(256)))
		case 2:
			b.WriteByte(" (;/,)+"[r.IntN(7)])
		default:
			b.WriteString(parts[r.IntN(len(parts))])
		}
	}
	return b.String()
}

// uaParts returns parts of user agents.
func uaParts(tb testing.TB) (parts []string) {
	tb.Helper()
	order, _ := golden(tb)
	split := regexp.MustCompile(`[^ (;/,)]+|[ (;/,)]+`)
	for _, ua := range order {
		parts = append(parts, split.FindAllString(ua, -1)...)
	}
	for _, s := range spellings {
		parts = append(parts, s.text)
	}
	for _, a := range agents {
		parts = append(parts, a.token)
	}
	return parts
}

func TestReferenceRandom(t *testing.T) {
	parts := uaParts(t)
	r := rand.New(rand.NewPCG(5, 6))
	for range testkit.Scale(t, 500, 5000, 500_000) {
		compareReference(t, randomUA(r, parts))
	}
}

// TestReferenceLevels repeats the comparison with each kernel.
func TestReferenceLevels(t *testing.T) {
	order, _ := golden(t)
	for _, l := range literals.Levels() {
		previous := literals.SetLevel(l)
		for _, ua := range order {
			compareReference(t, ua)
		}
		literals.SetLevel(previous)
	}
}

func FuzzParse(f *testing.F) {
	order, _ := golden(f)
	for _, ua := range order {
		f.Add(ua)
	}
	f.Add(strings.Repeat("(", TextMax+1))
	f.Fuzz(func(t *testing.T, ua string) {
		compareReference(t, ua)
		c := Parse(ua)
		if model := c.Model(); !strings.Contains(ua, model) || len(model) > TextMax {
			t.Errorf("%q: model %q", ua, model)
		}
	})
}
