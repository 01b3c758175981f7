package check

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/batch"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/report"
	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/schema"
)

// flags are the verb's flags.
type flags struct {
	set *pflag.FlagSet

	format  *cli.Choice
	output  string
	show    *cli.Choice
	quiet   bool
	summary bool
	noTimes bool
	color   *cli.Choice
	failOn  *cli.Choice

	docType     *cli.Choice
	layout      *cli.Choice
	maxDocument cli.Size
	jobs        int
	pair        string
	pairMemory  cli.Size

	preset      *cli.Choice
	config      string
	partner     string
	publisher   string
	payload     bool
	fraud       bool
	lenient     bool
	maxFindings int

	explain   string
	listRules bool
}

// newFlags defines the flags, in the order of the help text.
func newFlags(set *pflag.FlagSet) *flags {
	presets := []string{}
	for _, p := range schema.Presets() {
		presets = append(presets, string(p))
	}
	f := &flags{
		set:         set,
		format:      cli.NewChoice(report.Formats...),
		show:        cli.NewChoice("info", "warn", "error"),
		color:       cli.NewChoice("auto", "always", "never"),
		failOn:      cli.NewChoice("error", "warn", "info", "never"),
		docType:     cli.NewChoice("auto", "request", "response"),
		layout:      cli.NewChoice("auto", "lines", "values"),
		maxDocument: batch.MaxDocumentDefault,
		pairMemory:  batch.PairBytesDefault,
		preset:      cli.NewChoice(presets...),
	}
	set.VarP(f.format, "format", "f", "report format")
	set.StringVarP(&f.output, "output", "o", "", "write the report to `FILE` instead of standard output;\nrequired for parquet")
	set.Var(f.show, "show", "minimum severity of reported findings; others are only counted")
	set.BoolVarP(&f.quiet, "quiet", "q", false, "print no findings, only --summary; a report in --output is whole")
	set.BoolVar(&f.summary, "summary", false, "add totals by file, rule and severity")
	set.BoolVar(&f.noTimes, "no-times", false, "omit the duration of the check from the summary")
	set.Var(f.failOn, "fail-on", "minimum severity that makes the exit status 1")
	set.Var(f.color, "color", "colors in text output; auto: on a terminal, unless NO_COLOR is set")
	set.Var(f.docType, "type", "type of the documents; auto: decide for each by its member names")
	set.Var(f.layout, "layout", "one document per line, or a sequence or array of values;\nauto: detect for each file")
	set.Var(&f.maxDocument, "max-document", "maximum document size; larger ones are reported as json.limit\nand skipped")
	set.IntVarP(&f.jobs, "jobs", "j", 0, "check `N` documents concurrently; 0: one per core")
	set.StringVar(&f.pair, "pair", "", "match responses by id with the requests in the file `REQUESTS`,\nand apply the rules that need both")
	set.Var(&f.pairMemory, "pair-memory", "with --pair: maximum memory of the requests")
	set.Var(f.preset, "preset", "strict: the wording of the specification; exchange: for\ntraffic between partners; permissive: unusable documents only;\nadmission: what auction servers refuse")
	set.StringVar(&f.config, "config", "", "judge requests by the configuration `FILE` (docs/reference/configuration.md)")
	set.StringVar(&f.config, "rules", "", "alias of --config `FILE`")
	set.StringVar(&f.partner, "partner", "", "with --config: `NAME` of the partner that sent the requests")
	set.StringVar(&f.publisher, "publisher", "", "with --config: `ID` of the publisher of the requests")
	set.BoolVar(&f.payload, "payload", false, "also search requests for attack payloads (docs/payload.md), and\njudge them as rtbwire explain does")
	set.BoolVar(&f.fraud, "fraud", false, "also score requests for fraud (docs/fraud.md); --summary adds\nthe distribution of scores")
	set.BoolVar(&f.lenient, "lenient", false, "report wrong types that lenient decoding repairs, such as quoted\nnumbers, as warnings")
	set.IntVar(&f.maxFindings, "max-findings", schema.MaxFindingsDefault, "keep the `N` most severe findings of a document; count the others")
	set.StringVar(&f.explain, "explain", "", "explain `RULE` and exit")
	set.BoolVar(&f.listRules, "list-rules", false, "list the rules that match the arguments, such as 'Imp.*', and exit")
	return f
}

// validate refuses combinations of flags that contradict each other, and numbers out of range.
// The flags' types have refused other values already.
func (f *flags) validate(args []string) error {
	switch {
	case f.explain != "" && (f.listRules || len(args) > 0):
		return cli.Usagef("--explain can't be combined with files or --list-rules")
	case (f.explain != "" || f.listRules) && f.format.Value != "text" && f.format.Value != "json":
		return cli.Usagef("--format %s is for reports; --explain and --list-rules print text or json", f.format.Value)
	case (f.explain != "" || f.listRules) && f.output != "":
		return cli.Usagef("--output is for reports; with --explain and --list-rules, redirect standard output instead")
	case f.parquet() && !f.toFile():
		return cli.Usagef("--format parquet needs --output FILE: it can't write to standard output")
	case f.bare() && !slices.Contains([]string{"text", "json", "ndjson"}, f.format.Value):
		return cli.Usagef("--quiet makes a %s report on standard output empty; give --output FILE, or use --format text, json or ndjson", f.format.Value)
	case f.set.Changed("config") && f.set.Changed("rules"):
		return cli.Usagef("--rules is an alias of --config; give one of them")
	case f.config == "" && (f.partner != "" || f.publisher != ""):
		return cli.Usagef("--partner and --publisher need --config, which defines their rules")
	case f.pair == "" && f.set.Changed("pair-memory"):
		return cli.Usagef("--pair-memory needs --pair, which names the requests")
	case f.pair == "" && f.set.Changed("pair"):
		return cli.Usagef("--pair needs the name of a file with requests")
	case f.pair != "" && f.docType.Value == "request":
		return cli.Usagef("--pair compares responses; it can't be combined with --type request")
	case f.pairMemory < 1:
		return cli.Usagef("--pair-memory is %s (want at least 1 byte)", f.pairMemory.String())
	case f.judging() != "" && f.lenient:
		return cli.Usagef("%s can't be combined with --lenient: requests are judged as they would be forwarded", f.judging())
	case f.jobs > jobsMax:
		return cli.Usagef("--jobs is %d (want 0 to %d; 0 is one per core)", f.jobs, jobsMax)
	case f.jobs < 0:
		return cli.Usagef("--jobs is %d (want 0 or more; 0 is one per core)", f.jobs)
	case f.maxFindings < 1:
		return cli.Usagef("--max-findings is %d (want at least 1; --quiet reports none)", f.maxFindings)
	case f.maxDocument < 1 || f.maxDocument > batch.MaxDocumentLimit:
		limit := cli.Size(batch.MaxDocumentLimit)
		return cli.Usagef("--max-document %s is not between 1 and %s", f.maxDocument.String(), limit.String())
	}
	return nil
}

// judging returns the flag that has requests judged, "" if none is given.
func (f *flags) judging() string {
	switch {
	case f.payload:
		return "--payload"
	case f.fraud:
		return "--fraud"
	case f.parquet():
		return "--format parquet"
	}
	return ""
}

// parquet reports whether a table is written.
func (f *flags) parquet() bool { return f.format.Value == report.Parquet }

// toFile reports whether the report goes to a file, not to standard output.
func (f *flags) toFile() bool { return f.output != "" && f.output != "-" }

// bare reports whether the report has no findings: --quiet keeps them from standard output alone.
func (f *flags) bare() bool { return f.quiet && !f.toFile() }

// engine configures the rules: first by the file, then by the flags. The setup may be nil.
func (f *flags) engine(setup *config.Setup) (*schema.Engine, error) {
	var options []schema.Option
	if f.set.Changed("preset") {
		// Before the settings of the file, which change what a preset says.
		options = append(options, schema.WithPreset(schema.Preset(f.preset.Value)))
	} else if setup != nil {
		options = append(options, schema.WithPreset(inspect.Configured(&setup.Config.Scope).Preset))
	}
	if setup != nil {
		options = append(options, schemaOptions(setup.Config)...)
	}
	if f.set.Changed("lenient") {
		options = append(options, schema.WithLenient(f.lenient))
	}
	if f.set.Changed("max-findings") {
		options = append(options, schema.WithMaxFindings(f.maxFindings))
	}
	if f.bare() {
		options = append(options, schema.WithoutPlaces(true)) // the report does not show them
	}
	e, err := schema.New(options...)
	if err != nil {
		return nil, fmt.Errorf("cannot configure the rules: %w", err)
	}
	return e, nil
}

// describe says in a few words how the rules are configured.
func (f *flags) describe() string {
	text := "preset " + f.preset.Value
	if f.config != "" {
		text = "configuration " + filepath.Base(f.config)
		if f.set.Changed("preset") {
			text += ", preset " + f.preset.Value
		}
	}
	if f.lenient {
		text += ", lenient"
	}
	if f.payload {
		text += ", payloads"
	}
	if f.fraud {
		text += ", fraud scores"
	}
	return text
}

// options returns the options of package batch.
func (f *flags) options(progress *batch.Progress) batch.Options {
	layout, _ := batch.ParseLayout(f.layout.Value) // the flag has no other values
	return batch.Options{
		Jobs:        f.jobs,
		MaxDocument: int(f.maxDocument),
		Layout:      layout,
		Type:        map[string]batch.Type{"request": batch.Requests, "response": batch.Responses}[f.docType.Value],
		Progress:    progress,
	}
}

// threshold returns the severity that a flag names; that of "never" is above all others.
func threshold(c *cli.Choice) schema.Severity {
	s, err := inspect.ParseSeverity(c.Value)
	if err != nil {
		return schema.Error + 1
	}
	return s
}

// jobsMax limits --jobs: each job has memory of its own, and no machine has more cores.
const jobsMax = 4096
