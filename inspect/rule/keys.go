package rule

import (
	"math"
	"strings"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/internal/setting"
)

// Declared is a rule of a configuration. Its condition is compiled when all is known that it can
// refer to.
type Declared struct {
	Rule
	Source Source
	Place  setting.Place
}

// Source is the text of a condition in a configuration.
type Source struct {
	Text        string // in CEL; empty where there is none
	Interpreted bool   // see the key
	Place       setting.Place
}

var configured setting.Slot[[]Declared]

// Configured returns the rules of a layer. Conditions are to be put into them.
func Configured(layer *setting.Scope) []Declared { return *configured.In(layer) }

// The longest texts, in bytes.
const (
	conditionMax = 16 << 10
	messageMax   = 200
)

// OwnNBR is the first of the no-bid reasons that OpenRTB leaves to the parties.
const OwnNBR adcom.NoBidReason = 500

// ReservedWords are the words that conditions can't use as names.
var ReservedWords = []string{
	"as", "break", "const", "continue", "else", "false", "for", "function", "if", "import", "in",
	"let", "loop", "namespace", "null", "package", "return", "true", "var", "void", "while",
}

// Severities is the type of severities in a configuration.
func Severities() setting.Type[Severity] {
	return setting.WordWith("a severity", severityNames[:], []string{"info", "warning", "error"}, func(w string) Severity {
		s, _ := ParseSeverity(w) // takes all of these words; a test holds it
		return s
	})
}

// Names is the type of names of rules and scrubs.
func Names() setting.Type[string] {
	return setting.Form("a name of lower case letters, digits and hyphens", `[a-z0-9][a-z0-9-]{0,63}`,
		func(s string) string { return strings.ReplaceAll(setting.Dashed(s), ".", "-") })
}

// Messages is the type of what findings say.
func Messages() setting.Type[string] { return setting.Text("a message", messageMax) }

// Conditions is the type of conditions.
func Conditions() setting.Type[Source] {
	return setting.Placed(
		setting.Convert(setting.Text("a condition in CEL", conditionMax), func(text string) Source { return Source{Text: text} }),
		func(s *Source, n *setting.Node) { s.Place = setting.PlaceOf(n) })
}

// noBidReason is a code of OpenRTB's list, or one of the parties' own.
var noBidReason = func() setting.Type[adcom.NoBidReason] {
	last, first := int(adcom.NoBidReasonBlockedSupplyChainNode), int(OwnNBR)
	number := setting.Int("a no-bid reason", 0, math.MaxInt32)
	return setting.Type[adcom.NoBidReason]{Shape: number.Shape, Read: func(r *setting.Reader, n *setting.Node) (adcom.NoBidReason, bool) {
		v, ok := number.Read(r, n)
		if ok && v > last && v < first {
			r.Report(n.Problem("", "no-bid reason %d is not defined (want 0 to %d, or %d and above)", v, last, first))
			return 0, false
		}
		return adcom.NoBidReason(v), ok
	}}
}()

// Shares is the type of the samples of layers and rules.
func Shares() setting.Type[float64] { return setting.Share("a share such as 5%") }

var keys = &setting.Object[Declared]{
	Name: "rule", Doc: "A rule objects to the requests for which its condition holds. The reason is `policy.` and its name.",
	Fields: []setting.Field[Declared]{
		setting.F("name", Names(), func(d *Declared) *string { return &d.Name },
			"Name, unique among the rules that can be about a request: those of the global layer, of a partner and of its publisher.").Required().Example("name: blocked-site"),
		setting.F("when", Conditions(), func(d *Declared) *Source { return &d.Source },
			"Condition, in CEL.").Required().Example(`when: "imp.exists(i, usd(i.bidfloor, i.bidfloorcur) < 0.1)"`),
		setting.F("severity", setting.PointerTo(Severities()), func(d *Declared) **Severity { return &d.Severity },
			"Severity of the finding. `severities` can change it.").Required().Example("severity: refuse"),
		setting.F("nbr", noBidReason, func(d *Declared) *adcom.NoBidReason { return &d.NBR },
			"No-bid reason of a refusal: a code of OpenRTB (0 to 17), or one of your own (500 and above).").Default(0),
		setting.F("message", Messages(), func(d *Declared) *string { return &d.Message },
			"Message of findings. Default: the name.").Example("message: the site is blocked"),
		setting.F("on_error", setting.Word("an action", []string{"pass", "refuse"}, func(w string) OnError {
			return map[string]OnError{"pass": PassOnError, "refuse": ObjectOnError}[w]
		}), func(d *Declared) *OnError { return &d.OnError },
			"What to do with a request for which the condition has no value: `refuse` objects with the severity of the rule. Without it, the rule objects where a list or the rates are not loaded, or a member of an ext is there in two letter cases, and passes what the request lacks, for example because it divides by zero. Beyond a limit of work it is `limit.rule` in each case.").
			Example("on_error: refuse"),
		setting.F("interpreted", setting.Bool(), func(d *Declared) *bool { return &d.Source.Interpreted },
			"Evaluate a condition that can't be compiled with CEL's interpreter. It is slower and allocates memory.").Default(false),
		setting.F("shadow", setting.Bool(), func(d *Declared) *bool { return &d.Shadow },
			"Evaluate and count the rule, but never refuse a request because of it.").Default(false),
		setting.F("sample", Shares(), func(d *Declared) *float64 { return &d.Sample },
			"Share of requests for which the rule is evaluated.").Default("100%"),
	},
}

// check reports rules with the name of another one that can be about the same request.
func check(r *setting.Reader, file *setting.Scope) {
	setting.Unique(r, file, "rule", func(layer *setting.Scope) (names []setting.Named) {
		for _, d := range Configured(layer) {
			names = append(names, setting.Named{Name: d.Name, Place: d.Place})
		}
		return names
	})
}

func init() {
	declared := setting.Placed(keys.Type(), func(d *Declared, n *setting.Node) { d.Place = setting.PlaceOf(n) })
	fields := []setting.Field[setting.Scope]{
		setting.F("rules", setting.ListOf(declared), configured.In, "Rules of your own.").
			Example(`rules: [{name: blocked-site, when: site.domain in lists.blocked_domains, severity: refuse, nbr: 7}]`),
	}
	setting.Register(setting.Module{Order: 23, Fields: fields, Partner: fields, Publisher: fields, Check: check})
}
