package config

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rtbwire/rtbwire/inspect/fraud"
	"github.com/rtbwire/rtbwire/inspect/geoip"
	"github.com/rtbwire/rtbwire/inspect/lists"
	"github.com/rtbwire/rtbwire/inspect/rates"
	"github.com/rtbwire/rtbwire/internal/nearest"
	"github.com/rtbwire/rtbwire/internal/setting"
)

// This file connects the fraud score with the lists and files that it looks things up in.

// kindsFor are the kinds of lists that a signal can look something up in.
func kindsFor(w *fraud.Wanted) []lists.Kind {
	if w.Addresses != nil {
		return []lists.Kind{lists.Prefix}
	}
	return []lists.Kind{lists.Seller, lists.Domain}
}

// checkFraud reports lists that do not exist, or are of another kind.
func (l *loader) checkFraud(c *Config) {
	for _, wanted := range fraud.ConfiguredLists(&c.Scope, &fraud.Data{}) {
		name, kinds := wanted.Name, kindsFor(&wanted)
		var fitting []string
		var found *lists.Declared
		for _, own := range lists.Configured(&c.Scope) {
			if own.Name == name.Name {
				found = &own
			}
			if slices.Contains(kinds, own.Kind) {
				fitting = append(fitting, own.Name)
			}
		}
		switch {
		case found == nil:
			l.reader.Report(name.Place.Problem(nearest.Name(strings.TrimPrefix(name.Name, "lists."), fitting), "no list has the name "+setting.Quote(name.Name)))
		case found.Kind != "" && !slices.Contains(kinds, found.Kind): // without a kind, it was reported
			var words []string
			for _, k := range kinds {
				words = append(words, string(k))
			}
			l.reader.Report(name.Place.Problem(nearest.Name(name.Name, fitting),
				fmt.Sprintf("the list %s is of the kind %s (want %s)", name.Name, found.Kind, strings.Join(words, " or "))))
		}
	}
}

// fraudData returns what signals look up.
func (s *Setup) fraudData(table *rates.Table) (d fraud.Data, err error) {
	for _, wanted := range fraud.ConfiguredLists(&s.Config.Scope, &d) {
		list := s.Lists.List(wanted.Name.Name)
		if wanted.Addresses != nil {
			*wanted.Addresses, err = list.Addresses()
		} else {
			*wanted.Nodes, err = list.Nodes()
		}
		if err != nil {
			return d, err
		}
	}
	if table != nil {
		d.USD = table
	}
	if s.GeoIP != nil {
		d.Geo = s.GeoIP
	}
	if s.Supply != nil {
		d.Chains = s.Supply
	}
	return d, nil
}

// reviewFraud warns of weights that do nothing.
func (s *Setup) reviewFraud(add func(at Place, format string, args ...any)) {
	const prefix = "fraud."
	lacks := map[string]bool{
		prefix + "geoip": s.GeoIP == nil, prefix + "supply": s.Supply == nil,
		prefix + "datacenters": true, prefix + "proxies": true, prefix + "blocked_nodes": true,
	}
	for _, wanted := range fraud.ConfiguredLists(&s.Config.Scope, &fraud.Data{}) {
		lacks[prefix+wanted.Key] = false
	}
	fraud.Unseen(&s.Config.Scope, func(need string) bool { return !lacks[need] }, add)
}

// geoipOld is the age at which a database of countries is probably forgotten: they come out once
// a week or once a month.
const geoipOld = 90 * 24 * time.Hour

// reviewGeoIP warns of a database that nobody replaces.
func (s *Setup) reviewGeoIP(add func(at Place, format string, args ...any)) {
	if s.GeoIP == nil {
		return
	}
	if built := s.GeoIP.Database().Built(); time.Since(built) > geoipOld {
		add(geoip.Configured(&s.Config.Scope).Place, "the database of countries is of %s: addresses have moved since", built.UTC().Format(time.DateOnly))
	}
}
