package config

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/fraud"
	"github.com/rtbwire/rtbwire/inspect/lists"
	"github.com/rtbwire/rtbwire/internal/nearest"
	"github.com/rtbwire/rtbwire/internal/setting"
)

// This file is about the fraud score: its keys, what can be wrong with them, and what they are for
// the engine. What a signal looks up gets a key of fraudObject, a field of Fraud, and a line of
// Config.fraudData; what changes while requests are judged is a source of the Setup as well.

// Fraud is the section about the fraud score: what it is made with, and the global layer's part.
type Fraud struct {
	// DataCenters, Proxies and BlockedNodes are lists of the configuration; an empty name is none.
	DataCenters, Proxies, BlockedNodes ListName
	// GeoIP is a database of countries, and Supply what publishers and advertising systems declare.
	GeoIP  DataPath
	Supply Supply
	// Limits are as in [fraud.Config].
	Limits fraud.Limits
	Score
}

// ListName names a list of the configuration.
type ListName struct {
	Name  string
	Place Place
}

// Score is what a layer changes of the fraud score.
type Score struct {
	Threshold int // 0: that of the layers outside
	Weights   []Weight
}

// Weight is the weight of a signal.
type Weight struct {
	Signal string
	Weight int
	Place  Place
}

var fraudObject = func() *setting.Object[Fraud] {
	o := &setting.Object[Fraud]{
		Name: "fraud", Doc: "The fraud score (docs/fraud.md). `severities` of `fraud.*` say what becomes of it: only `fraud.score` can refuse.",
		Fields: []setting.Field[Fraud]{
			setting.F("datacenters", listNamed, func(f *Fraud) *ListName { return &f.DataCenters },
				"The list with the addresses of data centres, of the kind `prefix`.").Example("datacenters: datacenters"),
			setting.F("proxies", listNamed, func(f *Fraud) *ListName { return &f.Proxies },
				"The list with the addresses of proxies, of the kind `prefix`.").Example("proxies: proxies"),
			setting.F("blocked_nodes", listNamed, func(f *Fraud) *ListName { return &f.BlockedNodes },
				"The list with nodes that no supply chain may have: of the kind `seller`, or `domain` for all sellers of a system.").Example("blocked_nodes: blocked_nodes"),
			setting.F("limits", fraudLimits.Type(), func(f *Fraud) *fraud.Limits { return &f.Limits },
				"Where the signals about amounts begin.").Default("{}").Example("limits: {floor: 200, nodes: 4}"),
		},
	}
	o.Fields = append(o.Fields, dataFields()...)
	score := func(f *Fraud) *Score { return &f.Score }
	o.Fields = append(o.Fields, setting.Lift(scoreThreshold.Default(strconv.Itoa(fraud.ThresholdDefault)), score), setting.Lift(scoreWeights, score))
	return o
}()

// scoreObject has what a partner and a publisher can change.
var scoreObject = &setting.Object[Score]{
	Name: "score", Doc: "What a partner or a publisher changes of the fraud score.", Fields: []setting.Field[Score]{scoreThreshold, scoreWeights},
}

var (
	scoreThreshold = setting.F("threshold", setting.Int("a score", 1, fraud.ScoreMax), func(s *Score) *int { return &s.Threshold },
		"The score from which on `fraud.score` is reported.").Example("threshold: 40")
	scoreWeights = setting.F("weights", setting.Convert(setting.MapOf(signalID, setting.Int("a weight", 0, fraud.ScoreMax)), func(entries []setting.Entry[int]) (list []Weight) {
		for _, e := range entries {
			list = append(list, Weight{e.Name, e.Value, setting.PlaceOf(e.Key)})
		}
		return list
	}), func(s *Score) *[]Weight { return &s.Weights },
		"What signals add to the score, by their ids (docs/fraud.md has the defaults); 0 switches a signal off.").
		Example("weights: {identifier.form: 5, address.private: 0}")
)

var fraudLimits = &setting.Object[fraud.Limits]{
	Name: "amounts", Doc: "Amounts above which, or for `tmax_least` below which, a signal is seen.",
	Fields: []setting.Field[fraud.Limits]{
		amount("ifa", "a number of requests", fraud.IFADefault, func(l *fraud.Limits) *int { return &l.IFA },
			"Requests with one advertising identifier in a window."),
		amount("address", "a number of requests", fraud.AddressDefault, func(l *fraud.Limits) *int { return &l.Address },
			"Requests from one address in a window."),
		amount("nodes", "a number of nodes", fraud.NodesDefault, func(l *fraud.Limits) *int { return &l.Nodes }, "Nodes of a supply chain."),
		amount("imps", "a number of impressions", fraud.ImpsDefault, func(l *fraud.Limits) *int { return &l.Imps }, "Impressions of a request."),
		setting.F("floor", setting.PositiveNumber("a price"), func(l *fraud.Limits) *float64 { return &l.Floor },
			"The floor of an impression or a deal, in US dollars for a thousand impressions. Other currencies need `rates`.").
			Default(strconv.Itoa(fraud.FloorDefault)),
		amount("tmax_least", "a number of milliseconds", fraud.TMaxLeastDefault, func(l *fraud.Limits) *int { return &l.TMaxLeast }, "The shortest plausible `tmax`."),
		amount("tmax_most", "a number of milliseconds", fraud.TMaxMostDefault, func(l *fraud.Limits) *int { return &l.TMaxMost }, "The longest plausible `tmax`."),
	},
	Check: func(r *setting.Reader, n *setting.Node, l *fraud.Limits) {
		if l.TMaxLeast > l.TMaxMost && l.TMaxMost > 0 { // otherwise it was reported
			at := n.Member("tmax_most")
			if at == nil {
				at = n.Member("tmax_least")
			}
			r.Report(at.Key.Problem("", "tmax_least is %d, more than tmax_most, which is %d", l.TMaxLeast, l.TMaxMost))
		}
	},
}

// amount is a limit that is an integer.
func amount(name, what string, otherwise int, at func(*fraud.Limits) *int, doc string) setting.Field[fraud.Limits] {
	return setting.F(name, setting.Int(what, 1, math.MaxInt32), at, doc).Default(strconv.Itoa(otherwise))
}

// listNamed is the name of a list. That there is one is checked when the whole file is known.
var listNamed = setting.Placed(
	setting.Convert(setting.Text("the name of a list", nameMax), func(name string) ListName { return ListName{Name: name} }),
	func(l *ListName, n *setting.Node) { l.Place = setting.PlaceOf(n) })

// signalID is the id of a signal.
var signalID = func() setting.Type[string] {
	var ids []string
	for _, s := range fraud.Signals() {
		ids = append(ids, s.ID)
	}
	const what = "the id of a signal"
	text := setting.Checked(setting.Text(what, nameMax), func(text string) (string, string, error) {
		if slices.Contains(ids, text) {
			return text, "", nil
		}
		return "", nearest.Name(strings.TrimPrefix(text, fraudPrefix), ids), fmt.Errorf("docs/fraud.md lists all")
	})
	return setting.Type[string]{Shape: &setting.Shape{Kind: setting.AWord, What: what, Words: ids}, Read: text.Read}
}()

// system is the domain of an advertising system. Package fraud takes all that have this form.
var system = setting.Form("the domain of an advertising system such as exchange.example", `[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)+`, func(s string) string {
	_, after, found := strings.Cut(s, "://")
	if !found {
		after = s
	}
	host, _, _ := strings.Cut(strings.TrimSpace(after), "/")
	return strings.TrimSuffix(host, ".")
})

// partnerFraudFields are the keys of a partner that the score depends on.
func partnerFraudFields() []setting.Field[Partner] {
	return []setting.Field[Partner]{
		setting.F("fraud", scoreObject.Type(), func(p *Partner) *Score { return &p.Fraud },
			"What is different in the fraud score of the partner's requests.").Example("fraud: {threshold: 40}"),
		setting.F("direct", setting.Bool(), func(p *Partner) *bool { return &p.Direct },
			"Whether the partner's requests come from the devices themselves, so that the connection's address has to be that of the device. "+
				"Otherwise they come from the partner's servers.").Default("false"),
		setting.F("systems", setting.ListOf(system), func(p *Partner) *[]string { return &p.Systems },
			"The partner's advertising systems: its supply chains have to end with one of them. Without any, they may end with all.").
			Example("systems: [exchange.example]"),
	}
}

const fraudPrefix = "fraud."

// fraudList is a list that the score looks addresses or sellers up in.
type fraudList struct {
	key   string
	name  *ListName
	kinds []ListKind
	give  func(*fraud.Data, *lists.List) error
}

func (f *Fraud) lists() []fraudList {
	return []fraudList{
		{"datacenters", &f.DataCenters, []ListKind{ListPrefix}, func(d *fraud.Data, l *lists.List) (err error) { d.DataCenters, err = l.Addresses(); return err }},
		{"proxies", &f.Proxies, []ListKind{ListPrefix}, func(d *fraud.Data, l *lists.List) (err error) { d.Proxies, err = l.Addresses(); return err }},
		{"blocked_nodes", &f.BlockedNodes, []ListKind{ListSeller, ListDomain}, func(d *fraud.Data, l *lists.List) (err error) { d.BlockedNodes, err = l.Nodes(); return err }},
	}
}

// checkFraud reports lists that do not exist, or are of another kind.
func (l *loader) checkFraud(c *Config) {
	for _, wanted := range c.Fraud.lists() {
		name := wanted.name.Name
		if name == "" {
			continue
		}
		var fitting []string
		var found *List
		for i := range c.Lists {
			own := &c.Lists[i]
			if own.Name == name {
				found = own
			}
			if slices.Contains(wanted.kinds, own.Kind) {
				fitting = append(fitting, own.Name)
			}
		}
		switch {
		case found == nil:
			l.reader.Report(wanted.name.Place.Problem(nearest.Name(strings.TrimPrefix(name, "lists."), fitting), "no list has the name "+setting.Quote(name)))
		case found.Kind != "" && !slices.Contains(wanted.kinds, found.Kind): // without a kind, it was reported
			var kinds []string
			for _, k := range wanted.kinds {
				kinds = append(kinds, string(k))
			}
			l.reader.Report(wanted.name.Place.Problem(nearest.Name(name, fitting),
				fmt.Sprintf("the list %s is of the kind %s (want %s)", name, found.Kind, strings.Join(kinds, " or "))))
		}
	}
}

// fraudData returns what signals look up.
func (c *Config) fraudData(s *Setup, rates map[string]float64) (d fraud.Data, err error) {
	for _, wanted := range c.Fraud.lists() {
		if name := wanted.name.Name; name != "" {
			if err := wanted.give(&d, s.Lists.List(name)); err != nil {
				return d, err
			}
		}
	}
	if rates != nil {
		d.USD = dollars(rates)
	}
	if s.GeoIP != nil {
		d.Geo = s.GeoIP
	}
	if s.Supply != nil {
		d.Chains = s.Supply
	}
	return d, nil
}

// dollars are what one unit of each currency is worth.
type dollars map[string]float64

// USD converts a price.
func (d dollars) USD(price float64, currency string) (usd float64, known bool) {
	rate, known := d[currency]
	return price * rate, known
}

// inspect returns what a layer changes, for the engine.
func (s *Score) inspect() inspect.FraudSettings {
	out := inspect.FraudSettings{Threshold: s.Threshold}
	for _, w := range s.Weights {
		if out.Weights == nil {
			out.Weights = map[string]int{}
		}
		out.Weights[w.Signal] = w.Weight
	}
	return out
}

// score returns what a partner changes.
func (p *Partner) score() inspect.FraudSettings {
	out := p.Fraud.inspect()
	if p.Direct {
		out.Direct = &p.Direct
	}
	if len(p.Systems) > 0 {
		out.Systems = p.Systems
	}
	return out
}

// scores returns the parts of all layers, outer ones first.
func (c *Config) scores() []*Score {
	list := []*Score{&c.Fraud.Score}
	for i := range c.Partners {
		list = append(list, &c.Partners[i].Fraud)
		for j := range c.Partners[i].Publishers {
			list = append(list, &c.Partners[i].Publishers[j].Fraud)
		}
	}
	return list
}

// reviewFraud warns of settings that do nothing, or not what they say.
func (s *Setup) reviewFraud(add func(at Place, format string, args ...any)) {
	c := s.Config
	for _, layer := range c.layers() {
		for _, setting := range layer.Severities {
			if strings.HasPrefix(setting.Reasons, fraudPrefix) && setting.Severity == inspect.Refuse && !matchesAny(setting.Reasons, []string{fraudScore}) {
				add(setting.Place, "only fraud.score can refuse: a signal is reported as warn, and counts in the score")
			}
		}
	}
	lacks := map[string]bool{fraudPrefix + "geoip": s.GeoIP == nil, fraudPrefix + "supply": s.Supply == nil}
	for _, wanted := range c.Fraud.lists() {
		lacks[fraudPrefix+wanted.key] = wanted.name.Name == ""
	}
	for _, score := range c.scores() {
		for _, w := range score.Weights {
			needs := signalByID(w.Signal).Needs
			seen := false
			for alternative := range strings.SplitSeq(needs, " or ") {
				seen = seen || !lacks[alternative]
			}
			if w.Weight > 0 && !seen {
				add(w.Place, "%s is never seen: it needs %s", w.Signal, needs)
			}
		}
	}
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
		add(s.Config.Fraud.GeoIP.Place, "the database of countries is of %s: addresses have moved since", built.UTC().Format(time.DateOnly))
	}
}

// fraudScore is the reason that can refuse.
const fraudScore = fraudPrefix + "score"

// signalByID returns a signal, which exists.
func signalByID(id string) fraud.Signal {
	table := fraud.Signals()
	return table[slices.IndexFunc(table, func(s fraud.Signal) bool { return s.ID == id })]
}
