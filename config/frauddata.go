package config

import (
	"cmp"
	"errors"

	"github.com/rtbwire/rtbwire/inspect/geoip"
	"github.com/rtbwire/rtbwire/inspect/supply"
	"github.com/rtbwire/rtbwire/internal/filewatch"
	"github.com/rtbwire/rtbwire/internal/setting"
)

// This file is about what the fraud score reads from files of its own: a database of countries, and
// what publishers and advertising systems declare.

// DataPath is a file or a folder.
type DataPath struct {
	Path  string // empty: there is none
	Place Place
}

// Supply says where copies of ads.txt, app-ads.txt and sellers.json are.
type Supply struct {
	AdsTxt, AppAdsTxt, Sellers, Bundles DataPath
	Place                               Place
}

var dataPath = setting.Placed(
	setting.Convert(setting.FileName(), func(path string) DataPath { return DataPath{Path: path} }),
	func(p *DataPath, n *setting.Node) { p.Place = setting.PlaceOf(n) })

// dataFields are the keys of the fraud section for files.
func dataFields() []setting.Field[Fraud] {
	return []setting.Field[Fraud]{
		setting.F("geoip", dataPath, func(f *Fraud) *DataPath { return &f.GeoIP },
			"A database of the countries of addresses, in the MaxMind DB format (docs/lookups.md).").Example("geoip: GeoLite2-Country.mmdb"),
		setting.F("supply", supplyType, func(f *Fraud) *Supply { return &f.Supply },
			"Local copies of what publishers and advertising systems declare (docs/lookups.md).").Example("supply: {ads_txt: ads_txt, sellers: sellers}"),
	}
}

var supplyType = setting.Placed((&setting.Object[Supply]{
	Name: "supply", Doc: "Folders with copies of ads.txt, app-ads.txt and sellers.json, one file for each domain.",
	Fields: []setting.Field[Supply]{
		setting.F("ads_txt", dataPath, func(s *Supply) *DataPath { return &s.AdsTxt },
			"The folder with the ads.txt of websites, named by the domain: `example.com.txt`.").Example("ads_txt: ads_txt"),
		setting.F("app_ads_txt", dataPath, func(s *Supply) *DataPath { return &s.AppAdsTxt },
			"The folder with the app-ads.txt of developers, named by the domain: `developer.com.txt`.").Example("app_ads_txt: app_ads_txt"),
		setting.F("sellers", dataPath, func(s *Supply) *DataPath { return &s.Sellers },
			"The folder with the sellers.json of advertising systems, named by the domain: `exchange.com.json`.").Example("sellers: sellers"),
		setting.F("bundles", dataPath, func(s *Supply) *DataPath { return &s.Bundles },
			"A CSV file with the ids of apps in their stores and the domains of their developers.").Example("bundles: bundles.csv"),
	},
	Check: func(r *setting.Reader, n *setting.Node, _ *Supply) {
		if !setting.Misspelt(n, "ads_txt", "app_ads_txt", "sellers", "bundles") { // or has one
			r.Report(n.Problem("", "supply needs one of ads_txt, app_ads_txt, sellers and bundles"))
		}
	},
}).Type(), func(s *Supply, n *setting.Node) { s.Place = setting.PlaceOf(n) })

// openFraud opens what the fraud score looks up, and reports what can't be opened.
func (c *Config) openFraud(s *Setup, r *setting.Reader, news func(string, filewatch.Status)) {
	f := &c.Fraud
	if p := f.GeoIP; p.Path != "" {
		var report func(filewatch.Status)
		if news != nil {
			report = func(s filewatch.Status) { news("geoip", s) }
		}
		db, err := geoip.Open(p.Path, geoip.Options{Report: report})
		if err != nil {
			r.Report(p.Place.Problem("", message(err)))
		}
		s.GeoIP = db
	}
	own := f.Supply
	o := supply.Options{AdsTxt: own.AdsTxt.Path, AppAdsTxt: own.AppAdsTxt.Path, Sellers: own.Sellers.Path, Bundles: own.Bundles.Path}
	if o.AdsTxt+o.AppAdsTxt+o.Sellers+o.Bundles == "" {
		return
	}
	if news != nil {
		o.Report = func(name string, s filewatch.FolderStatus) {
			news(name, filewatch.Status{Path: s.Path, Err: cmp.Or(s.Err, errors.Join(s.Problems...)), Loads: s.Loads, Failures: s.Failures, Result: s.Result, LoadedAt: s.LoadedAt})
		}
	}
	set, err := supply.Open(o)
	for _, err := range separate(err) {
		r.Report(own.Place.Problem("", message(err)))
	}
	s.Supply = set
}
