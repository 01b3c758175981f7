package engine

import "github.com/tidwall/gjson"

// gjsonPaths are in the order of the results in gjsonEngines.
var gjsonPaths = []string{
	"id", "imp.0.id", "imp.0.tagid", "imp.0.bidfloor", "imp.0.secure", "imp.0.banner.w", "imp.0.banner.h",
	"site.domain", "site.page", "app.bundle", "device.ua", "device.ip", "device.os", "device.language",
	"device.geo.country", "user.id", "user.buyeruid", "at", "tmax", "cur.0",
}

func gjsonEngines() []Engine {
	return []Engine{{
		Name: "gjson", Module: "github.com/tidwall/gjson",
		Config: "gjson.GetManyBytes(data, 20 paths...)",
		Source: "gjson.go: GetManyBytes searches json for the multiple paths",
		Note:   "searches from the start of the text for every path; does not notice broken text",
		Safety: Safety{Copies: Yes, UTF8: No, CaseSensitive: Yes},
		Fields: func(data []byte, f *Fields) error {
			r := gjson.GetManyBytes(data, gjsonPaths...)
			*f = Fields{
				ID:       r[0].String(),
				ImpID:    r[1].String(),
				TagID:    r[2].String(),
				BidFloor: r[3].Float(),
				Secure:   int(r[4].Int()),
				W:        int(r[5].Int()),
				H:        int(r[6].Int()),
				Domain:   r[7].String(),
				Page:     r[8].String(),
				Bundle:   r[9].String(),
				UA:       r[10].String(),
				IP:       r[11].String(),
				OS:       r[12].String(),
				Language: r[13].String(),
				Country:  r[14].String(),
				UserID:   r[15].String(),
				BuyerUID: r[16].String(),
				At:       int(r[17].Int()),
				TMax:     int(r[18].Int()),
				Cur:      r[19].String(),
			}
			return nil
		},
		Validate: gjson.ValidBytes,
	}, {
		Name: "gjson-nested", Module: "github.com/tidwall/gjson",
		Config: "gjson.ParseBytes(data), then Result.ForEach of the request and of each object in it that has a field",
		Source: "README.md: The `ForEach` function allows for quickly iterating through an object or array.",
		Note:   "reads each of those objects once, where paths search each of them again; does not notice broken text",
		Safety: Safety{Copies: Yes, UTF8: No, CaseSensitive: Yes},
		Fields: func(data []byte, f *Fields) error {
			*f = Fields{}
			gjson.ParseBytes(data).ForEach(f.setGJSON)
			return nil
		},
	}}
}

// The functions below set what a member of an object has. They go on with the next member.

func (f *Fields) setGJSON(key, value gjson.Result) bool {
	switch key.Str {
	case "id":
		f.ID = value.String()
	case "imp":
		value.ForEach(func(_, imp gjson.Result) bool {
			imp.ForEach(f.setGJSONImp)
			return false
		})
	case "site":
		value.ForEach(func(key, value gjson.Result) bool {
			switch key.Str {
			case "domain":
				f.Domain = value.String()
			case "page":
				f.Page = value.String()
			}
			return true
		})
	case "app":
		value.ForEach(func(key, value gjson.Result) bool {
			if key.Str == "bundle" {
				f.Bundle = value.String()
			}
			return true
		})
	case "device":
		value.ForEach(f.setGJSONDevice)
	case "user":
		value.ForEach(func(key, value gjson.Result) bool {
			switch key.Str {
			case "id":
				f.UserID = value.String()
			case "buyeruid":
				f.BuyerUID = value.String()
			}
			return true
		})
	case "at":
		f.At = int(value.Int())
	case "tmax":
		f.TMax = int(value.Int())
	case "cur":
		value.ForEach(func(_, first gjson.Result) bool {
			f.Cur = first.String()
			return false
		})
	}
	return true
}

func (f *Fields) setGJSONImp(key, value gjson.Result) bool {
	switch key.Str {
	case "id":
		f.ImpID = value.String()
	case "tagid":
		f.TagID = value.String()
	case "bidfloor":
		f.BidFloor = value.Float()
	case "secure":
		f.Secure = int(value.Int())
	case "banner":
		value.ForEach(func(key, value gjson.Result) bool {
			switch key.Str {
			case "w":
				f.W = int(value.Int())
			case "h":
				f.H = int(value.Int())
			}
			return true
		})
	}
	return true
}

func (f *Fields) setGJSONDevice(key, value gjson.Result) bool {
	switch key.Str {
	case "ua":
		f.UA = value.String()
	case "ip":
		f.IP = value.String()
	case "os":
		f.OS = value.String()
	case "language":
		f.Language = value.String()
	case "geo":
		value.ForEach(func(key, value gjson.Result) bool {
			if key.Str == "country" {
				f.Country = value.String()
			}
			return true
		})
	}
	return true
}
