package rates

import (
	"strings"

	"github.com/rtbwire/rtbwire/internal/setting"
)

// declared says where exchange rates come from. Either file or values is set.
type declared struct {
	file   string
	values []setting.Entry[float64]
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

// OpenConfigured returns the exchange rates of a configuration, nil if there are none. It reports
// what can't be used.
func OpenConfigured(r *setting.Reader, file *setting.Scope) *Table {
	d := *configured.In(file)
	switch {
	case d == nil:
		return nil
	case d.file != "":
		from, err := Open(d.file, nil)
		if err != nil {
			r.ReportError(d.place, "rates", err)
			return nil
		}
		return from.Table()
	}
	t := newTable()
	for _, e := range d.values {
		if err := t.set(e.Name, e.Value); err != nil {
			r.ReportError(setting.PlaceOf(e.Key), "rates", err)
		}
	}
	return t
}

var keys = &setting.Object[declared]{
	Name: "rates", Doc: "Exchange rates to US dollars, in a file or here.",
	Fields: []setting.Field[declared]{
		setting.F("file", setting.FileName(), func(d *declared) *string { return &d.file }, "File with rates, relative to this file.").Example("file: rates.csv"),
		setting.F("values", setting.MapOf(setting.Form("a currency (ISO 4217, three capital letters)", `[A-Z]{3}`, strings.ToUpper), setting.PositiveNumber("a rate")),
			func(d *declared) *[]setting.Entry[float64] { return &d.values },
			"Value of one unit of a currency in US dollars.").Example("values: {EUR: 1.08, JPY: 0.0066}"),
	},
	Check: func(r *setting.Reader, n *setting.Node, _ *declared) { setting.ExactlyOne(r, n, "file", "values") },
}

func init() {
	placed := setting.Placed(keys.Type(), func(d *declared, n *setting.Node) { d.place = setting.PlaceOf(n) })
	setting.Register(setting.Module{Order: 21, Fields: []setting.Field[setting.Scope]{
		setting.F("rates", setting.PointerTo(placed), configured.In, "Exchange rates, for `usd(amount, currency)` in conditions.").Example("rates: {file: rates.csv}"),
	}})
}
