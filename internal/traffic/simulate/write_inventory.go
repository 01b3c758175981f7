package simulate

// site writes the website.
func (w *writer) site() {
	r := &w.r
	st := &r.site
	w.open()
	for _, m := range w.d.order[objSite] {
		if !w.has(m) {
			continue
		}
		switch m {
		case siteID:
			w.key(m)
			w.identifier(map2ID(w.d.ids == hex32, hex32, small), st.key, 1000+int(st.key%900_000))
		case siteName:
			w.key(m)
			at := w.begin()
			w.dst = appendName(w.dst, st.language, st.words, st.number)
			w.end(at)
		case siteDomain:
			w.key(m)
			w.begin()
			w.dst = st.appendDomain(w.dst)
			w.endPlain()
		case siteCat:
			w.key(m)
			w.categories(st.words)
		case sitePage:
			w.key(m)
			at := w.begin()
			w.dst = st.appendPage(w.dst, r.page(), r.key>>52&7 == 0 && r.detail > bare)
			w.end(at)
		case siteRef:
			w.key(m)
			w.referrer()
		case siteKeywords:
			w.key(m)
			at := w.begin()
			names := st.language.names
			w.dst = append(append(w.dst, names[st.words[0]]...), ',')
			w.dst = append(w.dst, names[st.words[1]]...)
			w.end(at)
		case siteMobile:
			w.key(m)
			w.flag(st.mobile)
		case sitePrivacy:
			w.key(m)
			w.flag(true)
		case sitePublisher:
			w.key(m)
			w.publisher()
		case siteContent:
			w.key(m)
			w.content()
		case siteExt:
			w.key(m)
			w.open()
			w.name("amp")
			w.flag(false)
			w.close()
		}
	}
	w.close()
}

func map2ID(b bool, yes, no idForm) idForm {
	if b {
		return yes
	}
	return no
}

// page returns the number of the page: sites have popular ones.
func (r *request) page() uint64 {
	s := source{hash(r.key, 71)}
	return hash(r.site.key, uint64(tail{4, 10}.draw(&s)))
}

// referrer writes where the user came from: a search, the site's front page, or an app.
func (w *writer) referrer() {
	switch w.r.key >> 48 & 3 {
	case 0:
		w.text("https://www.google.com/")
	case 1:
		w.text("https://duckduckgo.com/")
	default:
		at := w.begin()
		w.dst = w.r.site.appendPage(w.dst, 0, false)
		w.end(at)
	}
}

// categories writes what two words are about.
func (w *writer) categories(words [2]int) {
	if words[0] == words[1] {
		w.texts(categories[words[0]])
	} else {
		w.texts(categories[words[0]], categories[words[1]])
	}
}

// app writes the app.
func (w *writer) app() {
	r := &w.r
	a := &r.app
	w.open()
	for _, m := range w.d.order[objApp] {
		if !w.has(m) {
			continue
		}
		switch m {
		case appID:
			w.key(m)
			w.identifier(map2ID(w.d.ids == hex32, hex32, small), a.key, 1000+int(a.key%900_000))
		case appName:
			w.key(m)
			at := w.begin()
			w.dst = a.appendName(w.dst)
			w.end(at)
		case appBundle:
			w.key(m)
			at := w.begin()
			w.dst = a.appendBundle(w.dst)
			w.end(at)
		case appDomain:
			w.key(m)
			w.developer(a.words, a.number)
		case appStoreURL:
			w.key(m)
			at := w.begin()
			w.dst = a.appendStoreURL(w.dst, r.user.country)
			w.end(at)
		case appCat:
			w.key(m)
			w.categories(a.words)
		case appVer:
			w.key(m)
			w.begin()
			w.dst = a.appendVersion(w.dst)
			w.endPlain()
		case appPrivacy:
			w.key(m)
			w.flag(true)
		case appPaid:
			w.key(m)
			w.flag(a.key>>9&15 == 0)
		case appPublisher:
			w.key(m)
			w.publisher()
		case appContent:
			if a.video {
				w.key(m)
				w.content()
			}
		case appInventory:
			if a.video {
				w.key(m)
				w.text("partner.example")
			}
		}
	}
	w.close()
}

// developer writes the domain of an app's developer.
func (w *writer) developer(words [2]int, number int) {
	st := site{language: w.r.app.language, words: words, number: number}
	w.begin()
	w.dst = st.appendDomain(w.dst)
	w.endPlain()
}

// dooh writes the screen outside the home.
func (w *writer) dooh() {
	key := hash(w.r.device.key, 3)
	w.open()
	for _, m := range w.d.order[objDOOH] {
		if !w.has(m) {
			continue
		}
		w.key(m)
		switch m {
		case doohID:
			w.identifier(w.d.ids, key, 0)
		case doohName:
			at := w.begin()
			w.dst = append(append(w.dst, w.r.user.city.name...), ' ')
			w.dst = append(w.dst, 'A'+byte(key>>7%26))
			w.end(at)
		case doohVenue:
			w.texts([]string{"transit.airports", "retail.malls", "outdoor.billboards", "transit.subway", "entertainment.movie_theaters"}[key>>9%5])
		case doohVenueTax:
			w.int(1)
		case doohPublisher:
			w.publisher()
		case doohDomain:
			w.text("screens.example")
		}
	}
	w.close()
}

// publisherID writes the publisher's id: the same in publisher.id and in the first node.
func (w *writer) publisherID() {
	key := w.publisherKey()
	if w.d.ids == uuidLower || w.d.ids == decimal {
		w.identifier(small, 0, 100_000+int(key%850_000))
		return
	}
	w.dst = append(w.dst, `"pub-`...)
	w.dst = append(appendHex(w.dst, key, 10), '"')
}

// publisherKey returns the key of the publisher: small ones have one site or app, large ones many.
func (w *writer) publisherKey() uint64 {
	r := &w.r
	if r.channel == outside {
		return hash(r.device.key%16, 9)
	}
	return hash((r.site.key^r.app.key)%1500, 9)
}

func (w *writer) publisher() {
	key := w.publisherKey()
	language := w.r.user.language
	w.open()
	for _, m := range w.d.order[objPublisher] {
		if !w.has(m) {
			continue
		}
		w.key(m)
		switch m {
		case pubID:
			w.publisherID()
		case pubName:
			at := w.begin()
			w.dst = append(append(w.dst, language.names[key>>20&15]...), " Media"...)
			w.end(at)
		case pubDomain:
			w.begin()
			w.dst = append(append(w.dst, language.words[key>>20&15]...), "media"...)
			w.dst = appendPadded(w.dst, key>>24%90+10, 2)
			w.dst = append(w.dst, ".example"...)
			w.endPlain()
		case pubCat:
			w.texts(categories[key>>30&15])
		}
	}
	w.close()
}

// content writes the page, the film or the episode.
func (w *writer) content() {
	r := &w.r
	key := hash(r.site.key^r.app.key, r.page()%64)
	names, language := r.user.language.names, r.user.language
	w.open()
	for _, m := range w.d.order[objContent] {
		if !w.has(m) {
			continue
		}
		switch m {
		case contentID:
			w.key(m)
			w.identifier(hex32, key, 0)
		case contentTitle:
			w.key(m)
			at := w.begin()
			w.dst = append(w.dst, language.title...)
			w.dst = append(append(w.dst, names[key>>8&15]...), ' ')
			w.dst = append(w.dst, names[key>>12&15]...)
			w.end(at)
		case contentGenre:
			w.key(m)
			w.text(genres[key>>16&7])
		case contentCat:
			w.key(m)
			w.texts(categories[key>>20&15])
		case contentLen:
			w.key(m)
			w.int(600 + 300*int(key>>24%26))
		case contentLanguage:
			w.key(m)
			w.text(language.code)
		default:
			if r.channel == onTV {
				w.contentOnTV(m, key)
			}
		}
	}
	w.close()
}

func (w *writer) contentOnTV(m member, key uint64) {
	names := w.r.user.language.names
	w.key(m)
	switch m {
	case contentSeries:
		at := w.begin()
		w.dst = append(append(w.dst, names[key>>28&15]...), " & "...)
		w.dst = append(w.dst, names[key>>32&15]...)
		w.end(at)
	case contentSeason:
		w.identifier(small, 0, 1+int(key>>36%9))
	case contentEpisode:
		w.int(1 + int(key>>40%24))
	case contentRating:
		w.text([]string{"TV-PG", "TV-14", "TV-G", "TV-MA"}[key>>46&3])
	case contentLive:
		w.flag(key>>48&3 == 0)
	case contentNetwork, contentChannel:
		w.open()
		w.name("name")
		w.text(names[key>>50&15])
		w.name("domain")
		w.text("network.example")
		w.close()
	}
}
