package engine

import "github.com/buger/jsonparser"

// jsonparserPaths are in the order of the cases in jsonparserEngines.
var jsonparserPaths = [][]string{
	{"id"}, {"imp", "[0]", "id"}, {"imp", "[0]", "tagid"}, {"imp", "[0]", "bidfloor"}, {"imp", "[0]", "secure"},
	{"imp", "[0]", "banner", "w"}, {"imp", "[0]", "banner", "h"}, {"site", "domain"}, {"site", "page"}, {"app", "bundle"},
	{"device", "ua"}, {"device", "ip"}, {"device", "os"}, {"device", "language"}, {"device", "geo", "country"},
	{"user", "id"}, {"user", "buyeruid"}, {"at"}, {"tmax"}, {"cur", "[0]"},
}

func jsonparserEngines() []Engine {
	return []Engine{{
		Name: "jsonparser", Module: "github.com/buger/jsonparser",
		Config: "jsonparser.EachKey(data, callback, 20 paths...), ParseString, ParseInt, ParseFloat",
		Source: "README.md: The most efficient way to extract multiple keys is `EachKey`",
		Note:   "stops when it has all fields; does not notice broken text after them",
		Safety: Safety{Copies: Yes, UTF8: No, CaseSensitive: Yes},
		Fields: func(data []byte, f *Fields) error {
			*f = Fields{}
			var failed error
			jsonparser.EachKey(data, func(i int, value []byte, _ jsonparser.ValueType, err error) {
				if err == nil {
					err = f.setJSONParser(i, value)
				}
				if err != nil && failed == nil {
					failed = err
				}
			}, jsonparserPaths...)
			return failed
		},
	}}
}

func (f *Fields) setJSONParser(i int, value []byte) (err error) {
	switch i {
	case 0:
		f.ID, err = jsonparser.ParseString(value)
	case 1:
		f.ImpID, err = jsonparser.ParseString(value)
	case 2:
		f.TagID, err = jsonparser.ParseString(value)
	case 3:
		f.BidFloor, err = jsonparser.ParseFloat(value)
	case 4:
		f.Secure, err = parseInt(value)
	case 5:
		f.W, err = parseInt(value)
	case 6:
		f.H, err = parseInt(value)
	case 7:
		f.Domain, err = jsonparser.ParseString(value)
	case 8:
		f.Page, err = jsonparser.ParseString(value)
	case 9:
		f.Bundle, err = jsonparser.ParseString(value)
	case 10:
		f.UA, err = jsonparser.ParseString(value)
	case 11:
		f.IP, err = jsonparser.ParseString(value)
	case 12:
		f.OS, err = jsonparser.ParseString(value)
	case 13:
		f.Language, err = jsonparser.ParseString(value)
	case 14:
		f.Country, err = jsonparser.ParseString(value)
	case 15:
		f.UserID, err = jsonparser.ParseString(value)
	case 16:
		f.BuyerUID, err = jsonparser.ParseString(value)
	case 17:
		f.At, err = parseInt(value)
	case 18:
		f.TMax, err = parseInt(value)
	case 19:
		f.Cur, err = jsonparser.ParseString(value)
	}
	return err
}

func parseInt(value []byte) (int, error) {
	n, err := jsonparser.ParseInt(value)
	return int(n), err
}
