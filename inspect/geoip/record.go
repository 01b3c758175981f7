package geoip

import (
	"errors"
	"fmt"
	"strings"

	"github.com/oschwald/maxminddb-golang/v2/mmdbdata"
)

// Record is what a database says about an address.
type Record struct {
	// Country is where the address is used; zero where the database does not say.
	Country Country
	// Registered is the country that the network is registered in, which only some databases have.
	Registered Country
	Traits     Traits
}

// Traits are what else a database says about an address: bits. Only some databases say anything.
type Traits uint16

// The bits of Traits.
const (
	Anonymous   Traits = 1 << iota // hidden behind a service of any kind
	VPN                            // an anonymous VPN
	Hosting                        // a data center
	Proxy                          // a public proxy
	Residential                    // a residential proxy
	Tor                            // an exit of Tor
	Relay                          // a relay of a browser or system, such as iCloud Private Relay
	Satellite                      // a satellite provider: the country says little
	Anycast                        // in many places at once: the country says little
)

// traitNames are the names that databases have for a trait, at the top of a record or under
// "traits": GeoIP2 and GeoIP2-Anonymous-IP first, then ipinfo's.
var traitNames = map[string]Traits{
	"is_anonymous": Anonymous, "is_anonymous_proxy": Anonymous,
	"is_anonymous_vpn": VPN, "is_vpn": VPN, "vpn": VPN,
	"is_hosting_provider": Hosting, "is_hosting": Hosting, "hosting": Hosting,
	"is_public_proxy": Proxy, "is_proxy": Proxy, "proxy": Proxy,
	"is_residential_proxy": Residential, "is_res_proxy": Residential,
	"is_tor_exit_node": Tor, "is_tor": Tor, "tor": Tor,
	"is_relay": Relay, "relay": Relay,
	"is_satellite_provider": Satellite, "is_satellite": Satellite,
	"is_anycast": Anycast, "anycast": Anycast,
}

// names are those of [Traits.String], by bit.
var names = []string{"anonymous", "vpn", "hosting", "proxy", "residential", "tor", "relay", "satellite", "anycast"}

// String returns the names of the bits with commas between them, such as "hosting,tor".
func (t Traits) String() string {
	var set []string
	for i, name := range names {
		if t&(1<<i) != 0 {
			set = append(set, name)
		}
	}
	return strings.Join(set, ",")
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
func readRecord(c mmdbdata.Cursor) (r Record, err error) {
	kind, err := c.Kind()
	if err != nil {
		return r, err
	}
	if kind == mmdbdata.KindString { // the record is the code, as in databases of proxy programs
		r.Country, _, err = readCode(c)
		return r, err
	}
	err = eachField(c, func(name string, value mmdbdata.Cursor) (next mmdbdata.Cursor, err error) {
		var country Country
		switch name {
		case "country":
			country, next, err = readCountry(value)
			if country != (Country{}) && r.Country == (Country{}) {
				r.Country = country
			}
		case "country_code":
			country, next, err = readCode(value)
			if country != (Country{}) {
				r.Country = country
			}
		case "registered_country":
			r.Registered, next, err = readCountry(value)
		case "traits":
			if err = eachField(value, r.Traits.read); err == nil {
				next, err = value.Skip()
			}
		default:
			return r.Traits.read(name, value)
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
// which some databases have here, is no country.
func readCountry(c mmdbdata.Cursor) (code Country, next mmdbdata.Cursor, err error) {
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

// readCode reads a code of two letters. Any other text is no country.
func readCode(c mmdbdata.Cursor) (Country, mmdbdata.Cursor, error) {
	text, next, err := c.ReadStringMaxSize(codeMax)
	if err != nil || len(text) != len(Country{}) {
		return Country{}, next, err
	}
	code, _ := ParseCountry(text)
	return code, next, nil
}

var errTrait = errors.New("expected a boolean")

// read reads a field that may be a trait: a boolean, or what others write for one.
func (t *Traits) read(name string, value mmdbdata.Cursor) (mmdbdata.Cursor, error) {
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
