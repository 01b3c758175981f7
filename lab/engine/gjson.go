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
	}}
}
