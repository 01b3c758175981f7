package config

import (
	"maps"
	"slices"
	"time"

	"github.com/rtbwire/rtbwire/inspect/lists"
	"github.com/rtbwire/rtbwire/inspect/rates"
	"github.com/rtbwire/rtbwire/internal/filewatch"
)

// Files returns what is known about the files of lists, rates and databases, by kind and name.
func (s *Setup) Files() (all []filewatch.Named) {
	for _, d := range lists.Configured(&s.Config.Scope) {
		if d.File == "" {
			continue
		}
		n := s.Lists.List(d.Name).Status().Named(filewatch.KindList, d.Name)
		n.MaxAge = d.MaxAge
		all = append(all, n)
	}
	if s.Rates != nil {
		n := s.Rates.Status().Named(filewatch.KindRates, "rates")
		n.MaxAge, _ = rates.ConfiguredMaxAge(&s.Config.Scope)
		all = append(all, n)
	}
	if s.GeoIP != nil {
		n := s.GeoIP.Status().Named(filewatch.KindGeoIP, "geoip")
		n.Modified, n.MaxAge = s.GeoIP.Database().Built(), geoipOld // what the database says of itself
		all = append(all, n)
	}
	if s.Supply != nil {
		folders := s.Supply.Status()
		for _, name := range slices.Sorted(maps.Keys(folders)) {
			folder := folders[name]
			all = append(all, folder.Named(filewatch.KindSupply, name))
		}
	}
	return all
}

// reviewAges warns of lists and rates that are older than they may be.
func (s *Setup) reviewAges(add func(at Place, format string, args ...any)) {
	places := map[string]Place{}
	for _, d := range lists.Configured(&s.Config.Scope) {
		places[filewatch.KindList+" "+d.Name] = d.Place
	}
	_, places[filewatch.KindRates+" rates"] = rates.ConfiguredMaxAge(&s.Config.Scope)
	for _, f := range s.Files() {
		if at, ok := places[f.Kind+" "+f.Name]; ok && f.Old(time.Now()) {
			add(at, "%s is of %s, older than max_age (%v)", f.Path, f.Modified.UTC().Format(time.DateTime), f.MaxAge)
		}
	}
}

// Files returns what is known about the files of the configuration, and about those that it names.
func (l *Live) Files() []filewatch.Named {
	own := l.own.Load().Named(filewatch.KindConfiguration, "configuration")
	return append([]filewatch.Named{own}, l.Setup().Files()...)
}

// tell reports the files that have changed.
func (l *Live) tell() {
	for _, f := range l.told.Of(l.Files(), time.Now()) {
		if l.options.FileNews != nil {
			l.options.FileNews(f)
		}
	}
}

// loaded notes what became of an attempt to open the configuration.
func (l *Live) loaded(at time.Time, files int, err error) {
	var next filewatch.Status
	if was := l.own.Load(); was != nil {
		next = *was
	}
	next.Path, next.Err = l.name, err
	if err != nil {
		next.Failures++
		next.FailedAt = at
	} else {
		next.Loads++
		next.Entries, next.LoadedAt, next.Took = files, at, time.Since(at)
	}
	l.own.Store(&next)
}
