package simulate

// fill makes a value that no table holds.
type fill uint8

const (
	fillTexts fill = iota // one of the texts
	fillDatacenter
	fillOtherOS
	fillOtherMake
	fillOtherBundle
	fillOtherStore
	fillDeviceID
	fillRepeatedID
)

// change is a change of the request before it is written.
type change uint8

const (
	changeNothing change = iota
	changeForeign
	changeForeignV6
	changeVersion
	changeIdentical
	changeRepeated
	changeTracked
	changeLimited
	changeEurope
	changeLongChain
	changeRepeatedNode
)

// frauds are valid requests that no honest device or seller makes. The first part of an id is the
// family of the signal that would show it.
var frauds = []plan{
	{Kind: Kind{Fraud, "address.private", "a private address"}, channels: anyChannel, put: []value{put(devIP, `"10.20.30.40"`, `"192.168.1.17"`, `"172.20.0.9"`, `"100.64.3.2"`)}},
	{Kind: Kind{Fraud, "address.reserved", "an address that is reserved, or for documentation"}, channels: anyChannel, put: []value{put(devIP, `"240.12.7.9"`, `"0.0.0.0"`, `"127.0.0.1"`, `"203.0.113.9"`, `"169.254.10.1"`)}},
	{Kind: Kind{Fraud, "address.multicast", "a multicast address"}, channels: anyChannel, put: []value{put(devIP, `"224.0.0.251"`, `"239.255.255.250"`)}},
	{Kind: Kind{Fraud, "address.datacenter", "an address of a data centre"}, channels: anyChannel, put: []value{{member: devIP, fill: fillDatacenter}}, force: []member{devUA}},
	{Kind: Kind{Fraud, "address.country", "an address of another country than the one declared"}, channels: anyChannel, change: changeForeign, force: []member{devIP, geoCountry}, omit: []member{devIPv6, devCarrier, devMCCMNC}},
	{Kind: Kind{Fraud, "address.versions", "an IPv6 address of another country than the IPv4 address"}, channels: anyChannel, change: changeForeignV6, force: []member{devIP, devIPv6}},
	{Kind: Kind{Fraud, "address.repeated", "four addresses for all requests"}, channels: anyChannel, put: []value{put(devIP, `"73.15.20.7"`, `"73.15.20.8"`, `"73.15.21.130"`, `"73.15.22.41"`)}, force: []member{devUA}},

	{Kind: Kind{Fraud, "ua.empty", "an empty user agent"}, channels: anyChannel, put: []value{put(devUA, `""`)}},
	{Kind: Kind{Fraud, "ua.crawler", "a crawler that says so"}, channels: siteOnly, omit: []member{devSUA}, put: []value{put(devUA,
		`"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"`,
		`"Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)"`,
		`"Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)"`,
		`"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)"`)}},
	{Kind: Kind{Fraud, "ua.headless", "a browser without a window"}, channels: siteOnly, omit: []member{devSUA}, put: []value{put(devUA,
		`"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/141.0.0.0 Safari/537.36"`,
		`"Mozilla/5.0 (Unknown; Linux x86_64) AppleWebKit/538.1 (KHTML, like Gecko) PhantomJS/2.1.1 Safari/538.1"`)}},
	{Kind: Kind{Fraud, "ua.program", "a program that is not a browser"}, channels: siteOnly, omit: []member{devSUA}, put: []value{put(devUA,
		`"curl/8.5.0"`, `"python-requests/2.32.3"`, `"Go-http-client/1.1"`, `"Java/17.0.9"`, `"Apache-HttpClient/4.5.14 (Java/17.0.9)"`)}},
	{Kind: Kind{Fraud, "ua.os", "another system than the user agent's"}, channels: anyChannel, force: []member{devUA}, omit: []member{devOSV, devSUA}, put: []value{{member: devOS, fill: fillOtherOS}}},
	{Kind: Kind{Fraud, "ua.osv", "a version of the system that does not exist"}, channels: appOnly, force: []member{devUA, devOS}, put: []value{put(devOSV, `"99.9"`, `"0.1"`)}},
	{Kind: Kind{Fraud, "ua.version", "a version of a browser that does not exist"}, channels: siteOnly, change: changeVersion, force: []member{devUA}, omit: []member{devSUA}},
	{Kind: Kind{Fraud, "ua.make", "another make and model than the user agent's"}, channels: appOnly, force: []member{devUA, devOS}, omit: []member{devHWV}, put: []value{{member: devMake, fill: fillOtherMake}}},
	{Kind: Kind{Fraud, "ua.devicetype", "a phone or computer that claims to be a television"}, channels: []channel{onSite, inApp}, force: []member{devUA}, put: []value{put(devType, "3")}},
	{Kind: Kind{Fraud, "ua.sua", "client hints of another system than the user agent's"}, channels: appOnly, newer: true, force: []member{devUA, devOS}, put: []value{put(devSUA,
		`{"browsers":[{"brand":"Chromium","version":["141"]}],"platform":{"brand":"Windows","version":["10","0","0"]},"mobile":0,"source":2}`)}},
	{Kind: Kind{Fraud, "ua.desktop-app", "a request of an app with the user agent of a desktop browser"}, channels: appOnly, omit: []member{devOSV, devModel, devMake, devHWV}, put: []value{put(devUA,
		`"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36"`)}},

	{Kind: Kind{Fraud, "id.ifa-missing", "no identifier for advertising, though tracking is not limited"}, channels: appOrTV, change: changeTracked, force: []member{devUA, devOS}, omit: []member{devIFA}, put: []value{put(devLMT, "0")}},
	{Kind: Kind{Fraud, "id.ifa-zero", "an identifier of zeros, though tracking is not limited"}, channels: appOrTV, change: changeTracked, force: []member{devUA}, put: []value{put(devIFA, `"00000000-0000-0000-0000-000000000000"`), put(devLMT, "0")}},
	{Kind: Kind{Fraud, "id.ifa-form", "an identifier that is not a UUID"}, channels: appOrTV, change: changeTracked, force: []member{devUA}, put: []value{put(devIFA, `"1234567890"`, `"unknown"`, `"e10adc3949ba59abbe56e057f20f883e"`, `"00:1A:2B:3C:4D:5E"`)}},
	{Kind: Kind{Fraud, "id.ifa-limited", "an identifier, though tracking is limited"}, channels: appOrTV, change: changeLimited, force: []member{devUA}, put: []value{{member: devIFA, fill: fillDeviceID}, put(devLMT, "1")}},
	{Kind: Kind{Fraud, "id.ifa-repeated", "four identifiers for all requests"}, channels: appOrTV, change: changeTracked, force: []member{devUA}, put: []value{{member: devIFA, fill: fillRepeatedID}}},
	{Kind: Kind{Fraud, "id.request-repeated", "eight request ids for all requests"}, change: changeRepeated},
	{Kind: Kind{Fraud, "id.imp-identical", "four impressions that differ in their ids only"}, imps: 4, change: changeIdentical, omit: []member{bannerID}},

	{Kind: Kind{Fraud, "inventory.bundle-form", "a bundle that the system's store does not give"}, channels: appOnly, omit: []member{appStoreURL}, force: []member{devOS}, put: []value{{member: appBundle, fill: fillOtherBundle}}},
	{Kind: Kind{Fraud, "inventory.storeurl", "the store's page of another app"}, channels: appOrTV, put: []value{{member: appStoreURL, fill: fillOtherStore}}},
	{Kind: Kind{Fraud, "inventory.domain", "a page on another domain than the one declared"}, channels: siteOnly, put: []value{put(siteDomain, `"premium-news.example"`, `"world-daily.example"`)}},
	{Kind: Kind{Fraud, "inventory.size", "a banner of one pixel"}, channels: []channel{onSite, inApp}, formats: fmtBanner, omit: []member{bannerW, bannerH, impVideo}, put: []value{put(bannerFormat, `[{"w":1,"h":1}]`, `[{"w":1,"h":2}]`)}},

	{Kind: Kind{Fraud, "supply.incomplete", "a supply chain that says it is incomplete"}, channels: anyChannel, put: []value{put(schainComplete, "0")}},
	{Kind: Kind{Fraud, "supply.broken", "a supply chain with a node without a seller"}, channels: anyChannel, put: []value{put(nodeSID, `""`)}},
	{Kind: Kind{Fraud, "supply.long", "a supply chain of twelve nodes"}, channels: anyChannel, change: changeLongChain, force: []member{schainNodes}},
	{Kind: Kind{Fraud, "supply.repeated", "a supply chain with the same node three times"}, channels: anyChannel, change: changeRepeatedNode, put: []value{put(nodeASI, `"reseller.example"`), put(nodeSID, `"1001"`)}},

	{Kind: Kind{Fraud, "economics.floor", "a floor that nobody pays"}, put: []value{put(impFloor, "5000", "98765.43"), put(impFloorCur, `"USD"`)}},
	{Kind: Kind{Fraud, "economics.tmax", "a time limit that no auction has"}, put: []value{put(reqTmax, "1", "3", "600000")}},
	{Kind: Kind{Fraud, "economics.imps", "sixty impressions"}, channels: []channel{onSite, inApp}, imps: 60},

	{Kind: Kind{Fraud, "privacy.no-consent", "identifiers under the GDPR without a consent string"}, channels: anyChannel, newer: true, change: changeEurope, force: []member{devUA, userID, userBuyerUID}, omit: []member{userConsent}, put: []value{put(regsGDPR, "1")}},
	{Kind: Kind{Fraud, "privacy.consent-form", "a consent string that is not one"}, channels: anyChannel, newer: true, change: changeEurope, force: []member{userID}, put: []value{put(regsGDPR, "1"), put(userConsent, `"yes"`, `"1"`, `"CP"`)}},
	{Kind: Kind{Fraud, "privacy.us-form", "a US privacy string that is not one"}, channels: anyChannel, newer: true, put: []value{put(regsUSPrivacy, `"YNN"`, `"1XYZ"`, `"yes"`)}},
	{Kind: Kind{Fraud, "privacy.gpp-sections", "a GPP string without the sections that apply"}, channels: anyChannel, newer: true, put: []value{put(regsGPP, `"DBABLA~BVQqAAAAAgA.QA"`), put(regsGPPSID, "[2]", "[8,9]")}},
	{Kind: Kind{Fraud, "privacy.coppa", "identifiers of a child"}, channels: appOnly, change: changeTracked, force: []member{devUA, userID, userBuyerUID}, put: []value{put(regsCOPPA, "1"), {member: devIFA, fill: fillDeviceID}}},
	{Kind: Kind{Fraud, "privacy.dnt-lmt", "tracking is refused and allowed"}, channels: appOrTV, put: []value{put(devDNT, "1"), put(devLMT, "0")}},
}

// datacenters are ranges of providers of servers. They are examples.
var datacenters = [...]network{
	{v4(3, 208, 0, 0), 12, 0}, {v4(34, 64, 0, 0), 10, 0}, {v4(88, 99, 0, 0), 16, 0}, {v4(167, 99, 0, 0), 16, 0},
	{v4(159, 89, 0, 0), 16, 0}, {v4(172, 104, 0, 0), 15, 0}, {v4(51, 68, 0, 0), 16, 0}, {v4(95, 216, 0, 0), 16, 0},
}

// alter changes the request as the plan wants.
func (p *plan) alter(r *request, s *source) {
	switch p.change {
	case changeForeign:
		other := r.user
		other.country = r.foreign(s, false)
		other.home = other.country.fixed[0]
		r.address = newAddress(&other, false)
	case changeForeignV6:
		other := r.user
		other.country = r.foreign(s, true)
		for _, n := range other.country.fixed {
			if n.v6 != 0 {
				other.home = n
			}
		}
		r.address.v6 = newAddress(&other, false).v6
	case changeVersion:
		r.device = r.g.newDevice(&r.user, computer)
		r.address = newAddress(&r.user, false)
		r.address.wireless = 1
		for r.device.model.platform == mac {
			r.device.model = &models[r.g.tables.models[computer].draw(s)]
		}
		r.device.version = &systems[r.device.model.platform].versions[r.device.model.low]
		r.device.brand, r.device.browser = chrome, 400+s.below(600)
	case changeRepeated:
		r.repeated = true
	case changeTracked:
		r.user.limits, r.user.child, r.tracked = false, false, true
	case changeLimited:
		r.user.limits, r.tracked = true, false
	case changeEurope:
		if r.user.country.law != lawGDPR {
			r.user.country = &countries[1+s.below(3)] // Germany, the United Kingdom, France
			r.user.city = &r.user.country.cities[0]
			r.user.home, r.user.carrier = r.user.country.fixed[0], &r.user.country.mobile[0]
			r.address = newAddress(&r.user, false)
		}
		r.user.limits, r.user.child, r.tracked = false, false, true
	}
}

// foreign returns another country than the user's.
func (r *request) foreign(s *source, v6 bool) *country {
	for i := s.below(len(countries)); ; i = (i + 1) % len(countries) {
		c := &countries[i]
		has := !v6
		for _, n := range c.fixed {
			has = has || n.v6 != 0
		}
		if c != r.user.country && has {
			return c
		}
	}
}

// planned writes the plan's value for a member whose name has been written.
func (w *writer) planned(m member) {
	p := w.r.plan
	if p.Class == Payload {
		w.attack(m)
		return
	}
	for i := range p.put {
		v := &p.put[i]
		if v.member != m {
			continue
		}
		if v.fill == fillTexts {
			w.raw(v.texts[w.r.key>>18%uint64(len(v.texts))])
		} else {
			w.fill(v.fill)
		}
		return
	}
}

// fill writes a value that no table holds.
func (w *writer) fill(f fill) {
	r := &w.r
	at := w.begin()
	switch f {
	case fillDatacenter:
		n := datacenters[r.key>>19%uint64(len(datacenters))]
		w.dst = appendIPv4(w.dst, n.v4|uint32(hash(r.key, 91))>>n.bits)
	case fillOtherOS:
		w.dst = append(w.dst, otherOS(r.device.model.platform)...)
	case fillOtherMake:
		if r.device.model.make == "Apple" {
			w.dst = append(w.dst, "Samsung"...)
		} else {
			w.dst = append(w.dst, "Apple"...)
		}
	case fillOtherBundle:
		other := r.app
		if other.store == play {
			other.store = apple
		} else {
			other.store = play
		}
		w.dst = other.appendBundle(w.dst)
	case fillOtherStore:
		other := r.g.newApp(r.app.store, r.app.language, 0, false)
		if other.key == r.app.key || other.id == r.app.id || other.words == r.app.words {
			other.words[0] ^= 1
			other.nameWords[0] = other.language.words[other.words[0]]
			other.id++
			other.key = mix(other.key)
		}
		w.dst = other.appendStoreURL(w.dst, r.user.country)
	case fillDeviceID:
		w.dst = appendUUID(w.dst, hash(r.device.key, 12), false)
	case fillRepeatedID:
		w.dst = appendUUID(w.dst, hash(r.g.world, 92+r.key>>19&3), false)
	}
	w.end(at)
}

// otherOS is a system that the platform is not.
func otherOS(p platform) string {
	switch p {
	case android, windows, fireTV:
		return "iOS"
	case ios, mac, tvOS:
		return "Android"
	default:
		return "Windows"
	}
}
