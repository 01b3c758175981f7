package simulate

// producer is an exchange as its partners see it: the version of OpenRTB that it writes, the order
// of its keys, its spacing, its numbers, its escapes and its identifiers.
type producer struct {
	name    string // the domain, first node of no chain and last of all
	about   string
	weight  int
	order   ordering
	old     bool // OpenRTB 2.5: what has moved since is in ext
	spaced  bool // a space after colons and commas, as Python's json writes
	slashes bool // \/ for a slash, as PHP writes
	ascii   bool // \u escapes for other alphabets
	html    bool // \u0026, \u003c and \u003e for &, < and >, as Go writes
	money   money
	ids     idForm
	impIDs  idForm
	ext     extForm
}

// money is how a producer writes prices and coordinates.
type money uint8

const (
	shortest money = iota // 1, 0.5, 1.25
	pointed               // 1.0, 0.5, 1.25
	cents                 // 1.00, 0.50, 1.25
	micros                // 1.000000
)

// idForm is the form of a producer's identifiers.
type idForm uint8

const (
	hex32 idForm = iota
	uuidLower
	uuidUpper
	decimal
	base62
	small // 1, 2, 3
)

// extForm is what a producer has in imp.ext and at the end of the request.
type extForm uint8

const (
	extNothing extForm = iota
	extGPID
	extBidder
	extSKAdN
	extSpecial
)

// producers are the exchanges. Their shares follow a heavy tail.
var producers = [...]producer{
	{name: "alpha-exchange.example", about: "OpenRTB 2.6, keys as the specification lists them", weight: 28, order: specified, ids: uuidLower, impIDs: small, ext: extGPID},
	{name: "beta-ssp.example", about: "2.5, written by PHP: `\\/`", weight: 18, order: hashed, old: true, slashes: true, ascii: true, ids: hex32, impIDs: small, ext: extBidder},
	{name: "gamma-apps.example", about: "2.5 for apps, keys in no order", weight: 16, order: hashed, old: true, money: pointed, ids: uuidUpper, impIDs: small, ext: extSKAdN},
	{name: "delta-media.example", about: "2.6, written by Go from maps: sorted keys, `\\u0026`", weight: 13, order: sorted, html: true, money: shortest, ids: base62, impIDs: hex32, ext: extGPID},
	{name: "epsilon-ads.example", about: "2.5, written by Python: spaces, `\\u` escapes, 1.0", weight: 9, order: specified, old: true, spaced: true, ascii: true, money: pointed, ids: decimal, impIDs: small, ext: extBidder},
	{name: "zeta-video.example", about: "2.6, six decimals, keys in no order", weight: 8, order: hashed, money: micros, ids: hex32, impIDs: uuidLower, ext: extSpecial},
	{name: "eta-network.example", about: "2.5, two decimals, keys backwards", weight: 5, order: backwards, old: true, money: cents, ids: uuidLower, impIDs: decimal, ext: extNothing},
	{name: "theta-stream.example", about: "2.6, spaces, sorted keys", weight: 3, order: sorted, spaced: true, money: cents, ids: base62, impIDs: small, ext: extSpecial},
}

// dialect is a producer, prepared for writing.
type dialect struct {
	*producer
	number int
	keys   [memberCount]string // "id": with the producer's spacing
	order  [objects][]member
	least  [memberCount]detail // members are written from this detail on,
	share  [memberCount]uint8  // in so many of 256 requests; 0 for all
	pick   [memberCount]member // members that are chosen together have one choice
	comma  string
	colon  string
	// What has to be escaped, and the native requests as strings.
	escapes [256]uint8
	natives [len(natives)]string
}

// pairs are members that mean nothing without another one. Their shares are not larger.
var pairs = map[member]member{
	geoLon: geoLat, devW: devH, videoW: videoH, regsGPPSID: regsGPP, impFloorCur: impFloor, devMCCMNC: devCarrier, devOSV: devOS,
	impDisplayManagerVer: impDisplayManager, dealFloorCur: dealFloor, dealAt: dealFloor, videoSkipMin: videoSkip,
	devModel: devMake, geoType: geoLat,
}

// never is the detail of members that a producer does not write.
const never = rich + 1

func newDialect(number int) *dialect {
	p := &producers[number]
	seed := keyHash(reqID) + uint64(number)*golden
	d := &dialect{producer: p, number: number, order: orders(p.order, seed), comma: ",", colon: ":"}
	if p.spaced {
		d.comma, d.colon = ", ", ": "
	}
	d.escapes = escapesOf(p)
	for i, text := range natives {
		d.natives[i] = string(append(d.appendEscaped([]byte{'"'}, []byte(text)), '"'))
	}
	for m := range memberCount {
		s := &members[m]
		d.keys[m] = `"` + s.key + `"` + d.colon
		d.least[m] = s.from
		d.pick[m] = m
		if first, together := pairs[m]; together {
			d.pick[m] = first
		}
		if s.share < 100 {
			d.share[m] = uint8(max(1, s.share*256/100))
		}
		// Each exchange leaves out some of what is optional.
		if s.from >= usual && s.share < 100 && hash(seed, keyHash(d.pick[m]))%100 < 8 || p.old && s.newer {
			d.least[m] = never
		}
	}
	return d
}

// Exchange describes one of the exchanges that requests come from.
type Exchange struct {
	Domain string // as supply chains name it
	About  string // how it writes
	Share  Share  // of the requests
}

// Exchanges returns the exchanges, the largest first.
func Exchanges() []Exchange {
	list := make([]Exchange, len(producers))
	sum := 0
	for i := range producers {
		sum += producers[i].weight
	}
	for i := range producers {
		p := &producers[i]
		list[i] = Exchange{p.name, p.about, All / Share(sum) * Share(p.weight)}
	}
	return list
}
