package engine

import "github.com/valyala/fastjson"

func fastjsonEngines() []Engine {
	var pool fastjson.ParserPool
	return []Engine{{
		Name: "fastjson", Module: "github.com/valyala/fastjson",
		Config: "parser from a fastjson.ParserPool, ParseBytes(data), v.Get(path...)",
		Source: "README.md: ParserPool",
		Note:   "parses the whole document into a tree; strings are valid until the parser is used again, so those asked for are copied",
		Safety: Safety{Copies: Yes, UTF8: No, CaseSensitive: Yes},
		Fields: func(data []byte, f *Fields) error {
			p := pool.Get()
			defer pool.Put(p)
			v, err := p.ParseBytes(data)
			if err != nil {
				return err
			}
			imp := v.Get("imp", "0")
			device := v.Get("device")
			*f = Fields{
				ID: text(v, "id"), ImpID: text(imp, "id"), TagID: text(imp, "tagid"),
				BidFloor: imp.GetFloat64("bidfloor"), Secure: imp.GetInt("secure"),
				W: imp.GetInt("banner", "w"), H: imp.GetInt("banner", "h"),
				Domain: text(v, "site", "domain"), Page: text(v, "site", "page"), Bundle: text(v, "app", "bundle"),
				UA: text(device, "ua"), IP: text(device, "ip"), OS: text(device, "os"),
				Language: text(device, "language"), Country: text(device, "geo", "country"),
				UserID: text(v, "user", "id"), BuyerUID: text(v, "user", "buyeruid"),
				At: v.GetInt("at"), TMax: v.GetInt("tmax"), Cur: text(v, "cur", "0"),
			}
			return nil
		},
		Validate: func(data []byte) bool { return fastjson.ValidateBytes(data) == nil },
	}}
}

func text(v *fastjson.Value, path ...string) string { return string(v.GetStringBytes(path...)) }
