package simulate

// user writes the user. Who does not want to be tracked, or has not consented, has no ids.
func (w *writer) user() {
	r := &w.r
	u := &r.user
	w.open()
	for _, m := range w.d.order[objUser] {
		if !w.has(m) {
			continue
		}
		switch m {
		case userID:
			if w.identified() {
				w.key(m)
				w.identifier(w.d.ids, hash(u.key, 40+uint64(w.d.number)), 0)
			}
		case userBuyerUID:
			if w.identified() {
				w.key(m)
				w.identifier(uuidLower, hash(u.key, 39), 0)
			}
		case userYOB:
			if w.identified() {
				w.key(m)
				w.int(1955 + int(u.key>>8%50))
			}
		case userGender:
			if w.identified() {
				w.key(m)
				w.text([]string{"F", "M", "O", "F"}[u.key>>17&3])
			}
		case userKeywords:
			w.key(m)
			at := w.begin()
			w.dst = append(append(w.dst, u.language.names[u.key>>24&15]...), ',')
			w.dst = append(w.dst, u.language.names[u.key>>28&15]...)
			w.end(at)
		case userConsent:
			if r.underGDPR() {
				w.key(m)
				w.consent()
			}
		case userEIDs:
			if w.identified() {
				w.key(m)
				w.eids()
			}
		case userData:
			if w.identified() {
				w.key(m)
				w.segments()
			}
		case userExt:
			w.userExt()
		}
	}
	w.close()
}

// identified reports whether the request may say who the user is.
func (w *writer) identified() bool { return w.r.tracked && !w.r.childDirected() }

func (w *writer) consent() {
	w.begin()
	w.dst = appendTCF(w.dst, &w.r.user)
	w.endPlain()
}

// userExt writes the members of user at the places of OpenRTB 2.5.
func (w *writer) userExt() {
	if !w.d.old {
		return
	}
	consent := w.r.underGDPR()
	eids := w.identified() && w.r.detail >= full
	if !consent && !eids {
		return
	}
	w.key(userExt)
	w.open()
	if consent {
		w.name("consent")
		w.consent()
	}
	if eids {
		w.name("eids")
		w.eids()
	}
	w.close()
}

// identitySources are providers of identifiers, by how common they are, with the form of their ids
// and their type (AdCOM: agent types).
var identitySources = [...]struct {
	name  string
	form  idForm
	atype int
}{
	{"pubcid.org", uuidLower, 1},
	{"adserver.org", uuidLower, 1},
	{"id5-sync.com", base62, 1},
	{"liveramp.com", base62, 3},
	{"uidapi.com", base62, 3},
	{"criteo.com", hex32, 1},
	{"crwdcntrl.net", hex32, 1},
	{"liveintent.com", base62, 3},
}

// eids writes identifiers from several providers.
func (w *writer) eids() {
	r := &w.r
	n := 1 + int(r.key>>33%uint64(map2(r.detail == rich, 7, 3)))
	w.dst = append(w.dst, '[')
	for i := range n {
		id := &identitySources[i]
		key := hash(r.user.key, 80+uint64(i))
		w.element(i)
		w.open()
		w.name("source")
		w.text(id.name)
		w.name("uids")
		w.dst = append(w.dst, '[')
		w.open()
		w.name("id")
		w.dst = append(w.dst, '"')
		w.dst = appendID(w.dst, id.form, key, 0)
		if id.form == base62 {
			w.dst = appendID(appendID(w.dst, base62, key+1, 0), base62, key+2, 0)
		}
		w.dst = append(w.dst, '"')
		w.name("atype")
		w.int(id.atype)
		if i == 1 {
			w.name("ext")
			w.open()
			w.name("rtiPartner")
			w.text("TDID")
			w.close()
		}
		w.close()
		w.dst = append(w.dst, ']')
		w.close()
	}
	w.dst = append(w.dst, ']')
}

// segments writes what a provider of data says about the user.
func (w *writer) segments() {
	key := hash(w.r.user.key, 37)
	w.dst = append(w.dst, '[')
	w.open()
	w.name("id")
	w.text("data-1")
	w.name("name")
	w.text("data.example")
	w.name("segment")
	w.dst = append(w.dst, '[')
	for i := range 1 + int(key%6) {
		w.element(i)
		w.open()
		w.name("id")
		w.identifier(small, 0, 100+int(key>>(8*i+3)%900))
		w.close()
	}
	w.dst = append(w.dst, ']')
	w.name("ext")
	w.open()
	w.name("segtax")
	w.int(4)
	w.close()
	w.close()
	w.dst = append(w.dst, ']')
}
