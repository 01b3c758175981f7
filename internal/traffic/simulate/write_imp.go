package simulate

// imp writes impression i.
func (w *writer) imp(i int) {
	r := &w.r
	w.salt = r.key
	if !r.identical() {
		w.salt = hash(r.key, 40+uint64(i))
	}
	w.open()
	for _, m := range w.d.order[objImp] {
		if !w.has(m) {
			continue
		}
		switch m {
		case impID:
			w.key(m)
			w.identifier(w.d.impIDs, hash(r.key, 60+uint64(i)), i+1)
		case impBanner:
			if r.formats&fmtBanner != 0 {
				w.key(m)
				w.banner(i)
			}
		case impVideo:
			if r.formats&fmtVideo != 0 {
				w.key(m)
				w.video(i)
			}
		case impAudio:
			if r.formats&fmtAudio != 0 {
				w.key(m)
				w.audio()
			}
		case impNative:
			if r.formats&fmtNative != 0 {
				w.key(m)
				w.native()
			}
		case impPMP:
			w.key(m)
			w.pmp()
		case impExt:
			w.impExt()
		default:
			w.impSetting(m)
		}
	}
	w.close()
}

// identical reports whether the plan wants impressions that differ in their id only.
func (r *request) identical() bool { return r.plan != nil && r.plan.change == changeIdentical }

// impSetting writes one of the impression's plain members, if it applies.
func (w *writer) impSetting(m member) {
	r, key := &w.r, w.salt
	switch m {
	case impMetric:
		w.key(m)
		w.dst = append(w.dst, '[')
		w.metric(0, "viewability", 10+int(key>>8%85))
		w.metric(1, "ctr", 1+int(key>>16%9))
		w.dst = append(w.dst, ']')
	case impDisplayManager:
		if r.channel == inApp {
			w.key(m)
			w.text("mediation-sdk")
		}
	case impDisplayManagerVer:
		if r.channel == inApp {
			w.key(m)
			w.text("12.4.2")
		}
	case impInstl:
		if r.channel == inApp {
			w.key(m)
			w.flag(r.instl)
		}
	case impTagID:
		w.key(m)
		w.tagID()
	case impFloor:
		w.key(m)
		w.decimal(w.floor(1), 2)
	case impFloorCur:
		w.key(m)
		w.text(w.currency().code)
	case impClickBrowser:
		if r.channel == inApp {
			w.key(m)
			w.flag(key&2 == 0)
		}
	case impSecure:
		w.key(m)
		w.flag(true)
	case impRwdd:
		if r.instl && r.formats == fmtVideo {
			w.key(m)
			w.flag(true)
		}
	case impSSAI:
		if r.channel == onTV {
			w.key(m)
			w.int(1 + int(key>>20%3))
		}
	case impExp:
		w.key(m)
		w.int(300 + 300*int(key>>22&7))
	case impQty:
		if r.channel == outside {
			w.key(m)
			w.open()
			w.name("multiplier")
			w.decimal(100+int(key>>24%900), 2)
			w.close()
		}
	case impDt:
		if r.channel == outside {
			w.key(m)
			w.dst = appendPadded(w.dst, 1_748_855_000_000+key>>30%86_400_000, 13)
		}
	}
}

// metric writes a measured quantity, in hundredths.
func (w *writer) metric(i int, kind string, value int) {
	w.element(i)
	w.open()
	w.name("type")
	w.text(kind)
	w.name("value")
	w.decimal(value, 2)
	w.name("vendor")
	w.text("measure.example")
	w.close()
}

// tagID writes the id of a placement, in the producer's form.
func (w *writer) tagID() {
	key := hash(w.r.site.key^w.r.app.key, w.salt&3)
	if w.d.ext == extGPID {
		at := w.begin()
		w.placement(key)
		w.end(at)
		return
	}
	w.identifier(small, 0, 100_000+int(key%8_900_000))
}

// placement appends the path of a placement in an ad server.
func (w *writer) placement(key uint64) {
	w.dst = appendPadded(append(w.dst, '/'), 10_000_000+key%80_000_000, 8)
	words := w.r.user.language.words
	w.dst = append(append(w.dst, '/'), words[key>>32&15]...)
	w.dst = append(append(w.dst, '/'), words[key>>36&15]...)
}

// floors are in cents: most are low.
var floors = [...]int{1, 5, 10, 10, 20, 25, 30, 40, 50, 50, 65, 80, 100, 120, 150, 350}

// floor returns a price in hundredths of the request's currency.
func (w *writer) floor(times int) int {
	key := w.salt >> 17
	cents := floors[key&15] + int(key>>4&7)*times
	if w.r.formats&fmtVideo != 0 {
		cents *= 3
	}
	if w.r.channel == onTV {
		cents = 600 + cents*2
	}
	price := int64(cents) * int64(times) * int64(w.currency().rate)
	if w.currency().rate >= 10_000 { // such currencies have no cents
		return int(price / 10_000 * 100)
	}
	return int(price / 100)
}

// pmp writes the deals of an impression.
func (w *writer) pmp() {
	w.open()
	for _, m := range w.d.order[objPMP] {
		if !w.has(m) {
			continue
		}
		w.key(m)
		if m == pmpPrivate {
			w.flag(w.salt>>9&7 == 0)
			continue
		}
		w.dst = append(w.dst, '[')
		for i := range 1 + int(w.salt>>12&7)/5 {
			w.element(i)
			w.deal(i)
		}
		w.dst = append(w.dst, ']')
	}
	w.close()
}

func (w *writer) deal(i int) {
	w.open()
	for _, m := range w.d.order[objDeal] {
		if !w.has(m) {
			continue
		}
		w.key(m)
		switch m {
		case dealID:
			w.dst = append(w.dst, `"deal-`...)
			w.dst = appendHex(w.dst, hash(w.r.site.key^w.r.app.key, uint64(i)), 8)
			w.dst = append(w.dst, '"')
		case dealFloor:
			w.decimal(w.floor(2), 2)
		case dealFloorCur:
			w.text(w.currency().code)
		case dealAt:
			w.int(1 + 2*int(w.salt>>15&1))
		case dealWseat:
			w.texts("seat-12")
		case dealWadomain:
			w.texts("brand.example", "shoes.example")
		}
	}
	w.close()
}

// impExt writes what producers add to an impression.
func (w *writer) impExt() {
	r := &w.r
	if w.d.ext == extNothing || w.d.ext == extSKAdN && (r.detail < full || r.channel != inApp || r.device.model.platform != ios) {
		return
	}
	key := hash(r.site.key^r.app.key, w.salt&3)
	w.key(impExt)
	w.open()
	switch w.d.ext {
	case extGPID:
		w.name("gpid")
		at := w.begin()
		w.placement(key)
		w.end(at)
		if r.detail >= full {
			w.name("data")
			w.open()
			w.name("pbadslot")
			at := w.begin()
			w.placement(key)
			w.end(at)
			w.name("adserver")
			w.open()
			w.name("name")
			w.text("gam")
			w.close()
			w.close()
		}
	case extBidder:
		w.name("bidder")
		w.open()
		w.name("placementId")
		w.int(10_000 + int(key%900_000))
		if r.detail >= usual {
			w.name("publisherId")
			w.identifier(decimal, r.site.key^r.app.key, 0)
			w.name("customParams")
			w.open()
			w.name("foo")
			w.texts("bar", "baz")
			w.close()
		}
		w.close()
	case extSKAdN:
		w.name("skadn")
		w.skadn()
	case extSpecial:
		w.name("viewability")
		w.int(int(key >> 8 % 100))
		w.name("is_rewarded_inventory")
		w.flag(r.instl && r.formats == fmtVideo)
	}
	w.close()
}

// skadn writes what SKAdNetwork asks for, with ids of networks.
func (w *writer) skadn() {
	w.open()
	w.name("versions")
	w.texts("2.0", "2.2", "3.0", "4.0")
	w.name("sourceapp")
	at := w.begin()
	w.dst = w.r.app.appendBundle(w.dst)
	w.end(at)
	w.name("skadnetids")
	w.dst = append(w.dst, '[')
	for i := range 2 + int(w.r.detail)*3 {
		w.element(i)
		w.dst = append(w.dst, '"')
		key := hash(7, uint64(i))
		for range 10 {
			w.dst = append(w.dst, "0123456789abcdefghijklmnopqrstuvwxyz"[key%36])
			key /= 36
		}
		w.dst = append(w.dst, `.skadnetwork"`...)
	}
	w.dst = append(w.dst, ']')
	w.close()
}
