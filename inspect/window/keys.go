package window

import (
	"time"

	"github.com/rtbwire/rtbwire/internal/setting"
)

// settings are what a configuration says about windows.
type settings struct {
	On bool
	Options
}

var (
	configured        setting.Slot[settings]
	configuredPartner setting.Slot[*Limits]
)

// Configured returns what a configuration says about windows, and whether a gateway has any. rate
// returns how many requests a partner may send in a second, 0 if that is not said.
func Configured(c *setting.Scope, rate func(partner *setting.Scope) int) (o Options, on bool) {
	s := configured.In(c)
	o = s.Options
	for _, p := range c.Inner {
		own := Partner{Rate: rate(p)}
		if limits := *configuredPartner.In(p); limits != nil {
			own.Limits = *limits
		}
		if o.Partners == nil {
			o.Partners = map[string]Partner{}
		}
		o.Partners[p.Name] = own
	}
	return o, s.On
}

var declared = []setting.Field[settings]{
	setting.F("windows", setting.Bool(), func(s *settings) *bool { return &s.On },
		"Count requests per advertising identifier and address, and remember request ids (docs/lookups.md), for signals of fraud.").Default(true),
	setting.F("window_tables.window", setting.Duration("a time such as 1m", WindowMin, WindowMax), func(s *settings) *time.Duration { return &s.Window },
		"Time in which identifiers and addresses are counted.").Default(WindowDefault).NoFlag(),
	setting.F("window_tables.id_window", setting.Duration("a time such as 10m", 2*WindowMin, IDWindowMax), func(s *settings) *time.Duration { return &s.IDWindow },
		"Time for which request ids are remembered, at least twice the window.").Default(IDWindowDefault).NoFlag(),
	setting.F("window_tables.ipv6_bits", setting.Int("a number of bits", 1, 128), func(s *settings) *int { return &s.IPv6Bits },
		"Length of the IPv6 prefix that counts as one address.").Default(IPv6BitsDefault).NoFlag(),
	setting.F("window_tables.memory", setting.Size(1<<20, setting.SizeMax), func(s *settings) *int64 { return &s.BytesMax },
		"Maximum memory of all tables together. A configuration that needs more is refused.").Default("1GiB").NoFlag(),
}

// limitKeys are the capacities of tables.
var limitKeys = []setting.Field[Limits]{
	setting.F("ifas", setting.Int("a number of entries", 1, EntriesMax), func(l *Limits) *int { return &l.IFAs },
		"Advertising identifiers per window.").Default(IFAsDefault).NoFlag(),
	setting.F("addresses", setting.Int("a number of entries", 1, EntriesMax), func(l *Limits) *int { return &l.Addresses },
		"Addresses per window.").Default(AddressesDefault).NoFlag(),
	setting.F("ids", setting.Int("a number of entries", 1, EntriesMax), func(l *Limits) *int { return &l.IDs },
		"Request ids per id window.").Default(IDsDefault).NoFlag(),
}

var partnerTables = &setting.Object[Limits]{
	Name: "partner_tables", Doc: "Capacity of the partner's windows, in place of its part of `gateway.window_tables`.", Fields: limitKeys,
}

func init() {
	fields := declared
	for _, f := range limitKeys {
		fields = append(fields, setting.Lift(f.Under("window_tables."), func(s *settings) *Limits { return &s.Shared }))
	}
	tables := setting.Group[settings]{
		Path: "window_tables", Name: "window_tables", Help: "What windows count, and their capacity.", Example: "window_tables: {window: 30s, ids: 4000000}",
		Doc: "What windows count, and their capacity (docs/lookups.md). Partners without `window_tables` and all other senders divide this capacity: each has a part that nobody else can fill.",
		Check: func(r *setting.Reader, n *setting.Node, s *settings) {
			if s.Window > 0 && s.IDWindow > 0 && s.IDWindow < 2*s.Window {
				at := n.Member("id_window")
				if at == nil {
					at = n.Member("window")
				}
				r.Report(at.Value.Problem("", "id_window is %v, less than twice the window, which is %v", s.IDWindow, s.Window))
			}
		},
	}
	setting.Register(setting.Module{
		Section: "gateway", Order: 3, Fields: configured.Fields(fields), Groups: configured.Groups([]setting.Group[settings]{tables}),
		Partner: []setting.Field[setting.Scope]{
			setting.F("window_tables", setting.PointerTo(partnerTables.Type()), configuredPartner.In,
				"Capacity of the partner's windows, in place of its part of `gateway.window_tables`.").Example("window_tables: {ids: 10000000}"),
		},
	})
}
