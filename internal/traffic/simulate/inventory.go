package simulate

import "strconv"

// store is where an app comes from.
type store uint8

const (
	play store = iota
	apple
	rokuStore
	samsungStore
	lgStore
	amazonStore
)

// storeOf is the store of a platform's apps.
var storeOf = [platforms]store{
	android: play, ios: apple, tvOS: apple, roku: rokuStore, tizen: samsungStore, webOS: lgStore, fireTV: amazonStore,
}

// The inventory comes back with heavy tails too: there are 2,040 apps for each store and language,
// and 8,184 sites for each language.
var (
	apps  = tail{first: 8, octaves: 8}
	sites = tail{first: 8, octaves: 10}
)

// app is an app. All of it follows from the seed, the store, the language and the rank.
type app struct {
	key       uint64
	store     store
	language  *language
	words     [2]int
	nameWords [2]string // in ASCII
	id        int       // the store's number
	number    int       // for names that are taken already; 0 for none
	version   [3]int
	video     bool // an app for films, with content
}

// newApp returns the app of a rank.
func (g *Generator) newApp(st store, l *language, rank int, video bool) (a app) {
	kind := uint64(2)
	if video {
		kind = 3
	}
	s := source{hash(hash(g.world, uint64(rank)<<8|kind), uint64(st)<<8|uint64(l.code[0])<<16|uint64(l.code[1])<<24)}
	a = app{key: s.next(), store: st, language: l, video: video}
	a.words = [2]int{s.below(len(l.words)), s.below(len(l.words))}
	a.nameWords = [2]string{l.words[a.words[0]], l.words[a.words[1]]}
	switch st {
	case apple:
		a.id = s.between(300_000_000, 1_690_000_000)
	case rokuStore:
		a.id = s.between(12_000, 680_000)
	case lgStore:
		a.id = s.between(200_000, 990_000)
	default:
		a.id = s.between(1_000_000, 9_999_999)
	}
	if rank >= apps.first {
		a.number = 2 + s.below(98)
	}
	a.version = [3]int{s.between(1, 12), s.below(40), s.below(10)}
	return a
}

// appendBundle appends the app's id in its store.
func (a *app) appendBundle(dst []byte) []byte {
	switch a.store {
	case play:
		dst = append(dst, "com.example."...)
		dst = append(append(dst, a.nameWords[0]...), a.nameWords[1]...)
		if a.number > 0 {
			dst = strconv.AppendInt(dst, int64(a.number), 10)
		}
		return dst
	case samsungStore:
		return appendPadded(append(dst, "G2"...), uint64(a.id)*997%10_000_000_000, 10)
	case amazonStore:
		return appendBase36(append(dst, "B0"...), a.key, 8)
	}
	return strconv.AppendInt(dst, int64(a.id), 10)
}

// appendStoreURL appends the app's page in its store.
func (a *app) appendStoreURL(dst []byte, c *country) []byte {
	switch a.store {
	case play:
		return a.appendBundle(append(dst, "https://play.google.com/store/apps/details?id="...))
	case apple:
		dst = append(append(append(dst, "https://apps.apple.com/"...), c.store...), "/app/"...)
		dst = append(a.appendSlug(dst), "/id"...)
		return a.appendBundle(dst)
	case rokuStore:
		dst = a.appendBundle(append(dst, "https://channelstore.roku.com/details/"...))
		return a.appendSlug(append(dst, '/'))
	case samsungStore:
		return append(a.appendBundle(append(dst, "https://www.samsung.com/us/appstore/app/"...)), '/')
	case lgStore:
		return a.appendBundle(append(dst, "https://us.lgappstv.com/main/tvapp/detail?appId="...))
	default:
		return a.appendBundle(append(dst, "https://www.amazon.com/dp/"...))
	}
}

// appendSlug appends the name as it is in addresses.
func (a *app) appendSlug(dst []byte) []byte {
	dst = append(append(append(dst, a.nameWords[0]...), '-'), a.nameWords[1]...)
	if a.number > 0 {
		dst = append(dst, '-')
		dst = strconv.AppendInt(dst, int64(a.number), 10)
	}
	return dst
}

// appendName appends the name as people read it.
func (a *app) appendName(dst []byte) []byte {
	return appendName(dst, a.language, a.words, a.number)
}

// appendVersion appends the app's version.
func (a *app) appendVersion(dst []byte) []byte {
	for i, n := range a.version {
		if i > 0 {
			dst = append(dst, '.')
		}
		dst = strconv.AppendInt(dst, int64(n), 10)
	}
	return dst
}

func appendName(dst []byte, l *language, words [2]int, number int) []byte {
	dst = append(append(append(dst, l.names[words[0]]...), ' '), l.names[words[1]]...)
	if number > 0 {
		dst = append(dst, ' ')
		dst = strconv.AppendInt(dst, int64(number), 10)
	}
	return dst
}

// site is a website. Its domain ends in .example, which is reserved (RFC 2606).
type site struct {
	key      uint64
	language *language
	words    [2]int
	number   int
	www      bool
	mobile   bool
}

// newSite returns the site of a rank.
func (g *Generator) newSite(l *language, rank int) (st site) {
	s := source{hash(hash(g.world, uint64(rank)<<8|4), uint64(l.code[0])<<8|uint64(l.code[1]))}
	st = site{key: s.next(), language: l, words: [2]int{s.below(len(l.words)), s.below(len(l.words))}}
	if rank >= sites.first {
		st.number = 2 + s.below(998)
	}
	st.www, st.mobile = s.percent(60), s.percent(80)
	return st
}

// appendDomain appends the registered domain.
func (st *site) appendDomain(dst []byte) []byte {
	dst = append(append(dst, st.language.words[st.words[0]]...), st.language.words[st.words[1]]...)
	if st.number > 0 {
		dst = strconv.AppendInt(dst, int64(st.number), 10)
	}
	return append(dst, ".example"...)
}

// appendPage appends the address of a page. long adds the parameters that campaigns leave in it.
func (st *site) appendPage(dst []byte, page uint64, long bool) []byte {
	dst = append(dst, "https://"...)
	if st.www {
		dst = append(dst, "www."...)
	}
	dst = append(st.appendDomain(dst), '/')
	words := st.language.words
	if page&15 == 0 {
		return dst
	}
	dst = append(append(dst, words[page>>4&15]...), '/')
	dst = append(append(dst, words[page>>8&15]...), '-')
	dst = append(append(dst, words[page>>12&15]...), '-')
	dst = strconv.AppendUint(dst, page>>16%1_000_000, 10)
	if page&1 == 0 {
		dst = append(dst, ".html"...)
	}
	if long {
		dst = append(dst, "?utm_source=newsletter&utm_medium=email&utm_campaign="...)
		dst = append(append(dst, words[page>>20&15]...), '_')
		dst = append(dst, words[page>>24&15]...)
	}
	return dst
}

// appendPadded appends a number with leading zeros.
func appendPadded(dst []byte, n uint64, digits int) []byte {
	start := len(dst)
	for range digits {
		dst = append(dst, '0')
	}
	for i := len(dst) - 1; i >= start; i-- {
		dst[i] = byte('0' + n%10)
		n /= 10
	}
	return dst
}

// appendBase36 appends digits and capital letters.
func appendBase36(dst []byte, n uint64, digits int) []byte {
	for range digits {
		dst = append(dst, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[n%36])
		n /= 36
	}
	return dst
}

const hexDigits = "0123456789abcdef"

// appendHex appends digits of a number, the lowest first.
func appendHex(dst []byte, n uint64, digits int) []byte {
	for range digits {
		dst = append(dst, hexDigits[n&15])
		n >>= 4
	}
	return dst
}

// appendUUID appends a version 4 UUID.
func appendUUID(dst []byte, key uint64, upper bool) []byte {
	start := len(dst)
	hi, lo := mix(key), mix(key+golden)
	dst = append(appendHex(dst, hi, 8), '-')
	dst = append(appendHex(dst, hi>>32, 4), '-', '4')
	dst = append(appendHex(dst, hi>>48, 3), '-', hexDigits[8+lo&3])
	dst = append(appendHex(dst, lo>>2, 3), '-')
	dst = appendHex(dst, lo>>14, 12)
	if upper {
		for i := start; i < len(dst); i++ {
			if c := dst[i]; c >= 'a' && c <= 'f' {
				dst[i] = c - 'a' + 'A'
			}
		}
	}
	return dst
}
