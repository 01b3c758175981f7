package lists

import (
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/internal/filewatch"
	"github.com/rtbwire/rtbwire/internal/setting"
)

// Declared is a list of a configuration.
type Declared struct {
	Name string
	Definition
	// MaxAge is how old the file may be; 0 means that any age is right.
	MaxAge time.Duration
	Place  setting.Place
}

var configured setting.Slot[[]Declared]

// Configured returns the lists of a configuration, in its order.
func Configured(file *setting.Scope) []Declared { return *configured.In(file) }

// OpenConfigured opens the lists of a configuration, and reports those that can't be read. The set
// in use and the function are those of [Reopen].
func OpenConfigured(r *setting.Reader, file *setting.Scope, inUse *Set, report func(string, filewatch.Status)) *Set {
	definitions, places := map[string]Definition{}, map[string]setting.Place{}
	for _, d := range Configured(file) {
		definitions[d.Name], places[d.Name] = d.Definition, d.Place
	}
	set, err := Reopen(inUse, definitions, report)
	if err == nil {
		return set
	}
	for _, err := range err.(interface{ Unwrap() []error }).Unwrap() {
		if failed, ok := errors.AsType[*OpenError](err); ok {
			r.ReportError(places[failed.List], "lists", failed.Err)
		}
	}
	return nil
}

var keys = &setting.Object[Declared]{
	Name: "list", Doc: "A list is in a file, one entry a line, or for short ones in the configuration itself.",
	Fields: []setting.Field[Declared]{
		setting.F("kind", setting.Option("a kind of lists", Domain, Bundle, Prefix, String, Seller), func(d *Declared) *Kind { return &d.Kind },
			"Kind of the entries: `domain` (with subdomains), `bundle` (ids of apps), `prefix` (ranges of addresses), `string`, `seller` (domain of the exchange, id of the seller).").
			Required().Example("kind: domain"),
		setting.F("file", setting.FileName(), func(d *Declared) *string { return &d.File },
			"File with the entries, relative to this file.").Example("file: lists/domains.txt"),
		setting.F("entries", setting.ListOf(setting.Text("an entry", setting.EntryMax)), func(d *Declared) *[]string { return &d.Entries },
			"Entries, in place of a file.").Example("entries: [ads.example, tracker.example]"),
		setting.F("format", setting.Option("a format", Text, CSV), func(d *Declared) *Format { return &d.Format },
			"Format of the file: `text`, an entry a line, or `csv`. Without it, files that end in `.csv` and lists with `columns` are CSV.").Example("format: csv"),
		setting.F("columns", setting.ListOf(setting.Text("the name of a column", setting.NameMax)), func(d *Declared) *[]string { return &d.Columns },
			"Columns of a CSV file, as its first line names them: one, or for sellers two or three. Without names, the first columns are read, from the first line on.").Example("columns: [domain]"),
		setting.F("bad_entries_max", setting.Int("a number of entries", 0, math.MaxInt32), func(d *Declared) *int { return &d.BadEntriesMax },
			"Entries of another form that are skipped. A list with more is refused.").Default(0),
		setting.F("max_age", setting.Age(), func(d *Declared) *time.Duration { return &d.MaxAge },
			"Age of the file from which on the list counts as old: a warning, a metric, a mark on the page. An old list stays in use. Without it, no age is too old.").Example("max_age: 36h"),
	},
	Check: func(r *setting.Reader, n *setting.Node, _ *Declared) {
		setting.ExactlyOne(r, n, "file", "entries")
		for _, key := range []string{"format", "columns", "max_age"} {
			if m := n.Member(key); m != nil && n.Member("file") == nil {
				r.Report(m.Key.Problem("", "%s without a file", key))
			}
		}
	},
}

var listName = setting.Checked(
	setting.Form("a name of lower case letters, digits and underscores", `[a-z][a-z0-9_]{0,63}`,
		func(s string) string { return strings.NewReplacer("-", "_", ".", "_").Replace(setting.Dashed(s)) }),
	func(name string) (string, string, error) {
		if slices.Contains(rule.ReservedWords, name) {
			return "", name + "_list", errors.New("CEL has another use for the word")
		}
		return name, "", nil
	})

func init() {
	all := setting.Convert(setting.MapOf(listName, keys.Type()), func(entries []setting.Entry[Declared]) (list []Declared) {
		for _, e := range entries {
			e.Value.Name, e.Value.Place = e.Name, setting.PlaceOf(e.Key)
			list = append(list, e.Value)
		}
		return list
	})
	setting.Register(setting.Module{Order: 20, Fields: []setting.Field[setting.Scope]{
		setting.F("lists", all, configured.In, "Lists for conditions, which call them `lists.NAME`.").
			Example("lists: {blocked_domains: {kind: domain, file: lists/domains.txt}}"),
	}})
}
