package fraud

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/inspect/lookup"
	"github.com/rtbwire/rtbwire/internal/nearest"
	"github.com/rtbwire/rtbwire/internal/setting"
)

// Settings are a layer's part of the fraud score. What it does not set is as in the layers outside.
type Settings struct {
	// Threshold is the score from which on "fraud.score" is reported, from 1 to [ScoreMax]. 0, the
	// default, leaves it as it is; outside all layers it is [ThresholdDefault].
	Threshold int
	// Weights are the weights of signals by id, as in [Config].
	Weights map[string]int
	// Direct and Systems are those of [Config]. Direct is set by pointing to a value; an empty list
	// of systems, which is not nil, means any.
	Direct  *bool
	Systems []string
}

// Validate refuses what no model can be made of.
func (s *Settings) Validate() error {
	if s.Threshold < 0 || s.Threshold > ScoreMax {
		return fmt.Errorf("the threshold of the fraud score is %d (want 1 to %d)", s.Threshold, ScoreMax)
	}
	_, err := New(Config{Weights: s.Weights, Systems: s.Systems})
	return err
}

// declared is what a configuration says in a layer.
type declared struct {
	Settings
	threshold threshold
	weights   []setting.Entry[int]
}

// threshold is a threshold with its place.
type threshold struct {
	score int
	place setting.Place
}

// ConfiguredThreshold returns the place of the threshold that somebody has written in a layer.
func ConfiguredThreshold(layer *setting.Scope) (at setting.Place, written bool) {
	at = configured.In(layer).threshold.place
	return at, at.Written()
}

// listNames are names of lists of the configuration.
type listNames struct{ datacenters, proxies, blockedNodes setting.Named }

var (
	configured       setting.Slot[declared]
	configuredLists  setting.Slot[listNames]
	configuredLimits setting.Slot[Limits]
)

// Configured returns what a configuration says about the score in a layer.
func Configured(layer *setting.Scope) Settings {
	d := configured.In(layer)
	out := d.Settings
	out.Threshold = d.threshold.score
	for _, e := range d.weights {
		if out.Weights == nil {
			out.Weights = map[string]int{}
		}
		out.Weights[e.Name] = e.Value
	}
	return out
}

// ConfiguredLimits returns where a configuration lets the signals about amounts begin.
func ConfiguredLimits(file *setting.Scope) Limits { return *configuredLimits.In(file) }

// Wanted is a list of the configuration that signals look something up in.
type Wanted struct {
	Key  string
	Name setting.Named
	// Addresses or Nodes is where it belongs in the data.
	Addresses *lookup.Addresses
	Nodes     *lookup.Nodes
}

// ConfiguredLists returns the lists that a configuration names, for the data.
func ConfiguredLists(file *setting.Scope, d *Data) (list []Wanted) {
	names := configuredLists.In(file)
	for _, w := range []Wanted{
		{"datacenters", names.datacenters, &d.DataCenters, nil},
		{"proxies", names.proxies, &d.Proxies, nil},
		{"blocked_nodes", names.blockedNodes, nil, &d.BlockedNodes},
	} {
		if w.Name.Name != "" {
			list = append(list, w)
		}
	}
	return list
}

// Unseen warns of weights of signals that are never seen. The function reports whether the
// configuration has what a signal needs, see [Signal.Needs].
func Unseen(file *setting.Scope, has func(need string) bool, warn func(at setting.Place, format string, args ...any)) {
	for _, layer := range file.Layers() {
		for _, e := range configured.In(layer).weights {
			needs := signals[numberOf(e.Name)].Needs
			if e.Value > 0 && !slices.ContainsFunc(strings.Split(needs, " or "), has) {
				warn(setting.PlaceOf(e.Key), "%s is never seen: it needs %s", e.Name, needs)
			}
		}
	}
}

// signalID is the id of a signal.
var signalID = func() setting.Type[string] {
	var ids []string
	for n := range signals {
		ids = append(ids, signals[n].ID)
	}
	const what = "the id of a signal"
	text := setting.Checked(setting.Text(what, setting.NameMax), func(text string) (string, string, error) {
		if slices.Contains(ids, text) {
			return text, "", nil
		}
		return "", nearest.Name(strings.TrimPrefix(text, "fraud."), ids), errors.New("docs/fraud.md lists all")
	})
	return setting.Type[string]{Shape: &setting.Shape{Kind: setting.AWord, What: what, Words: ids}, Read: text.Read}
}()

// systemDomain is the domain of an advertising system. [New] takes all that have this form.
var systemDomain = setting.Form("the domain of an advertising system such as exchange.example", `[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)+`, func(s string) string {
	_, after, found := strings.Cut(s, "://")
	if !found {
		after = s
	}
	host, _, _ := strings.Cut(strings.TrimSpace(after), "/")
	return strings.TrimSuffix(host, ".")
})

// pointed points to true; false is nil.
var pointed = setting.Convert(setting.Bool(), func(v bool) *bool {
	if !v {
		return nil
	}
	return &v
})

var listKeys = []setting.Field[listNames]{
	setting.F("datacenters", setting.NameOf("the name of a list"), func(l *listNames) *setting.Named { return &l.datacenters },
		"List with the addresses of data centres, of the kind `prefix`.").Example("datacenters: datacenters"),
	setting.F("proxies", setting.NameOf("the name of a list"), func(l *listNames) *setting.Named { return &l.proxies },
		"List with the addresses of proxies, of the kind `prefix`.").Example("proxies: proxies"),
	setting.F("blocked_nodes", setting.NameOf("the name of a list"), func(l *listNames) *setting.Named { return &l.blockedNodes },
		"List with nodes that no supply chain may have: of the kind `seller`, or `domain` for all sellers of a system.").Example("blocked_nodes: blocked_nodes"),
}

var limitKeys = []setting.Field[Limits]{
	amount("ifa", "a number of requests", IFADefault, func(l *Limits) *int { return &l.IFA }, "Requests with one advertising identifier in a window."),
	amount("address", "a number of requests", AddressDefault, func(l *Limits) *int { return &l.Address }, "Requests from one address in a window."),
	amount("nodes", "a number of nodes", NodesDefault, func(l *Limits) *int { return &l.Nodes }, "Nodes of a supply chain."),
	amount("imps", "a number of impressions", ImpsDefault, func(l *Limits) *int { return &l.Imps }, "Impressions of a request."),
	setting.F("limits.floor", setting.PositiveNumber("a price"), func(l *Limits) *float64 { return &l.Floor },
		"Floor of an impression or a deal, in US dollars for a thousand impressions. Other currencies need `rates`.").Default(FloorDefault),
	amount("tmax_min", "a number of milliseconds", TMaxMinDefault, func(l *Limits) *int { return &l.TMaxMin }, "Shortest plausible `tmax`.").Was("tmax_least"),
	amount("tmax_max", "a number of milliseconds", TMaxMaxDefault, func(l *Limits) *int { return &l.TMaxMax }, "Longest plausible `tmax`.").Was("tmax_most"),
}

// amount is a limit that is an integer.
func amount(name, what string, otherwise int, at func(*Limits) *int, doc string) setting.Field[Limits] {
	return setting.F("limits."+name, setting.Int(what, 1, math.MaxInt32), at, doc).Default(otherwise)
}

var limitGroup = setting.Group[Limits]{
	Path: "limits", Name: "amounts", Doc: "Amounts above which, or for `tmax_min` below which, a signal is seen.",
	Help: "Amounts from which on signals are seen.", Example: "limits: {floor: 200, nodes: 4}",
	Check: func(r *setting.Reader, n *setting.Node, l *Limits) {
		if l.TMaxMin > l.TMaxMax && l.TMaxMax > 0 { // otherwise it was reported
			at := n.Member("tmax_max")
			if at == nil {
				at = n.Member("tmax_min")
			}
			r.Report(at.Key.Problem("", "tmax_min is %d, more than tmax_max, which is %d", l.TMaxMin, l.TMaxMax))
		}
	},
}

// Settings of all layers.
var (
	thresholdKey = setting.F("threshold", setting.Placed(
		setting.Convert(setting.Int("a score", 1, ScoreMax), func(score int) threshold { return threshold{score: score} }),
		func(t *threshold, n *setting.Node) { t.place = setting.PlaceOf(n) }), func(d *declared) *threshold { return &d.threshold },
		"Score from which on `fraud.score` is reported.").Example("threshold: 40")
	weightsKey = setting.F("weights", setting.MapOf(signalID, setting.Int("a weight", 0, ScoreMax)), func(d *declared) *[]setting.Entry[int] { return &d.weights },
		"Weights of signals in the score, by their ids (docs/fraud.md has the defaults); 0 switches a signal off.").
		Example("weights: {identifier.form: 5, address.private: 0}")
)

// partnerKeys are those of partners alone.
var partnerKeys = []setting.Field[declared]{
	setting.F("direct", pointed, func(d *declared) **bool { return &d.Direct },
		"Whether the partner's requests come from the devices themselves, so that the connection's address has to be that of the device. "+
			"Otherwise they come from the partner's servers.").Default(false),
	setting.F("systems", setting.ListOf(systemDomain), func(d *declared) *[]string { return &d.Systems },
		"Advertising systems of the partner: its supply chains have to end with one of them. Without any, they may end with all.").
		Example("systems: [exchange.example]"),
}

func init() {
	var score, partner []setting.Field[declared]
	for _, f := range []setting.Field[declared]{thresholdKey, weightsKey} {
		score = append(score, f.Under("fraud."))
	}
	group := setting.Group[declared]{Path: "fraud", Name: "score", Doc: "What a partner or a publisher changes of the fraud score."}
	ofPartner, ofPublisher := group, group
	ofPartner.Help, ofPartner.Example = "What is different in the fraud score of the partner's requests.", "fraud: {threshold: 40}"
	ofPublisher.Help, ofPublisher.Example = "What is different in the fraud score of the publisher's requests.", "fraud: {threshold: 80}"
	partner = append(slices.Clone(score), partnerKeys...)
	setting.Register(setting.Module{
		Section: "fraud", Order: -3,
		Name: "fraud", Doc: "The fraud score (docs/fraud.md). `severities` of `fraud.*` say what becomes of it: only `fraud.score` can refuse.",
		Help:    "The fraud score (docs/fraud.md): lists that it looks up, limits, weights of signals, and the threshold.",
		Example: "fraud: {datacenters: datacenters, threshold: 50}",
		Fields:  append(configuredLists.Fields(listKeys), configuredLimits.Fields(limitKeys)...),
		Groups:  configuredLimits.Groups([]setting.Group[Limits]{limitGroup}),
		Partner: configured.Fields(partner), PartnerGroups: configured.Groups([]setting.Group[declared]{ofPartner}),
		Publisher: configured.Fields(score), PublisherGroups: configured.Groups([]setting.Group[declared]{ofPublisher}),
	})
	setting.Register(setting.Module{Section: "fraud", Order: -1, Fields: configured.Fields([]setting.Field[declared]{thresholdKey.Default(ThresholdDefault), weightsKey})})
}
