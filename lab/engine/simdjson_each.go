package engine

import "github.com/minio/simdjson-go"

// each reads the fields with one pass over each object. It gives ForEach no filter of keys: release
// 0.4.5 takes the key after a member that the filter drops for a value.
func (s *simdjsonState) each(data []byte, f *Fields) error {
	*f = Fields{}
	root, err := s.request(data)
	if err != nil {
		return err
	}
	return root.ForEach(func(key []byte, v simdjson.Iter) {
		switch string(key) {
		case "id":
			f.ID, _ = v.String()
		case "imp":
			if first, ok := s.firstOf(&v); ok {
				eachIn(first, &s.imp, f.setSimdjsonImp)
			}
		case "site":
			eachIn(v, &s.site, f.setSimdjsonSite)
		case "app":
			eachIn(v, &s.app, f.setSimdjsonApp)
		case "device":
			eachIn(v, &s.device, f.setSimdjsonDevice)
		case "user":
			eachIn(v, &s.user, f.setSimdjsonUser)
		case "at":
			f.At = simdjsonInt(v)
		case "tmax":
			f.TMax = simdjsonInt(v)
		case "cur":
			if first, ok := s.firstOf(&v); ok {
				f.Cur, _ = first.String()
			}
		}
	}, nil)
}

// eachIn calls a function for each member wanted of v, if v is an object.
func eachIn(v simdjson.Iter, room *simdjson.Object, set func(key []byte, v simdjson.Iter)) {
	if o, err := v.Object(room); err == nil {
		_ = o.ForEach(set, nil) // the tape is valid: it fails for nothing
	}
}

func simdjsonInt(v simdjson.Iter) int {
	n, _ := v.Int()
	return int(n)
}

func (f *Fields) setSimdjsonImp(key []byte, v simdjson.Iter) {
	switch string(key) {
	case "id":
		f.ImpID, _ = v.String()
	case "tagid":
		f.TagID, _ = v.String()
	case "bidfloor":
		f.BidFloor, _ = v.Float()
	case "secure":
		f.Secure = simdjsonInt(v)
	case "banner":
		eachIn(v, nil, f.setSimdjsonBanner)
	}
}

func (f *Fields) setSimdjsonBanner(key []byte, v simdjson.Iter) {
	switch string(key) {
	case "w":
		f.W = simdjsonInt(v)
	case "h":
		f.H = simdjsonInt(v)
	}
}

func (f *Fields) setSimdjsonSite(key []byte, v simdjson.Iter) {
	switch string(key) {
	case "domain":
		f.Domain, _ = v.String()
	case "page":
		f.Page, _ = v.String()
	}
}

func (f *Fields) setSimdjsonApp(key []byte, v simdjson.Iter) {
	if string(key) == "bundle" {
		f.Bundle, _ = v.String()
	}
}

func (f *Fields) setSimdjsonDevice(key []byte, v simdjson.Iter) {
	switch string(key) {
	case "ua":
		f.UA, _ = v.String()
	case "ip":
		f.IP, _ = v.String()
	case "os":
		f.OS, _ = v.String()
	case "language":
		f.Language, _ = v.String()
	case "geo":
		eachIn(v, nil, f.setSimdjsonGeo)
	}
}

func (f *Fields) setSimdjsonGeo(key []byte, v simdjson.Iter) {
	if string(key) == "country" {
		f.Country, _ = v.String()
	}
}

func (f *Fields) setSimdjsonUser(key []byte, v simdjson.Iter) {
	switch string(key) {
	case "id":
		f.UserID, _ = v.String()
	case "buyeruid":
		f.BuyerUID, _ = v.String()
	}
}
