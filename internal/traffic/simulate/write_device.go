package simulate

// device writes the device.
func (w *writer) device() {
	r := &w.r
	d, m := &r.device, r.device.model
	// What the user agent does not say is known from the client hints only: browsers on Android
	// have one user agent for all models and versions.
	hints := w.hints()
	known := m.platform != android || r.agent != browser || hints
	w.open()
	for _, f := range w.d.order[objDevice] {
		if !w.has(f) {
			continue
		}
		switch f {
		case devGeo:
			w.key(f)
			w.geo()
		case devUA:
			w.key(f)
			at := w.begin()
			w.dst = appendUA(w.dst, d, r.agent, &r.app)
			w.end(at)
		case devSUA:
			if hints {
				w.key(f)
				w.sua()
			}
		case devIP:
			w.key(f)
			w.dst = append(appendIPv4(append(w.dst, '"'), r.address.v4), '"')
		case devIPv6:
			if r.address.v6[0] != 0 {
				w.key(f)
				w.dst = append(appendIPv6(append(w.dst, '"'), &r.address.v6), '"')
			}
		case devMake:
			if m.make != "" && known {
				w.key(f)
				w.text(m.make)
			}
		case devModel:
			if m.model != "" && known {
				w.key(f)
				w.text(m.model)
			}
		case devOS:
			w.key(f)
			w.text(systems[m.platform].os)
		case devOSV:
			if osv := d.version.osv; !known {
				w.key(f)
				w.text("10")
			} else if osv != "" {
				w.key(f)
				w.text(osv)
			}
		case devHWV:
			if m.hwv != "" && r.agent != browser {
				w.key(f)
				w.text(m.hwv)
			}
		case devCarrier:
			if c := r.address.carrier; c != nil {
				w.key(f)
				w.text(c.name)
			}
		case devMCCMNC:
			if c := r.address.carrier; c != nil {
				w.key(f)
				w.text(c.mccmnc)
			}
		case devIFA:
			if (r.channel == inApp || r.channel == onTV) && w.identified() {
				w.key(f)
				w.dst = append(w.dst, '"')
				w.dst = append(appendUUID(w.dst, hash(d.key, 12), m.platform == ios), '"')
			}
		case devExt:
			w.deviceExt()
		default:
			w.deviceSetting(f)
		}
	}
	w.close()
}

// limited reports whether tracking is limited: by the user's wish, or because consent is missing.
func (w *writer) limited() bool { return w.r.user.limits || w.r.channel != onSite && !w.identified() }

// hints reports whether the request has client hints. Only browsers on Chromium send them.
func (w *writer) hints() bool {
	d := &w.r.device
	if w.r.agent != browser || w.r.channel != onSite || d.brand > edge || systems[d.model.platform].brand == "" {
		return false
	}
	return w.chosen(devSUA)
}

// deviceSetting writes one of the device's plain members, if it applies.
func (w *writer) deviceSetting(f member) {
	r, m := &w.r, w.r.device.model
	switch f {
	case devDNT:
		w.key(f)
		w.flag(w.limited())
	case devLMT:
		if r.channel != onSite {
			w.key(f)
			w.flag(w.limited())
		}
	case devType:
		w.key(f)
		w.int(m.deviceType)
	case devH:
		w.key(f)
		w.int(m.h)
	case devW:
		w.key(f)
		w.int(m.w)
	case devPPI:
		if m.ppi > 0 {
			w.key(f)
			w.int(m.ppi)
		}
	case devRatio:
		w.key(f)
		w.decimal(m.ratio, 3)
	case devJS:
		w.key(f)
		w.flag(true)
	case devGeoFetch:
		w.key(f)
		w.flag(false)
	case devLanguage:
		w.key(f)
		w.text(r.user.language.code)
	case devConnection:
		w.key(f)
		w.int(r.address.wireless)
	}
}

// deviceExt writes what producers add to a device: Apple's answer about tracking.
func (w *writer) deviceExt() {
	r := &w.r
	if r.device.model.platform != ios || r.channel != inApp {
		return
	}
	w.key(devExt)
	w.open()
	w.name("atts")
	w.int(map2(w.limited(), 2, 3))
	if w.limited() {
		w.name("ifv")
		w.dst = append(w.dst, '"')
		w.dst = append(appendUUID(w.dst, hash(r.device.key, r.app.key), true), '"')
	}
	w.close()
}

// geo writes where the device is. With consent coordinates are exact, else they are the city's.
func (w *writer) geo() {
	r := &w.r
	c, city := r.user.country, r.user.city
	exact := r.channel == inApp && w.identified() && r.key>>57&1 == 1
	jitter := func(shift uint64) int {
		if !exact {
			return 0
		}
		return int(hash(r.user.key, shift)%1000) - 500
	}
	w.open()
	for _, m := range w.d.order[objGeo] {
		if !w.has(m) {
			continue
		}
		switch m {
		case geoLat:
			w.key(m)
			w.decimal(city.lat+jitter(31), 4)
		case geoLon:
			w.key(m)
			w.decimal(city.lon+jitter(32), 4)
		case geoType:
			w.key(m)
			switch {
			case r.channel == outside:
				w.int(3) // as installed
			default:
				w.int(map2(exact, 1, 2))
			}
		case geoAccuracy:
			if exact {
				w.key(m)
				w.int(10 + int(r.user.key>>21%90))
			}
		case geoCountry:
			w.key(m)
			w.text(c.code)
		case geoRegion:
			w.key(m)
			w.text(city.region)
		case geoMetro:
			if city.metro != "" {
				w.key(m)
				w.text(city.metro)
			}
		case geoCity:
			w.key(m)
			w.text(city.name)
		case geoZip:
			w.key(m)
			w.zip(c)
		case geoUTC:
			w.key(m)
			w.int(c.utc)
		}
	}
	w.close()
}

// zip writes a postal code of the country's form.
func (w *writer) zip(c *country) {
	key := hash(w.r.user.key, 33)
	w.dst = append(w.dst, '"')
	for _, f := range []byte(c.zip) {
		switch f {
		case '0':
			w.dst = append(w.dst, '1'+byte(key%9))
		case 'A':
			w.dst = append(w.dst, "ABCEGHJKLMNPRSTVXY"[key%18])
		default:
			w.dst = append(w.dst, f)
		}
		key /= 18
	}
	w.dst = append(w.dst, '"')
}

// sua writes the client hints.
func (w *writer) sua() {
	d := &w.r.device
	m := d.model
	w.open()
	for _, f := range w.d.order[objSUA] {
		if !w.has(f) {
			continue
		}
		switch f {
		case suaBrowsers:
			w.key(f)
			w.dst = append(w.dst, '[')
			w.brandVersion("Chromium", d.browser)
			w.element(1)
			if d.brand == edge {
				w.brandVersion("Microsoft Edge", d.browser)
			} else {
				w.brandVersion("Google Chrome", d.browser)
			}
			w.element(1)
			w.brandVersion("Not_A Brand", 24)
			w.dst = append(w.dst, ']')
		case suaPlatform:
			w.key(f)
			w.open()
			w.name("brand")
			w.text(systems[m.platform].brand)
			w.name("version")
			w.dotted(d.version.hint)
			w.close()
		case suaMobile:
			w.key(f)
			w.flag(m.class == phone)
		case suaArchitecture:
			if m.class == computer {
				w.key(f)
				w.text("x86")
			}
		case suaBitness:
			if m.class == computer {
				w.key(f)
				w.text("64")
			}
		case suaModel:
			if m.platform == android {
				w.key(f)
				w.text(m.model)
			}
		case suaSource:
			w.key(f)
			w.int(2)
		}
	}
	w.close()
}

func (w *writer) brandVersion(brand string, major int) {
	w.open()
	w.name("brand")
	w.text(brand)
	w.name("version")
	w.dst = append(w.dst, '[', '"')
	w.int(major)
	w.dst = append(w.dst, '"', ']')
	w.close()
}

// dotted writes the parts of a version as an array.
func (w *writer) dotted(version string) {
	w.dst = append(w.dst, '[', '"')
	for _, c := range []byte(version) {
		if c == '.' {
			w.dst = append(append(append(w.dst, '"'), w.d.comma...), '"')
		} else {
			w.dst = append(w.dst, c)
		}
	}
	w.dst = append(w.dst, '"', ']')
}

// appendIPv4 appends an address.
func appendIPv4(dst []byte, n uint32) []byte {
	for i := 3; i >= 0; i-- {
		dst = appendUint8(dst, byte(n>>(8*i)))
		if i > 0 {
			dst = append(dst, '.')
		}
	}
	return dst
}

func appendUint8(dst []byte, n byte) []byte {
	if n >= 100 {
		dst = append(dst, '0'+n/100)
	}
	if n >= 10 {
		dst = append(dst, '0'+n/10%10)
	}
	return append(dst, '0'+n%10)
}

// appendIPv6 appends an address whose groups are not 0, except the second one.
func appendIPv6(dst []byte, groups *[8]uint16) []byte {
	for i, g := range groups {
		if i > 0 {
			dst = append(dst, ':')
		}
		for shift := 12; shift >= 0; shift -= 4 {
			if shift == 0 || g>>shift != 0 {
				dst = append(dst, hexDigits[g>>shift&15])
			}
		}
	}
	return dst
}
