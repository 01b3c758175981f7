package rates

import (
	"strings"
	"time"

	"github.com/rtbwire/rtbwire/internal/setting"
)

// declared says where exchange rates come from. Either file or values is set.
type declared struct {
	file   string
	values []setting.Entry[float64]
	maxAge time.Duration
	place  setting.Place
}

var configured setting.Slot[*declared] // nil: there are none

// Configured returns whether a configuration has exchange rates, and the file that they are in, if
// they are in one.
func Configured(file *setting.Scope) (name string, some bool) {
	if d := *configured.In(file); d != nil {
		return d.file, true
	}
	return "", false
}

// ConfiguredMaxAge returns how old the file of a configuration may be, 0 for any age, and the place
// of the rates.
func ConfiguredMaxAge(file *setting.Scope) (time.Duration, setting.Place) {
	if d := *configured.In(file); d != nil {
		return d.maxAge, d.place
	}
	return 0, setting.Place{}
}

// OpenConfigured returns the exchange rates of a configuration, nil if there are none, and the file
// that they are from, nil if they are in the configuration itself. It reports what can't be used.
// The file of a configuration that is in use is read again only if it has changed; it may be nil.
func OpenConfigured(r *setting.Reader, file *setting.Scope, inUse *Rates) (*Table, *Rates) {
	d := *configured.In(file)
	switch {
	case d == nil:
		return nil, nil
	case d.file != "":
		from, err := reopen(inUse, d.file)
		if err != nil {
			r.ReportError(d.place, "rates", err)
			return nil, nil
		}
		return from.Table(), from
	}
	t := newTable()
	for _, e := range d.values {
		if err := t.set(e.Name, e.Value); err != nil {
			r.ReportError(setting.PlaceOf(e.Key), "rates", err)
		}
	}
	return t, nil
}

// reopen returns the rates in use if they are from the file, and the file is good.
func reopen(inUse *Rates, path string) (*Rates, error) {
	if inUse != nil && inUse.file.Path() == path {
		if inUse.Refresh(); inUse.Status().Err == nil {
			return inUse, nil
		}
	}
	return Open(path, nil)
}

var keys = &setting.Object[declared]{
	Name: "rates", Doc: "Exchange rates to US dollars, in a file or here.",
	Fields: []setting.Field[declared]{
		setting.F("file", setting.FileName(), func(d *declared) *string { return &d.file }, "File with rates, relative to this file.").Example("file: rates.csv"),
		setting.F("values", setting.MapOf(setting.Form("a currency (ISO 4217, three capital letters)", `[A-Z]{3}`, strings.ToUpper), setting.PositiveNumber("a rate")),
			func(d *declared) *[]setting.Entry[float64] { return &d.values },
			"Value of one unit of a currency in US dollars.").Example("values: {EUR: 1.08, JPY: 0.0066}"),
		setting.F("max_age", setting.Age(), func(d *declared) *time.Duration { return &d.maxAge },
			"Age of the file from which on the rates count as old: a warning, a metric, a mark on the page. Old rates stay in use. Without it, no age is too old.").Example("max_age: 36h"),
	},
	Check: func(r *setting.Reader, n *setting.Node, _ *declared) {
		setting.ExactlyOne(r, n, "file", "values")
		if m := n.Member("max_age"); m != nil && n.Member("file") == nil {
			r.Report(m.Key.Problem("", "max_age without a file"))
		}
	},
}

func init() {
	placed := setting.Placed(keys.Type(), func(d *declared, n *setting.Node) { d.place = setting.PlaceOf(n) })
	setting.Register(setting.Module{Order: 21, Fields: []setting.Field[setting.Scope]{
		setting.F("rates", setting.PointerTo(placed), configured.In, "Exchange rates, for `usd(amount, currency)` in conditions.").Example("rates: {file: rates.csv}"),
	}})
}
