package config

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/payload"
	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/internal/grammar"
	"github.com/rtbwire/rtbwire/internal/setting"
	"github.com/rtbwire/rtbwire/internal/simd/literals"
)

// The table of keys. The reader, docs/reference/configuration.md and the JSON Schema are made from
// it.

// The longest texts, in bytes.
const (
	nameMax      = 64
	whenMax      = 16 << 10
	messageMax   = 200
	pathMax      = 1024
	entryMax     = 1024
	publisherMax = 256
)

// root is the type of the whole file, with what the packages of the program have registered.
var root = sync.OnceValue(func() setting.Type[Config] { return fileObject().Type() })

func fileObject() *setting.Object[Config] {
	o := &setting.Object[Config]{
		Name: "file", Doc: "The whole file.",
		Fields: []setting.Field[Config]{
			setting.F("version", version, func(c *Config) *int { return &c.Version },
				"The version of the format. An included file may leave it out.").Required().Example("version: 1"),
			setting.F("include", includes, func(*Config) *[]string { return new([]string) }, // the loader has read it before
				"Files to read as if their content was here: names or patterns with `*`, relative to this file. A name that is given in two files is an error; sequences are joined, in the order of the files.").
				Example("include: [partners/*.yaml]"),
			setting.F("schema", schemaObject.Type(), func(c *Config) *Schema { return &c.Schema },
				"The rules of the OpenRTB specification.").Default("{}").Example(`schema: {preset: exchange, severities: {Imp.id.required: refuse, "*.deprecated": off}}`),
			setting.F("payload", payloadObject.Type(), func(c *Config) *Payload { return &c.Payload },
				"How signs of attacks (docs/payload.md) are looked for. `severities` of `payload.*` say what becomes of them.").
				Default("{}").Example("payload: {layers: [percent, entity], nested: 1}"),
			setting.F("fraud", fraudObject.Type(), func(c *Config) *Fraud { return &c.Fraud },
				"The fraud score (docs/fraud.md): lists that it looks up, limits, weights of signals, and the threshold.").
				Default("{}").Example("fraud: {datacenters: datacenters, threshold: 50}"),
			setting.F("lists", listsType, func(c *Config) *[]List { return &c.Lists },
				"Lists for conditions, which call them `lists.NAME`.").Example("lists: {blocked_domains: {kind: domain, file: lists/domains.txt}}"),
			setting.F("rates", ratesType, func(c *Config) **Rates { return &c.Rates },
				"Exchange rates, for `usd(amount, currency)` in conditions.").Example("rates: {file: rates.csv}"),
		},
	}
	o.Fields = slices.Insert(o.Fields, 5, sections(o)...)
	o.Fields = append(o.Fields, layerFields(func(c *Config) *Layer { return &c.Layer })...)
	o.Fields = append(o.Fields,
		setting.F("partners", partnersType(), func(c *Config) *[]Partner { return &c.Partners },
			"Who sends requests, by name, with what is different for each.").Example("partners: {exchange-a: {match: {mtls: a.example}}}"),
		setting.F("annotate", setting.Bool(), func(c *Config) *bool { return &c.Annotate },
			"Whether the verdict is written into each request, at `/ext/rtbwire`.").Default("false"),
		setting.F("gateway.max.adm", setting.Int("a number of bytes", 1, 1<<30), func(c *Config) *int { return &c.MarkupMax },
			"Maximum markup of a bid, where responses are inspected.").Default(inspect.MarkupMaxDefault),
		setting.F("max_findings", setting.Int("a number of findings", 1, 100_000), func(c *Config) *int { return &c.MaxFindings },
			"How many findings are kept for a request.").Default(strconv.Itoa(inspect.MaxFindingsDefault)),
	)
	return o
}

// sections returns the settings of the packages of the program, and describes their mappings.
func sections(o *setting.Object[Config]) (fields []setting.Field[Config]) {
	at := func(c *Config) *setting.Scope { return &c.Scope }
	for _, m := range setting.Modules() {
		prefix := ""
		if m.Section != "" {
			prefix = m.Section + "."
		}
		if m.Name != "" {
			o.Groups = append(o.Groups, setting.Group[Config]{Path: m.Section, Name: m.Name, Doc: m.Doc, Help: m.Help, Example: m.Example})
		}
		for _, f := range m.Fields {
			fields = append(fields, setting.Lift(f.Under(prefix), at))
		}
		for _, g := range m.Groups {
			g.Path = prefix + g.Path
			o.Groups = append(o.Groups, setting.LiftGroup(g, at))
		}
	}
	return fields
}

var version = setting.Word("the version of the format", []string{strconv.Itoa(Version)}, func(string) int { return Version })

var includes = setting.Either(
	setting.ListOf(setting.Text("a file or a pattern", pathMax)),
	setting.Convert(setting.Text("a file or a pattern", pathMax), func(name string) []string { return []string{name} }),
)

var schemaObject = &setting.Object[Schema]{
	Name: "schema", Doc: "The rules of the specification: docs/reference/rules.md has them all.",
	Fields: []setting.Field[Schema]{
		setting.F("preset", setting.Word("a preset", presetNames(), func(w string) schema.Preset { return schema.Preset(w) }),
			func(s *Schema) *schema.Preset { return &s.Preset },
			"The severities to begin with.").Default(string(inspect.PresetDefault)),
		setting.F("severities", severitiesOf(schemaPrefix), func(s *Schema) *[]Setting { return &s.Severities },
			"Severities of the specification's rules, without the beginning `schema.` of their ids. They come before those of the global layer.").
			Example(`severities: {"*.recommended": observe, Imp.id.required: refuse}`),
	},
}

var payloadObject = &setting.Object[Payload]{
	Name: "payload", Doc: "The search for signs of attacks in keys and values, with the default patterns and those given here.",
	Fields: []setting.Field[Payload]{
		setting.F("patterns", setting.ListOf(patternType), func(p *Payload) *[]Pattern { return &p.Patterns },
			"Patterns of your own, besides the default ones.").Example("patterns: [{id: own.probe, text: x-probe-7f3a, severity: warn}]"),
		setting.F("layers", setting.Convert(setting.ListOf(payloadLayer), func(list []payload.Layers) (all payload.Layers) {
			for _, l := range list {
				all |= l
			}
			return all
		}), func(p *Payload) *payload.Layers { return &p.Layers },
			"Further decodings to look through: `%3c`, `&lt;`, fullwidth forms, escapes inside escapes, white space and comments inside words; `all` is all of them.").
			Example("layers: [percent, entity]"),
		setting.F("nested", setting.Int("a number of levels", 0, payload.NestedMost), func(p *Payload) *int { return &p.Nested },
			"How deep strings of JSON inside strings are looked into: `1` for the request in `native.request`.").Default("0"),
		setting.F("fields", pathsTo(setting.ListOf(harmlessPattern), func(p Path, ids []HarmlessPattern) Harmless { return Harmless{p, ids} }),
			func(p *Payload) *[]Harmless { return &p.Fields },
			"Fields whose values may have some patterns, with the ids of these or patterns such as `xss.*`; `*` in a path is any name.").
			Example(`fields: {/imp/*/native/request: ["xss.*"]}`),
		setting.F("work", setting.Int("a number of bytes", 1, math.MaxInt32), func(p *Payload) *int { return &p.Work },
			"How much work the search may be, in bytes that are searched or decoded. What takes more is refused as `payload.budget`.").
			Default(strconv.Itoa(payload.WorkDefault)),
	},
}

// payloadLayers are the layers by name.
var payloadLayers = []struct {
	name  string
	layer payload.Layers
}{
	{"percent", payload.Percent}, {"entity", payload.Entity}, {"fullwidth", payload.Fullwidth}, {"twice", payload.Twice},
	{"squeeze", payload.Squeeze}, {"all", payload.AllLayers},
}

var payloadLayer = func() setting.Type[payload.Layers] {
	var names []string
	for _, l := range payloadLayers {
		names = append(names, l.name)
	}
	return setting.Word("a layer", names, func(word string) payload.Layers { return payloadLayers[slices.Index(names, word)].layer })
}()

var patternType = setting.Placed((&setting.Object[Pattern]{
	Name: "pattern", Doc: "A literal that is looked for, without regard to the case of ASCII letters. The reason is `payload.` and its id.",
	Fields: []setting.Field[Pattern]{
		setting.F("id", setting.Form("an id of lower case letters, digits, hyphens and dots", `[a-z0-9][a-z0-9.-]{0,63}`, setting.Dashed),
			func(p *Pattern) *string { return &p.ID },
			"Unique, among the default patterns too.").Required().Example("id: own.probe"),
		setting.F("text", setting.Checked(setting.Text("a text of ASCII characters", literals.LengthMax), func(text string) (string, string, error) {
			return text, "", literals.Check(text)
		}), func(p *Pattern) *string { return &p.Text },
			"What to look for.").Required().Example("text: x-probe-7f3a"),
		setting.F("why", setting.Text("a message", messageMax), func(p *Pattern) *string { return &p.Why },
			"What it indicates; findings say it.").Example("why: Our penetration test."),
		setting.F("severity", severity, func(p *Pattern) *inspect.Severity { return &p.Severity },
			"What becomes of the finding. `severities` can change it.").Default("refuse"),
	},
}).Type(), func(p *Pattern, n *setting.Node) { p.Place = setting.PlaceOf(n) })

var harmlessPattern = setting.Placed(
	setting.Convert(setting.Text("the id of a pattern, or xss.* for all that begin so", nameMax), func(id string) HarmlessPattern { return HarmlessPattern{ID: id} }),
	func(h *HarmlessPattern, n *setting.Node) { h.Place = setting.PlaceOf(n) })

func presetNames() (names []string) {
	for _, p := range schema.Presets() {
		names = append(names, string(p))
	}
	return names
}

// layerFields are the keys of the global layer, of partners and of publishers.
func layerFields[S any](at func(*S) *Layer) []setting.Field[S] {
	return []setting.Field[S]{
		setting.F("severities", severitiesOf(""), func(s *S) *[]Setting { return &at(s).Severities },
			"What becomes of findings, by the id of the reason (docs/reference/reasons.md) or a pattern with one `*`. The order counts: patterns first, exceptions after them.").
			Example(`severities: {"*.deprecated": off, policy.floor-too-low: warn}`),
		setting.F("rules", setting.ListOf(ruleType), func(s *S) *[]Rule { return &at(s).Rules },
			"Rules of your own.").Example(`rules: [{name: blocked-site, when: site.domain in lists.blocked_domains, severity: refuse, nbr: 7}]`),
		setting.F("scrub", setting.ListOf(scrubType), func(s *S) *[]Scrub { return &at(s).Scrub },
			"What to remove or change in requests before they go on.").Example(`scrub: [{when: regs.coppa == 1, remove: [/device/ifa]}]`),
		setting.F("shadow", setting.Bool(), func(s *S) *bool { return &at(s).Shadow },
			"Evaluate and count this layer and the layers inside it, but let nothing of it take effect.").Default("false"),
		setting.F("sample", share, func(s *S) *float64 { return &at(s).Sample },
			"The share of requests that the layer is about, chosen by a hash of the request's id.").Default("100%"),
	}
}

var share = setting.Share("a share such as 5%")

var severity = setting.WordWith("a severity", []string{"off", "observe", "warn", "refuse"}, []string{"info", "warning", "error"},
	func(w string) inspect.Severity {
		s, _ := inspect.ParseSeverity(w) // takes all of these words; a test holds it
		return s
	})

// severitiesOf is the type of mappings from reasons to severities. The prefix is that of all ids.
func severitiesOf(prefix string) setting.Type[[]Setting] {
	return setting.Convert(setting.MapOf(setting.Text("a reason or a pattern", 256), severity), func(entries []setting.Entry[inspect.Severity]) (list []Setting) {
		for _, e := range entries {
			reasons := e.Name
			if !strings.HasPrefix(reasons, prefix) {
				reasons = prefix + reasons
			}
			list = append(list, Setting{inspect.Setting{Reasons: reasons, Severity: e.Value}, setting.PlaceOf(e.Key)})
		}
		return list
	})
}

var ruleName = setting.Form("a name of lower case letters, digits and hyphens", `[a-z0-9][a-z0-9-]{0,63}`,
	func(s string) string { return strings.ReplaceAll(setting.Dashed(s), ".", "-") })

// condition is the type of conditions. They are compiled when the whole file is known.
var condition = setting.Placed(
	setting.Convert(setting.Text("a condition in CEL", whenMax), func(source string) Condition { return Condition{Source: source} }),
	func(c *Condition, n *setting.Node) { c.Place = setting.PlaceOf(n) })

var ruleType = setting.Placed((&setting.Object[Rule]{
	Name: "rule", Doc: "A rule objects to the requests that its condition holds for. The reason is `policy.` and its name.",
	Fields: []setting.Field[Rule]{
		setting.F("name", ruleName, func(r *Rule) *string { return &r.Name },
			"Unique among the rules that can be about a request: those of the global layer, of a partner and of its publisher.").Required().Example("name: blocked-site"),
		setting.F("when", condition, func(r *Rule) *Condition { return &r.When },
			"The condition, in CEL.").Required().Example(`when: "imp.exists(i, usd(i.bidfloor, i.bidfloorcur) < 0.1)"`),
		setting.F("severity", severity, func(r *Rule) *inspect.Severity { return &r.Severity },
			"What becomes of the finding. `severities` can change it.").Required().Example("severity: refuse"),
		setting.F("nbr", noBidReason, func(r *Rule) *adcom.NoBidReason { return &r.NBR },
			"The no-bid reason of a refusal: a code of OpenRTB (0 to 17), or one of your own (500 and above).").Default("0"),
		setting.F("message", setting.Text("a message", messageMax), func(r *Rule) *string { return &r.Message },
			"What findings say. Without it, the name.").Example("message: the site is blocked"),
		setting.F("on_error", setting.Word("an action", []string{string(OnErrorPass), string(OnErrorRefuse)}, func(w string) OnError { return OnError(w) }),
			func(r *Rule) *OnError { return &r.OnError },
			"What becomes of a request that the condition has no value for, such as after a division by zero.").Default(string(OnErrorPass)),
		setting.F("interpreted", setting.Bool(), func(r *Rule) *bool { return &r.Interpreted },
			"Let CEL's interpreter evaluate a condition that can't be compiled. It is slower and allocates memory.").Default("false"),
		setting.F("shadow", setting.Bool(), func(r *Rule) *bool { return &r.Shadow },
			"Evaluate and count the rule, but never refuse by it.").Default("false"),
		setting.F("sample", share, func(r *Rule) *float64 { return &r.Sample },
			"The share of requests that the rule is about.").Default("100%"),
	},
}).Type(), func(r *Rule, n *setting.Node) { r.Place = setting.PlaceOf(n) })

// noBidReason is a code of OpenRTB's list, or one of the range that it leaves to the parties.
var noBidReason = func() setting.Type[adcom.NoBidReason] {
	last, first := int(adcom.NoBidReasonBlockedSupplyChainNode), int(inspect.NBRLimit)
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

var listKind = setting.Word("a kind of lists",
	[]string{string(ListDomain), string(ListBundle), string(ListPrefix), string(ListString), string(ListSeller)},
	func(w string) ListKind { return ListKind(w) })

var entryText = setting.Text("an entry", entryMax)

var listType = setting.Placed((&setting.Object[List]{
	Name: "list", Doc: "A list is in a file, one entry a line, or for short ones in the configuration itself.",
	Fields: []setting.Field[List]{
		setting.F("kind", listKind, func(l *List) *ListKind { return &l.Kind },
			"What the entries are: `domain` (with subdomains), `bundle` (ids of apps), `prefix` (ranges of addresses), `string`, `seller` (domain of the exchange, id of the seller).").
			Required().Example("kind: domain"),
		setting.F("file", setting.FileName(), func(l *List) *string { return &l.File },
			"The file with the entries, relative to this file.").Example("file: lists/domains.txt"),
		setting.F("entries", setting.ListOf(setting.Placed(setting.Convert(entryText, func(s string) ListEntry { return ListEntry{Text: s} }),
			func(e *ListEntry, n *setting.Node) { e.Place = setting.PlaceOf(n) })), func(l *List) *[]ListEntry { return &l.Entries },
			"The entries themselves, in place of a file.").Example("entries: [ads.example, tracker.example]"),
		setting.F("format", setting.Word("a format", []string{"text", "csv"}, func(w string) string { return w }), func(l *List) *string { return &l.Format },
			"The format of the file: `text`, an entry a line, or `csv`. Without it, files that end in `.csv` and lists with `columns` are CSV.").Example("format: csv"),
		setting.F("columns", setting.ListOf(setting.Text("the name of a column", nameMax)), func(l *List) *[]string { return &l.Columns },
			"The columns of a CSV file, as its first line names them: one, or for sellers two or three. Without names, the first columns are read, from the first line on.").Example("columns: [domain]"),
		setting.F("bad_entries_max", setting.Int("a number of entries", 0, math.MaxInt32), func(l *List) *int { return &l.BadEntriesMax },
			"How many entries of another form are skipped before the list is refused.").Default("0"),
	},
	Check: func(r *setting.Reader, n *setting.Node, _ *List) {
		setting.ExactlyOne(r, n, "file", "entries")
		for _, key := range []string{"format", "columns"} {
			if m := n.Member(key); m != nil && n.Member("file") == nil {
				r.Report(m.Key.Problem("", "%s without a file", key))
			}
		}
	},
}).Type(), func(l *List, n *setting.Node) { l.Place = setting.PlaceOf(n) })

var listName = setting.Checked(
	setting.Form("a name of lower case letters, digits and underscores", `[a-z][a-z0-9_]{0,63}`,
		func(s string) string { return strings.NewReplacer("-", "_", ".", "_").Replace(setting.Dashed(s)) }),
	func(name string) (string, string, error) {
		if slices.Contains(reserved, name) {
			return "", name + "_list", errors.New("CEL has another use for the word")
		}
		return name, "", nil
	})

// reserved are the words that CEL does not take for names.
var reserved = []string{
	"as", "break", "const", "continue", "else", "false", "for", "function", "if", "import", "in",
	"let", "loop", "namespace", "null", "package", "return", "true", "var", "void", "while",
}

var listsType = setting.Convert(setting.MapOf(listName, listType), func(entries []setting.Entry[List]) (list []List) {
	for _, e := range entries {
		e.Value.Name, e.Value.Place = e.Name, setting.PlaceOf(e.Key)
		list = append(list, e.Value)
	}
	return list
})

var ratesType = setting.Placed(setting.Convert((&setting.Object[Rates]{
	Name: "rates", Doc: "Exchange rates to US dollars, in a file or here.",
	Fields: []setting.Field[Rates]{
		setting.F("file", setting.FileName(), func(r *Rates) *string { return &r.File }, "A file with rates, relative to this file.").Example("file: rates.csv"),
		setting.F("values", setting.Convert(setting.MapOf(setting.Form("a currency (ISO 4217, three capital letters)", `[A-Z]{3}`, strings.ToUpper), setting.PositiveNumber("a rate")),
			func(entries []setting.Entry[float64]) (list []Rate) {
				for _, e := range entries {
					list = append(list, Rate{e.Name, e.Value})
				}
				return list
			}), func(r *Rates) *[]Rate { return &r.Values }, "What one unit of a currency is worth in US dollars.").Example("values: {EUR: 1.08, JPY: 0.0066}"),
	},
	Check: func(r *setting.Reader, n *setting.Node, _ *Rates) { setting.ExactlyOne(r, n, "file", "values") },
}).Type(), func(r Rates) *Rates { return &r }), func(r **Rates, n *setting.Node) { (*r).Place = setting.PlaceOf(n) })

// pointer is a JSON Pointer into the request.
var pointer = setting.Checked(setting.Text("a path such as /device/ifa", pathMax), func(text string) (Path, string, error) {
	if text[0] != '/' {
		return Path{}, "/" + strings.ReplaceAll(text, ".", "/"), errors.New("a path begins with /")
	}
	for element := range strings.SplitSeq(text[1:], "/") {
		if _, ok := grammar.UnescapePointer(element); !ok {
			return Path{}, "", errors.New("~ is written as ~0, and / as ~1")
		}
		if element == "" {
			return Path{}, "", errors.New("a name is missing between two /, or at the end")
		}
	}
	return Path{Pointer: text}, "", nil
})

var path = setting.Placed(pointer, func(p *Path, n *setting.Node) { p.Place = setting.PlaceOf(n) })

// pathsTo is the type of mappings from paths to values of a type.
func pathsTo[T, U any](t setting.Type[T], make func(Path, T) U) setting.Type[[]U] {
	name := setting.Convert(pointer, func(p Path) string { return p.Pointer })
	return setting.Convert(setting.MapOf(name, t), func(entries []setting.Entry[T]) (list []U) {
		for _, e := range entries {
			list = append(list, make(Path{e.Name, setting.PlaceOf(e.Key)}, e.Value))
		}
		return list
	})
}

// jsonValue is any value but null, as JSON.
var jsonValue = setting.Type[string]{
	Shape: &setting.Shape{Kind: setting.Anything, What: "a string, number, boolean, sequence or mapping"},
	Read: func(r *setting.Reader, n *setting.Node) (string, bool) {
		v, ok := n.JSON()
		if !ok {
			r.Report(n.Problem("", "expected a value of JSON other than null; to take a member away, use remove"))
			return "", false
		}
		text, err := json.Marshal(v)
		return string(text), err == nil
	},
}

var hashType = setting.Placed(setting.Convert((&setting.Object[Hash]{
	Name: "hash", Doc: "Strings are replaced by a hash with a key (HMAC), so that equal ones stay equal and nobody without the key can test guesses.",
	Fields: []setting.Field[Hash]{
		setting.F("paths", setting.ListOf(path), func(h *Hash) *[]Path { return &h.Paths }, "The strings to hash.").Required().Example("paths: [/user/id]"),
		setting.F("key_env", setting.Variable(), func(h *Hash) *string { return &h.KeyEnv }, "The environment variable that has the key.").Example("key_env: HASH_KEY"),
		setting.F("key_file", setting.SecretFile(), func(h *Hash) *string { return &h.KeyFile }, "The file that has the key, relative to this file.").Example("key_file: secrets/hash-key"),
	},
	Check: func(r *setting.Reader, n *setting.Node, _ *Hash) { setting.ExactlyOne(r, n, "key_env", "key_file") },
}).Type(), func(h Hash) *Hash { return &h }), func(h **Hash, n *setting.Node) { (*h).Place = setting.PlaceOf(n) })

var scrubType = setting.Placed((&setting.Object[Scrub]{
	Name: "scrub", Doc: "A scrub changes values of a request, at all places that versions of OpenRTB have for them; the rest of the text stays as it is.",
	Fields: []setting.Field[Scrub]{
		setting.F("name", ruleName, func(s *Scrub) *string { return &s.Name }, "A name for reports, unique like those of rules.").Example("name: children"),
		setting.F("when", condition, func(s *Scrub) *Condition { return &s.When }, "The condition, in CEL. Without it, all requests are changed.").Example("when: regs.coppa == 1"),
		setting.F("remove", setting.ListOf(path), func(s *Scrub) *[]Path { return &s.Remove }, "Members to take away.").Example("remove: [/device/ifa, /user/eids]"),
		setting.F("truncate", setting.ListOf(path), func(s *Scrub) *[]Path { return &s.Truncate },
			"Addresses and coordinates to shorten.").Example("truncate: [/device/ip, /device/ipv6, /device/geo]"),
		setting.F("ipv4_bits", setting.Int("a number of bits", 1, 32), func(s *Scrub) *int { return &s.IPv4Bits },
			"How many bits remain of an IPv4 address.").Default("24"),
		setting.F("ipv6_bits", setting.Int("a number of bits", 1, 128), func(s *Scrub) *int { return &s.IPv6Bits },
			"How many bits remain of an IPv6 address.").Default("56"),
		setting.F("decimals", setting.Int("a number of decimals", 0, 15), func(s *Scrub) *int { return &s.Decimals },
			"How many decimals remain of a coordinate.").Default("2"),
		setting.F("replace", pathsTo(jsonValue, func(p Path, v string) Replace { return Replace{p, v} }), func(s *Scrub) *[]Replace { return &s.Replace },
			"Values to write in place of others.").Example(`replace: {/device/ifa: "00000000-0000-0000-0000-000000000000"}`),
		setting.F("hash", hashType, func(s *Scrub) **Hash { return &s.Hash }, "Strings to replace by a hash.").Example("hash: {paths: [/user/id], key_env: HASH_KEY}"),
	},
	Check: func(r *setting.Reader, n *setting.Node, _ *Scrub) {
		for _, key := range []string{"ipv4_bits", "ipv6_bits", "decimals"} {
			if m := n.Member(key); m != nil && n.Member("truncate") == nil {
				r.Report(m.Key.Problem("", "%s without truncate", key))
			}
		}
		if !setting.Misspelt(n, "remove", "truncate", "replace", "hash") { // or has one
			r.Report(n.Problem("", "a scrub needs one of remove, truncate, replace and hash"))
		}
	},
}).Type(), func(s *Scrub, n *setting.Node) { s.Place = setting.PlaceOf(n) })

func partnersType() setting.Type[[]Partner] {
	entries := setting.MapOf(setting.Identifier(), partnerObject().Type())
	return setting.Convert(entries, func(entries []setting.Entry[Partner]) (list []Partner) {
		for _, e := range entries {
			e.Value.Name, e.Value.Place = e.Name, setting.PlaceOf(e.Key)
			list = append(list, e.Value)
		}
		return list
	})
}

func partnerObject() *setting.Object[Partner] {
	o := &setting.Object[Partner]{Name: "partner", Doc: "Who sends requests. Its layer is inside the global one."}
	at := func(p *Partner) *setting.Scope { return &p.Scope }
	for _, m := range setting.Modules() {
		for _, f := range m.Partner {
			o.Fields = append(o.Fields, setting.Lift(f, at))
		}
		for _, g := range m.PartnerGroups {
			o.Groups = append(o.Groups, setting.LiftGroup(g, at))
		}
	}
	o.Fields = append(o.Fields, partnerFraudFields()...)
	o.Fields = append(o.Fields, layerFields(func(p *Partner) *Layer { return &p.Layer })...)
	o.Fields = append(o.Fields, setting.F("publishers", publishersType(), func(p *Partner) *[]Publisher { return &p.Publishers },
		"What is different for publishers, by the id that requests have.").Example(`publishers: {pub-123: {severities: {"policy.*": warn}}}`))
	return o
}

func publishersType() setting.Type[[]Publisher] {
	entries := setting.MapOf(setting.Text("the id of a publisher", publisherMax), publisherObject().Type())
	return setting.Convert(entries, func(entries []setting.Entry[Publisher]) (list []Publisher) {
		for _, e := range entries {
			e.Value.ID, e.Value.Place = e.Name, setting.PlaceOf(e.Key)
			list = append(list, e.Value)
		}
		return list
	})
}

func publisherObject() *setting.Object[Publisher] {
	o := &setting.Object[Publisher]{Name: "publisher", Doc: "A publisher of a partner. Its layer is inside the partner's."}
	o.Fields = layerFields(func(p *Publisher) *Layer { return &p.Layer })
	at := func(p *Publisher) *setting.Scope { return &p.Scope }
	for _, m := range setting.Modules() {
		for _, f := range m.Publisher {
			o.Fields = append(o.Fields, setting.Lift(f, at))
		}
		for _, g := range m.PublisherGroups {
			o.Groups = append(o.Groups, setting.LiftGroup(g, at))
		}
	}
	o.Fields = append(o.Fields, setting.F("fraud", scoreObject.Type(), func(p *Publisher) *Score { return &p.Fraud },
		"What is different in the fraud score of the publisher's requests.").Example("fraud: {threshold: 80}"))
	return o
}
