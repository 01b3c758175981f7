package geoip

import "github.com/rtbwire/rtbwire/internal/setting"

var configured setting.Slot[setting.Named]

// Configured returns the file with the database of a configuration, "" for none.
func Configured(file *setting.Scope) setting.Named { return *configured.In(file) }

// OpenConfigured opens the database of a configuration, and reports one that can't be read. It
// returns nil if there is none. A database in use that is from the same file is returned itself; it
// may be nil.
func OpenConfigured(r *setting.Reader, file *setting.Scope, inUse *DB) *DB {
	name := Configured(file)
	if name.Name == "" {
		return nil
	}
	if inUse != nil && inUse.file.Path() == name.Name {
		if inUse.Refresh(); inUse.Status().Err == nil {
			return inUse
		}
	}
	db, err := Open(name.Name, Options{})
	r.ReportError(name.Place, "geoip", err)
	return db
}

func init() {
	setting.Register(setting.Module{Section: "fraud", Order: -2, Fields: []setting.Field[setting.Scope]{
		setting.F("geoip", setting.NamedFile(), configured.In,
			"Database of the countries of addresses, in the MaxMind DB format (docs/lookups.md).").Example("geoip: GeoLite2-Country.mmdb"),
	}})
}
