package simulate

// tables are what choices need. They are made once for a generator.
type tables struct {
	countries weights
	models    [classes]weights // numbers in models, all below 256
}

func newTables() (t tables) {
	var list []int
	for i := range countries {
		list = append(list, countries[i].weight)
	}
	t.countries = expand(list...)
	for c := range classes {
		list = list[:0]
		for i := range models {
			weight := models[i].weight
			if models[i].class != c {
				weight = 0
			}
			list = append(list, weight)
		}
		t.models[c] = expand(list...)
	}
	return t
}

// users is how often users come back: there are four million, and the most frequent 256 of them
// make one request in fourteen.
var users = tail{first: 256, octaves: 14}

// user is a person or a household: all of it follows from the seed and the rank.
type user struct {
	key      uint64
	country  *country
	city     *city
	language *language
	home     network
	carrier  *carrier
	limits   bool // does not want to be tracked
	consents bool // to everything; else to nothing that identifies
	child    bool // whose apps are for children
}

// newUser returns the user of a rank.
func (g *Generator) newUser(rank int) (u user) {
	s := source{hash(g.world, uint64(rank)<<8|1)}
	u.key = s.next()
	u.country = &countries[g.tables.countries.draw(&s)]
	c := u.country
	u.city = &c.cities[s.below(len(c.cities))]
	u.language = &languages[c.language]
	if s.percent(15) {
		u.language = &languages[c.minority]
	}
	u.home = c.fixed[s.below(len(c.fixed))]
	u.carrier = &c.mobile[s.below(len(c.mobile))]
	u.limits = s.percent(24)
	u.consents = s.percent(72)
	u.child = s.percent(3)
	return u
}

// device is a device of a user.
type device struct {
	key     uint64
	model   *model
	version *version
	brand   brand // of the browser
	browser int   // its version
}

// brand is the brand of a browser.
type brand uint8

const (
	chrome brand = iota
	edge
	firefox
	safari
)

// newDevice returns the user's device of a class.
func (g *Generator) newDevice(u *user, c class) (d device) {
	s := source{hash(u.key, uint64(c))}
	d.key = s.next()
	d.model = &models[g.tables.models[c].draw(&s)]
	m := d.model
	d.version = &systems[m.platform].versions[s.between(m.low, m.high)]
	share := s.below(100)
	switch {
	case m.platform == ios, m.platform == mac && share < 55:
		d.brand = safari
	case m.platform == windows && share < 16:
		d.brand = edge
	case (m.platform == windows || m.platform == linux || m.platform == mac) && share >= 92:
		d.brand = firefox
	}
	if d.browser = s.between(chromeOldest, chromeNewest); d.brand == firefox {
		d.browser = s.between(firefoxOldest, firefoxNewest)
	}
	return d
}

// address is where a device is on the net.
type address struct {
	v4       uint32
	v6       [8]uint16 // all 0 for none
	carrier  *carrier  // of a mobile network; nil at home
	wireless int       // device.connectiontype: AdCOM connection types
}

// addressUsers is how many addresses a mobile network has for each of its prefixes: many users
// share one.
const addressUsers = 512

// newAddress returns an address of the user: at home, or of the mobile network.
func newAddress(u *user, mobile bool) (a address) {
	n, key := u.home, u.key
	a.wireless = 2 // Wi-Fi
	if mobile {
		a.carrier = u.carrier
		n, key = u.carrier.network, hash(u.key, 5)%addressUsers
		a.wireless = 6 + int(u.key>>13&1) // 4G or 5G
	}
	a.v4 = n.v4 | uint32(hash(key, 6))>>n.bits
	if last := a.v4 & 255; last == 0 || last == 255 {
		a.v4 ^= 77
	}
	if n.v6 != 0 {
		network, host := hash(u.key, 7), hash(u.key, 8)
		a.v6 = [8]uint16{
			uint16(n.v6 >> 16), uint16(n.v6), uint16(network >> 16), uint16(network),
			uint16(host >> 48), uint16(host >> 32), uint16(host >> 16), uint16(host),
		}
		for i := 2; i < len(a.v6); i++ {
			a.v6[i] |= 0x200 // no group is 0, so the shortest form is the plain one
		}
	}
	return a
}
