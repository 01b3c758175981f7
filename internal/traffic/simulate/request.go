package simulate

// request is what a request says, before its producer writes it.
type request struct {
	g        *Generator
	key      uint64 // of the choices that are made while it is written
	src      source // of those that are made before
	dialect  *dialect
	plan     *plan // the fault, nil for none
	detail   detail
	channel  channel
	formats  format
	agent    agent
	imps     int
	pod      bool // the impressions are slots of a pod
	instl    bool
	user     user
	device   device
	address  address
	app      app
	site     site
	tracked  bool // may carry identifiers
	repeated bool // has the id of other requests
}

// draw makes the choices of request n.
func (r *request) draw(g *Generator, n uint64) {
	r.g = g
	r.src = source{hash(g.stream, n)}
	s := &r.src
	r.key = s.next()
	r.plan = g.drawPlan(s)
	r.dialect = g.dialects[g.exchange.draw(s)]
	slot := shapeTable[g.config.Shape].slots[g.slots.draw(s)]
	r.detail = detail(g.details.draw(s))
	r.channel, r.formats = slot.channel, slot.formats
	r.imps = r.drawImps(s)
	if p := r.plan; p != nil {
		p.prepare(r)
	}
	if r.channel == outside && r.dialect.old { // 2.5 has no such object
		r.dialect = g.dialects[0]
	}
	r.pod = r.channel == onTV && (r.imps > 1 || r.detail >= usual && s.percent(50))
	r.user = g.newUser(users.draw(s))
	r.drawPlace(s)
	r.tracked = !r.user.limits && (r.user.consents || r.user.country.law != lawGDPR)
	if p := r.plan; p != nil {
		p.alter(r, s)
	}
}

// drawPlan decides whether the request has a fault, and which.
func (g *Generator) drawPlan(s *source) *plan {
	share := Share(s.below(int(All)))
	c := &g.config
	class := Clean
	switch {
	case share < c.Defects:
		class = Defect
	case share < c.Defects+c.Payloads:
		class = Payload
	case share < c.Defects+c.Payloads+c.Fraud:
		class = Fraud
	}
	choice := s.next() // drawn for clean requests too, so that shares do not change the others
	if class == Clean {
		return nil
	}
	list := g.planted[class]
	return list[choice>>32*uint64(len(list))>>32]
}

// drawImps returns the number of impressions.
func (r *request) drawImps(s *source) int {
	share := s.below(100)
	switch {
	case r.channel == onTV && r.detail >= full:
		return 1 + share*6/100
	case r.channel == onTV || r.channel == outside || r.detail == bare:
		return 1
	case r.detail == rich:
		return 1 + share*share/2500
	case r.detail == full:
		return 1 + share/70 + share/92
	}
	return 1 + share/92
}

// drawPlace chooses the device, its address and what it shows.
func (r *request) drawPlace(s *source) {
	g, u := r.g, &r.user
	class := phone
	switch r.channel {
	case onSite:
		if share := s.below(100); share < 44 {
			class = computer
		} else if share < 50 {
			class = tablet
		}
	case inApp:
		if s.percent(12) {
			class = tablet
		}
	case onTV:
		class = television
	case outside:
		class = outdoor
	}
	r.device = g.newDevice(u, class)
	r.address = newAddress(u, class == phone && s.percent(45) || class == outdoor)
	if class == computer || class == television {
		r.address.wireless = 1 + int(u.key>>20&1) // Ethernet or Wi-Fi
	}
	switch r.channel {
	case onSite:
		r.site = g.newSite(u.language, sites.draw(s))
	case inApp, onTV:
		r.app = g.newApp(storeOf[r.device.model.platform], u.language, apps.draw(s), r.channel == onTV)
		r.agent = webView
		if share := s.below(100); share < 20 || r.formats == fmtAudio {
			r.agent = client
		}
	}
	r.instl = r.channel == inApp && r.formats&(fmtBanner|fmtVideo) != 0 && s.percent(35) || r.formats == fmtBanner|fmtVideo && r.channel == inApp
}

// underGDPR reports whether the GDPR applies. It does not for screens that many people watch.
func (r *request) underGDPR() bool { return r.user.country.law == lawGDPR && r.channel != outside }

// childDirected reports whether a law on children's privacy applies.
func (r *request) childDirected() bool { return r.user.child && r.channel == inApp }
