package geoip

import (
	"errors"
	"fmt"

	"github.com/oschwald/maxminddb-golang/v2/mmdbdata"

	"github.com/rtbwire/rtbwire/inspect/lookup"
)

// traitNames are the names that databases have for a trait, at the top of a record or under
// "traits": GeoIP2 and GeoIP2-Anonymous-IP first, then ipinfo's.
var traitNames = map[string]lookup.Traits{
	"is_anonymous": lookup.Anonymous, "is_anonymous_proxy": lookup.Anonymous,
	"is_anonymous_vpn": lookup.VPN, "is_vpn": lookup.VPN, "vpn": lookup.VPN,
	"is_hosting_provider": lookup.Hosting, "is_hosting": lookup.Hosting, "hosting": lookup.Hosting,
	"is_public_proxy": lookup.Proxy, "is_proxy": lookup.Proxy, "proxy": lookup.Proxy,
	"is_residential_proxy": lookup.Residential, "is_res_proxy": lookup.Residential,
	"is_tor_exit_node": lookup.Tor, "is_tor": lookup.Tor, "tor": lookup.Tor,
	"is_relay": lookup.Relay, "relay": lookup.Relay,
	"is_satellite_provider": lookup.Satellite, "is_satellite": lookup.Satellite,
	"is_anycast": lookup.Anycast, "anycast": lookup.Anycast,
}

// fieldsMax is how many fields a record, or a map in it, may have. City databases have 10.
const fieldsMax = 256

var maps = mmdbdata.NewKindSet(mmdbdata.KindMap)

// fieldError is a fault in a field of a record.
type fieldError struct {
	field string
	err   error
}

// Error returns field and cause.
func (e *fieldError) Error() string { return e.field + ": " + e.err.Error() }

// Unwrap returns the cause.
func (e *fieldError) Unwrap() error { return e.err }

// readRecord reads the record at a cursor. Fields that are not asked for are skipped, and pointers
// in them are not followed.
func readRecord(c mmdbdata.Cursor) (r lookup.AddressInfo, err error) {
	kind, err := c.Kind()
	if err != nil {
		return r, err
	}
	if kind == mmdbdata.KindString { // the record is the code, as in databases of proxy programs
		r.Country, _, err = readCode(c)
		return r, err
	}
	trait := func(name string, value mmdbdata.Cursor) (mmdbdata.Cursor, error) {
		return readTrait(&r.Traits, name, value)
	}
	err = eachField(c, func(name string, value mmdbdata.Cursor) (next mmdbdata.Cursor, err error) {
		var country lookup.Country
		switch name {
		case "country":
			country, next, err = readCountry(value)
			if country != (lookup.Country{}) && r.Country == (lookup.Country{}) {
				r.Country = country
			}
		case "country_code":
			country, next, err = readCode(value)
			if country != (lookup.Country{}) {
				r.Country = country
			}
		case "registered_country":
			r.Registered, next, err = readCountry(value)
		case "traits":
			if err = eachField(value, trait); err == nil {
				next, err = value.Skip()
			}
		default:
			return trait(name, value)
		}
		return next, err
	})
	return r, err
}

// eachField calls do for each field of a map. It returns the cursor after the value.
func eachField(c mmdbdata.Cursor, do func(name string, value mmdbdata.Cursor) (mmdbdata.Cursor, error)) error {
	if err := c.CheckMaxSize(maps, fieldsMax); err != nil {
		return err
	}
	m, err := c.Map()
	if err != nil {
		return err
	}
	var next mmdbdata.Cursor
	for {
		key, value, more := m.Next(next)
		if !more {
			return m.Err()
		}
		if next, err = do(string(key), value); err != nil {
			return &fieldError{fmt.Sprintf("%.40q", key), err}
		}
	}
}

// readCountry reads a country: a map with its iso_code, or the code itself. The name of a country,
// which some databases have here, does not count.
func readCountry(c mmdbdata.Cursor) (code lookup.Country, next mmdbdata.Cursor, err error) {
	kind, err := c.Kind()
	if err != nil {
		return code, next, err
	}
	if kind == mmdbdata.KindString {
		return readCode(c)
	}
	err = eachField(c, func(name string, value mmdbdata.Cursor) (mmdbdata.Cursor, error) {
		if name != "iso_code" {
			return value.Skip()
		}
		var next mmdbdata.Cursor
		var err error
		code, next, err = readCode(value)
		return next, err
	})
	if err == nil {
		next, err = c.Skip()
	}
	return code, next, err
}

// codeMax is more than the longest name of a country.
const codeMax = 1 << 10

// readCode reads a code of two letters. Any other text does not count.
func readCode(c mmdbdata.Cursor) (lookup.Country, mmdbdata.Cursor, error) {
	text, next, err := c.ReadStringMaxSize(codeMax)
	if err != nil || len(text) != len(lookup.Country{}) {
		return lookup.Country{}, next, err
	}
	code, _ := lookup.ParseCountry(text)
	return code, next, nil
}

var errTrait = errors.New("expected a boolean")

// readTrait reads a field that may be a trait: a boolean, or what others write for one.
func readTrait(t *lookup.Traits, name string, value mmdbdata.Cursor) (mmdbdata.Cursor, error) {
	bit := traitNames[name]
	if bit == 0 {
		return value.Skip()
	}
	kind, err := value.Kind()
	if err != nil {
		return value, err
	}
	var is bool
	next := value
	switch kind {
	case mmdbdata.KindBool:
		is, next, err = value.ReadBool()
	case mmdbdata.KindString:
		var text string
		text, next, err = value.ReadStringMaxSize(codeMax)
		is = text == "true" || text == "1"
	case mmdbdata.KindUint16, mmdbdata.KindUint32:
		var n uint64
		n, next, err = value.ReadUint()
		is = n != 0
	default:
		err = errTrait
	}
	if is {
		*t |= bit
	}
	return next, err
}
