package simulate

// request writes the whole request.
func (w *writer) request() {
	r := &w.r
	w.salt = r.key
	w.watch = memberCount
	if r.plan != nil {
		w.watch = r.plan.watch
		w.special = r.plan.special()
		if r.plan.Class == Payload {
			w.aim()
		}
	}
	gdpr := regsGDPR
	if w.d.old {
		gdpr = regsExt
	}
	w.gdpr = r.underGDPR() && w.chosen(reqRegs) && w.chosen(gdpr)
	w.foreign = w.currency().code != "USD"
	w.strict = w.gdpr || w.foreign || r.channel != onSite
	key := hash(r.key, 21)
	if r.repeated {
		key = hash(r.g.world, 100+r.key>>20&7)
	}
	w.idLen = uint8(len(appendID(w.id[:0], w.d.ids, key, 0)))
	w.open()
	for _, m := range w.d.order[objRequest] {
		if !w.has(m) {
			continue
		}
		switch m {
		case reqID:
			w.key(m)
			w.dst = append(w.dst, '"')
			w.dst = append(append(w.dst, w.id[:w.idLen]...), '"')
		case reqImp:
			w.key(m)
			w.dst = append(w.dst, '[')
			for i := range r.imps {
				w.element(i)
				w.imp(i)
			}
			w.dst = append(w.dst, ']')
			w.salt = r.key
		case reqSite:
			if r.channel == onSite {
				w.key(m)
				w.site()
			}
		case reqApp:
			if r.channel == inApp || r.channel == onTV {
				w.key(m)
				w.app()
			}
		case reqDOOH:
			if r.channel == outside {
				w.key(m)
				w.dooh()
			}
		case reqDevice:
			w.key(m)
			w.device()
		case reqUser:
			if r.channel != outside {
				w.key(m)
				w.user()
			}
		case reqSource:
			w.key(m)
			w.source()
		case reqRegs:
			w.key(m)
			w.regs()
		default:
			w.setting(m)
		}
	}
	w.close()
	if r.plan != nil && r.plan.noID {
		w.idLen = 0
	}
}

// currency returns what prices are in: dollars, or the user's currency.
func (w *writer) currency() *currency {
	if w.r.key>>40&3 == 0 {
		return &currencies[w.r.user.country.currency]
	}
	return &currencies[usd]
}

// setting writes one of the request's plain members.
func (w *writer) setting(m member) {
	key := w.r.key
	w.key(m)
	switch m {
	case reqTest, reqAllimps:
		w.flag(false)
	case reqAt:
		w.int(1 + int(key>>3&1))
	case reqTmax:
		w.int(100 + int(key>>4&31)*20)
	case reqWseat:
		w.texts("seat-12", "seat-407")
	case reqCur:
		w.texts(w.currency().code)
	case reqWlang:
		w.texts(w.r.user.language.code)
	case reqBcat:
		w.texts([]string{"IAB25", "IAB26", "IAB7-39", "IAB8-18", "IAB24", "IAB23", "IAB14-1", "IAB11-5"}[:2+key>>5&3*2]...)
	case reqCattax:
		w.int(1)
	case reqBadv:
		w.texts([]string{"casino.example", "bet.example", "loans.example", "rival.example", "vape.example", "dating.example"}[:1+key>>7%6]...)
	case reqBapp:
		w.texts("com.example.casino", "com.example.loans")
	case reqExt:
		w.requestExt()
	}
}

// requestExt writes what producers add to a request.
func (w *writer) requestExt() {
	w.open()
	switch w.d.ext {
	case extGPID:
		w.name("ssp")
		w.text(w.d.producer.name)
		w.name("utiq")
		w.open()
		w.name("on")
		w.raw("false")
		w.close()
	case extBidder:
		w.name("wt")
		w.int(1)
		w.name("nex")
		w.texts("e" + "1")
	case extSKAdN:
		w.name("sdk")
		w.text("7.4.1")
		w.name("session")
		w.identifier(hex32, hash(w.r.key, 31), 0)
	default:
		w.name("clktrkrq")
		w.int(0)
		w.name("video_cta")
		w.raw("null")
	}
	w.close()
}

// source writes who makes the final decision, and the supply chain.
func (w *writer) source() {
	w.open()
	for _, m := range w.d.order[objSource] {
		if !w.has(m) {
			continue
		}
		switch m {
		case sourceFD:
			w.key(m)
			w.int(int(w.r.key >> 9 & 1))
		case sourceTID:
			w.key(m)
			w.identifier(uuidLower, hash(w.r.key, 22), 0)
		case sourceSchain:
			w.key(m)
			w.schain()
		case sourceExt:
			if w.d.old {
				w.key(m)
				w.open()
				w.name("schain")
				w.schain()
				w.close()
			}
		}
	}
	w.close()
}

// Resellers that chains go through, before the producer.
var resellers = [...]string{"reseller.example", "mediation.example", "header.example", "audience.example"}

// schain writes the chain from the publisher to the producer: one to four nodes.
func (w *writer) schain() {
	w.open()
	for _, m := range w.d.order[objSchain] {
		if !w.has(m) {
			continue
		}
		w.key(m)
		switch m {
		case schainComplete:
			w.int(1)
		case schainVer:
			w.text("1.0")
		case schainNodes:
			n := w.nodes()
			w.dst = append(w.dst, '[')
			for i := range n {
				w.element(i)
				w.node(i, n)
			}
			w.dst = append(w.dst, ']')
		}
	}
	w.close()
}

// nodes returns the length of the chain.
func (w *writer) nodes() int {
	if p := w.r.plan; p != nil && p.change == changeLongChain {
		return 12
	} else if p != nil && p.change == changeRepeatedNode {
		return 3
	}
	return 1 + int(w.r.key>>10&3)*int(w.r.key>>12&3)/3
}

// node writes node i of n of the chain.
func (w *writer) node(i, n int) {
	name := w.d.producer.name
	if i < n-1 {
		name = resellers[(int(w.r.key>>14&3)+i)%len(resellers)]
	}
	w.open()
	for _, m := range w.d.order[objNode] {
		if !w.has(m) {
			continue
		}
		w.key(m)
		switch m {
		case nodeASI, nodeDomain:
			w.text(name)
		case nodeSID:
			if i == n-1 {
				w.publisherID()
			} else {
				w.identifier(small, 0, 1000+int(hash(w.r.key>>14&3, uint64(i))%9000))
			}
		case nodeHP:
			w.int(1)
		case nodeRID:
			w.identifier(hex32, hash(w.r.key, 23+uint64(i)), 0)
		}
	}
	w.close()
}

// regs writes what the law asks for. OpenRTB 2.5 has all but coppa in ext.
func (w *writer) regs() {
	w.open()
	for _, m := range w.d.order[objRegs] {
		if !w.has(m) {
			continue
		}
		if m == regsExt {
			w.regsExt()
		} else {
			w.regulation(m)
		}
	}
	w.close()
}

// regulation writes a member of regs, if it applies.
func (w *writer) regulation(m member) {
	u := &w.r.user
	law := u.country.law
	switch m {
	case regsCOPPA:
		w.key(m)
		w.flag(w.r.childDirected())
	case regsGDPR:
		w.key(m)
		w.flag(w.r.underGDPR())
	case regsUSPrivacy:
		if law == lawUS {
			w.key(m)
			at := w.begin()
			w.dst = appendUSPrivacy(w.dst, u)
			w.end(at)
		}
	case regsGPP:
		if w.r.underGDPR() || law == lawUS {
			w.key(m)
			at := w.begin()
			w.dst = appendGPP(w.dst, u)
			w.end(at)
		}
	case regsGPPSID:
		if w.r.underGDPR() || law == lawUS {
			w.key(m)
			w.ints(map2(law == lawUS, 7, 2))
		}
	}
}

// regsExt writes the members of regs at the places of OpenRTB 2.5.
func (w *writer) regsExt() {
	if !w.d.old {
		return
	}
	law := w.r.user.country.law
	w.key(regsExt)
	w.open()
	w.name("gdpr")
	w.flag(w.r.underGDPR())
	if law == lawUS {
		w.name("us_privacy")
		w.begin()
		w.dst = appendUSPrivacy(w.dst, &w.r.user)
		w.endPlain()
	}
	w.close()
}
