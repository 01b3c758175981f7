package supply

import "github.com/rtbwire/rtbwire/internal/setting"

// declared is what a configuration says.
type declared struct {
	Options
	place setting.Place
}

var configured setting.Slot[declared]

// OpenConfigured opens what a configuration names, and reports what can't be read. It returns nil
// if nothing is named. A set in use that is from the same folders is returned itself; it may be
// nil.
func OpenConfigured(r *setting.Reader, file *setting.Scope, inUse *Set) *Set {
	d := *configured.In(file)
	if d.AdsTxt+d.AppAdsTxt+d.Sellers+d.Bundles == "" {
		return nil
	}
	if inUse != nil && inUse.from == [...]string{d.AdsTxt, d.AppAdsTxt, d.Sellers, d.Bundles} {
		if inUse.Refresh(); inUse.good() {
			return inUse
		}
	}
	set, err := Open(d.Options)
	r.ReportError(d.place, "supply", err)
	return set
}

var keys = &setting.Object[declared]{
	Name: "supply", Doc: "Folders with copies of ads.txt, app-ads.txt and sellers.json, one file for each domain.",
	Fields: []setting.Field[declared]{
		setting.F("ads_txt", setting.FileName(), func(d *declared) *string { return &d.AdsTxt },
			"Folder with the ads.txt of websites, named by the domain: `example.com.txt`.").Example("ads_txt: ads_txt"),
		setting.F("app_ads_txt", setting.FileName(), func(d *declared) *string { return &d.AppAdsTxt },
			"Folder with the app-ads.txt of developers, named by the domain: `developer.com.txt`.").Example("app_ads_txt: app_ads_txt"),
		setting.F("sellers", setting.FileName(), func(d *declared) *string { return &d.Sellers },
			"Folder with the sellers.json of advertising systems, named by the domain: `exchange.com.json`.").Example("sellers: sellers"),
		setting.F("bundles", setting.FileName(), func(d *declared) *string { return &d.Bundles },
			"CSV file with the ids of apps in their stores and the domains of their developers.").Example("bundles: bundles.csv"),
	},
	Check: func(r *setting.Reader, n *setting.Node, _ *declared) {
		if !setting.Misspelt(n, "ads_txt", "app_ads_txt", "sellers", "bundles") { // or has one
			r.Report(n.Problem("", "supply needs one of ads_txt, app_ads_txt, sellers and bundles"))
		}
	},
}

func init() {
	placed := setting.Placed(keys.Type(), func(d *declared, n *setting.Node) { d.place = setting.PlaceOf(n) })
	setting.Register(setting.Module{Section: "fraud", Order: -2, Fields: []setting.Field[setting.Scope]{
		setting.F("supply", placed, configured.In,
			"Local copies of what publishers and advertising systems declare (docs/lookups.md).").Example("supply: {ads_txt: ads_txt, sellers: sellers}"),
	}})
}
