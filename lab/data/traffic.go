package data

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// Config says what traffic to make. The zero value means six exchanges, the sizes of [Sizes], and
// no broken request.
type Config struct {
	Seed      uint64
	Exchanges int     // the number of orders of keys
	Broken    float64 // the share of requests that no decoder may accept
	Sizes     Mix     // how large requests are
}

// Mix is a distribution: the weight of each kind of request.
type Mix struct{ Banner, Video, App, CTV int }

// Sizes is the default mix: most requests are small, a few are not.
var Sizes = Mix{Banner: 55, Video: 20, App: 20, CTV: 5}

// Traffic makes requests, the same ones for the same configuration. One goroutine may use it.
type Traffic struct {
	config    Config
	rand      *rand.Rand
	exchanges []exchange
	count     int
}

// Request is one request of the traffic.
type Request struct {
	Text     []byte
	Exchange int
	Fault    string // what is wrong with it, "" for nothing
}

// exchange says how one exchange writes.
type exchange struct {
	order   uint64 // the seed of its order of keys
	space   string // what it writes after a colon and a comma
	slashes bool   // writes a slash as \/
	ascii   bool   // writes other alphabets as \u escapes
	ext     bool   // adds members that no specification has
}

// New returns a generator.
func New(c Config) *Traffic {
	if c.Exchanges == 0 {
		c.Exchanges = 6
	}
	if c.Sizes == (Mix{}) {
		c.Sizes = Sizes
	}
	t := &Traffic{config: c, rand: rand.New(rand.NewPCG(c.Seed, 1))}
	for i := range c.Exchanges {
		e := exchange{order: c.Seed*31 + uint64(i), slashes: i%3 == 2, ascii: i%4 == 3, ext: i%2 == 0}
		if i%5 == 4 {
			e.space = " "
		}
		t.exchanges = append(t.exchanges, e)
	}
	return t
}

// Next makes a request. The caller may keep and change it.
func (t *Traffic) Next() Request {
	t.count++
	r := Request{Exchange: t.rand.IntN(len(t.exchanges))}
	e := &t.exchanges[r.Exchange]
	doc := t.request()
	var b bytes.Buffer
	e.write(&b, "", doc)
	r.Text = b.Bytes()
	if t.rand.Float64() < t.config.Broken {
		r.Text, r.Fault = t.spoil(r.Text)
	}
	return r
}

// object is a JSON object before an exchange has put its members into an order.
type object []member

type member struct {
	key   string
	value any // object, []any, string, int, float64
}

func list[T any](values ...T) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out
}

func (t *Traffic) request() object {
	m := t.config.Sizes
	n := t.rand.IntN(m.Banner + m.Video + m.App + m.CTV)
	doc := object{{"id", t.hex(32)}, {"at", 1 + t.rand.IntN(2)}, {"tmax", 80 + 10*t.rand.IntN(40)}, {"cur", list("USD")}}
	if t.rand.IntN(2) == 0 {
		doc = append(doc, member{"bcat", list("IAB25", "IAB26", "IAB7-39")})
	}
	switch {
	case n < m.Banner:
		return append(doc, member{"imp", list(t.banner(1))}, member{"site", t.site()}, member{"device", t.device(2)}, member{"user", t.user(0)})
	case n < m.Banner+m.Video:
		return append(doc, member{"imp", list(t.video(1, 0))}, member{"site", t.site()}, member{"device", t.device(2)},
			member{"user", t.user(1)}, member{"regs", t.regs()})
	case n < m.Banner+m.Video+m.App:
		imps := []any{}
		for i := range 1 + t.rand.IntN(4) {
			imps = append(imps, t.banner(i+1))
		}
		return append(doc, member{"imp", imps}, member{"app", t.app()}, member{"device", t.device(4)},
			member{"user", t.user(2)}, member{"source", t.source()}, member{"regs", t.regs()})
	default:
		imps := []any{}
		for i := range 3 + t.rand.IntN(5) {
			imps = append(imps, t.video(i+1, 1))
		}
		return append(doc, member{"imp", imps}, member{"app", t.app()}, member{"device", t.device(3)},
			member{"user", t.user(5)}, member{"source", t.source()}, member{"regs", t.regs()})
	}
}

func (t *Traffic) banner(id int) object {
	size := t.pick("300x250", "320x50", "728x90", "160x600")
	w, h, _ := strings.Cut(size, "x")
	width, _ := strconv.Atoi(w)
	height, _ := strconv.Atoi(h)
	return object{
		{"id", strconv.Itoa(id)}, {"tagid", "slot/" + size + "/" + t.hex(6)}, {"bidfloor", t.money()}, {"bidfloorcur", "USD"}, {"secure", 1},
		{"banner", object{{"w", width}, {"h", height}, {"pos", t.rand.IntN(8)}, {"battr", list(1, 2, 13)}}},
		{"ext", object{{"gpid", "/1111/home#" + t.hex(4)}, {"data", object{{"pbadslot", "/1111/home"}}}}},
	}
}

func (t *Traffic) video(id, pod int) object {
	v := object{
		{"mimes", list("video/mp4", "video/webm")}, {"minduration", 5}, {"maxduration", 15 * (1 + t.rand.IntN(4))}, {"protocols", list(2, 3, 5, 6, 7)},
		{"w", 1920}, {"h", 1080}, {"plcmt", 1}, {"linearity", 1}, {"playbackmethod", list(1, 3)}, {"api", list(7)},
	}
	if pod > 0 {
		v = append(v, member{"podid", "pod-" + t.hex(4)}, member{"slotinpod", t.rand.IntN(3)}, member{"mincpmpersec", t.money()})
	}
	return object{
		{"id", strconv.Itoa(id)}, {"bidfloor", t.money()}, {"bidfloorcur", "USD"}, {"secure", 1}, {"video", v},
		{"pmp", object{{"private_auction", 0}, {"deals", list(object{{"id", "deal-" + t.hex(6)}, {"bidfloor", t.money()}, {"at", 1}})}}},
	}
}

func (t *Traffic) publisher() object {
	return object{{"id", strconv.Itoa(t.rand.IntN(100000))}, {"name", t.name()}, {"domain", t.domain()}}
}

func (t *Traffic) site() object {
	domain := t.domain()
	return object{
		{"id", strconv.Itoa(t.rand.IntN(1000000))}, {"name", t.name()}, {"domain", domain}, {"cat", list("IAB1", "IAB3-1")},
		{"page", "https://" + domain + "/" + t.hex(12) + "?utm_source=" + t.hex(5)}, {"publisher", t.publisher()},
	}
}

func (t *Traffic) app() object {
	return object{
		{"id", strconv.Itoa(t.rand.IntN(1000000))}, {"name", t.name()}, {"bundle", "com.example." + t.hex(6)}, {"ver", "4." + strconv.Itoa(t.rand.IntN(60))},
		{"storeurl", "https://store.example/apps/details?id=com.example." + t.hex(6)}, {"cat", list("IAB9-30")}, {"publisher", t.publisher()},
	}
}

func (t *Traffic) device(kind int) object {
	return object{
		{"ua", "Mozilla/5.0 (" + t.pick("Windows NT 10.0; Win64; x64", "Linux; Android 14; Pixel 8", "iPhone; CPU iPhone OS 18_2 like Mac OS X", "SMART-TV; LINUX; Tizen 7.0") +
			") AppleWebKit/537.36 (KHTML, like Gecko) Chrome/" + strconv.Itoa(120+t.rand.IntN(20)) + ".0.0.0 Safari/537.36"},
		{"ip", fmt.Sprintf("198.51.100.%d", t.rand.IntN(256))}, {"devicetype", kind}, {"os", t.pick("Windows", "Android", "iOS", "Tizen")}, {"osv", strconv.Itoa(7 + t.rand.IntN(12))},
		{"language", t.pick("en", "de", "fr", "ja")}, {"js", 1}, {"dnt", 0}, {"lmt", t.rand.IntN(2)}, {"ifa", t.hex(32)},
		{"geo", object{{"lat", float64(t.rand.IntN(1800000)-900000) / 10000}, {"lon", float64(t.rand.IntN(3600000)-1800000) / 10000},
			{"country", t.pick("USA", "DEU", "JPN", "FRA")}, {"city", t.pick("New York", "Köln", "東京", "Orléans")}, {"type", 2}}},
	}
}

func (t *Traffic) user(eids int) object {
	u := object{{"id", t.hex(24)}, {"buyeruid", t.hex(20)}}
	var ids []any
	for i := range eids {
		ids = append(ids, object{
			{"source", "id" + strconv.Itoa(i) + ".example"},
			{"uids", list(object{{"id", t.hex(30 + t.rand.IntN(80))}, {"atype", 1 + t.rand.IntN(3)}})},
		})
	}
	if ids != nil {
		u = append(u, member{"eids", ids})
	}
	return u
}

func (t *Traffic) source() object {
	var nodes []any
	for i := range 1 + t.rand.IntN(4) {
		nodes = append(nodes, object{{"asi", t.domain()}, {"sid", strconv.Itoa(1000 + t.rand.IntN(9000))}, {"hp", 1}, {"rid", t.hex(8 + i)}})
	}
	return object{{"fd", 0}, {"tid", t.hex(32)}, {"schain", object{{"complete", 1}, {"ver", "1.0"}, {"nodes", nodes}}}}
}

func (t *Traffic) regs() object {
	return object{{"coppa", 0}, {"gdpr", t.rand.IntN(2)}, {"us_privacy", "1YNN"}, {"gpp_sid", list(7)}}
}

func (t *Traffic) hex(n int) string {
	const digits = "0123456789abcdef"
	b := make([]byte, n)
	for i := range b {
		b[i] = digits[t.rand.IntN(16)]
	}
	return string(b)
}

func (t *Traffic) money() float64 { return float64(1+t.rand.IntN(2500)) / 100 }

func (t *Traffic) pick(values ...string) string { return values[t.rand.IntN(len(values))] }

func (t *Traffic) name() string {
	return t.pick("Foobar News", "Puzzle Garden", "Новости дня", "Example \"Sports\" Live", "Café Wetter", "料理の本")
}

func (t *Traffic) domain() string {
	return t.pick("news", "games", "video", "weather", "recipes") + ".example"
}

// write writes a value as the exchange does. kind is the key of the value: objects of one kind have
// their members in the same order.
func (e *exchange) write(b *bytes.Buffer, kind string, v any) {
	switch v := v.(type) {
	case object:
		if kind != "ext" && e.ext && kind == "" {
			v = append(v, member{"ext", object{{"exchange", int(e.order % 97)}}})
		}
		e.sort(kind, v)
		b.WriteByte('{')
		for i, m := range v {
			if i > 0 {
				b.WriteString("," + e.space)
			}
			b.WriteString(`"` + m.key + `":` + e.space)
			e.write(b, m.key, m.value)
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, element := range v {
			if i > 0 {
				b.WriteString("," + e.space)
			}
			e.write(b, kind, element)
		}
		b.WriteByte(']')
	case string:
		e.text(b, v)
	case int:
		b.WriteString(strconv.Itoa(v))
	case float64:
		b.WriteString(strconv.FormatFloat(v, 'f', -1, 64))
	default:
		panic(fmt.Sprintf("data: %T at %s", v, kind))
	}
}

// sort puts members into the order of the exchange, which does not depend on which are there.
func (e *exchange) sort(kind string, v object) {
	rank := func(key string) uint64 {
		h := e.order ^ 14695981039346656037
		for _, c := range []byte(kind + "." + key) {
			h = (h ^ uint64(c)) * 1099511628211
		}
		return h ^ h>>29
	}
	slices.SortFunc(v, func(a, b member) int {
		if rank(a.key) < rank(b.key) {
			return -1
		}
		return 1
	})
}

func (e *exchange) text(b *bytes.Buffer, s string) {
	b.WriteByte('"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c == '/' && e.slashes:
			b.WriteString(`\/`)
		case c > 0x7f && e.ascii:
			fmt.Fprintf(b, `\u%04x`, c)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
}

// spoil breaks a request in one of the ways that occur in real traffic.
func (t *Traffic) spoil(text []byte) ([]byte, string) {
	at := bytes.Index(text, []byte(`"imp":`))
	switch t.rand.IntN(5) {
	case 0:
		return text[:1+t.rand.IntN(len(text)-1)], "cut off"
	case 1:
		return slices.Insert(slices.Clone(text), len(text)-1, ','), "a comma too many"
	case 2:
		return slices.Insert(slices.Clone(text), at, []byte(`"tmax":"soon",`)...), "text for a number"
	case 3:
		return slices.Insert(slices.Clone(text), at, []byte("\"bcat\":[\"a\x01b\"],")...), "a control character in a string"
	default:
		return slices.Insert(slices.Clone(text), at, []byte(`"test":01,`)...), "a number with a leading zero"
	}
}

// Large makes one request of about that many bytes.
func Large(size int) []byte {
	t := New(Config{Seed: 1})
	imps := []any{}
	for n := 0; n < size; {
		imp := t.video(len(imps)+1, 1)
		if len(imps)%3 == 0 {
			imp = t.banner(len(imps) + 1)
		}
		var b bytes.Buffer
		t.exchanges[0].write(&b, "imp", imp)
		n += b.Len() + 1
		imps = append(imps, imp)
	}
	var b bytes.Buffer
	t.exchanges[0].write(&b, "", object{
		{"id", t.hex(32)}, {"at", 1}, {"imp", imps}, {"app", t.app()}, {"device", t.device(3)}, {"user", t.user(3)}, {"source", t.source()},
	})
	return b.Bytes()
}

// shuffled returns the documents in another order, which is always the same.
func shuffled(docs [][]byte) [][]byte {
	out := slices.Clone(docs)
	rand.New(rand.NewPCG(42, 0)).Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}
