package config

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/geoip"
	"github.com/rtbwire/rtbwire/inspect/lists"
	"github.com/rtbwire/rtbwire/inspect/rates"
	"github.com/rtbwire/rtbwire/inspect/scrub"
	"github.com/rtbwire/rtbwire/inspect/supply"
	"github.com/rtbwire/rtbwire/internal/filewatch"
	"github.com/rtbwire/rtbwire/internal/setting"
	"github.com/rtbwire/rtbwire/wire"
)

// Setup is a configuration with all that it names: lists, rates and keys are read, conditions and
// scrubs compiled.
type Setup struct {
	Config *Config
	Engine *inspect.Engine
	Lists  *lists.Set
	GeoIP  *geoip.DB   // nil if there is none
	Supply *supply.Set // nil if there is none
}

// sources are what changes while requests are judged, without a new engine.
func (s *Setup) sources() []filewatch.Source {
	all := []filewatch.Source{s.Lists}
	if s.GeoIP != nil {
		all = append(all, s.GeoIP)
	}
	if s.Supply != nil {
		all = append(all, s.Supply)
	}
	return all
}

// OpenOptions are what [Open] needs besides the files. The zero value is a useful one.
type OpenOptions struct {
	// Environ are environment variables as os.Environ returns them. They override the file, and
	// have the keys of scrubs. Default: none.
	Environ []string
	// Decoding are limits of the decoder, as in [inspect.Config].
	Decoding []wire.Option
	// Adjust changes the engine's configuration before it is compiled, for settings that do not
	// come from the file. May be nil.
	Adjust func(*inspect.Config)
	// ListNews is called when a list was loaded again, or could not be. May be nil.
	ListNews func(name string, s filewatch.Status)
}

// Open reads a configuration and all that it names, and compiles an engine. The setup is nil if
// there is a problem, and there are as many problems as can be found at once.
func Open(name string, o OpenOptions) (*Setup, Problems) {
	c, problems := Load(name, Options{Environ: o.Environ, Conditions: &CEL{}})
	if len(problems) > 0 {
		return nil, problems
	}
	return c.Open(o)
}

// OpenEnvironment is [Open] for programs that run without a file: the environment alone makes the
// configuration. The setup is nil without a problem if no variable is that of a key.
func OpenEnvironment(o OpenOptions) (*Setup, Problems) {
	if !overridden(o.Environ) {
		return nil, nil
	}
	c, problems := Parse("", "version: 1", Options{Environ: o.Environ, Conditions: &CEL{}})
	if len(problems) > 0 {
		return nil, problems
	}
	return c.Open(o)
}

// Open is the function [Open] for a configuration that was read. It compiles its conditions again.
func (c *Config) Open(o OpenOptions) (*Setup, Problems) {
	var r setting.Reader
	s := &Setup{Config: c, Lists: c.openLists(&r, o.ListNews)}
	rates := c.rates(&r)
	scrubs := c.compileScrubs(&r, o.Environ)
	c.openFraud(s, &r, o.ListNews)
	if problems := r.Problems(); len(problems) > 0 {
		return nil, problems
	}
	if problems := c.Compile(&CEL{Lists: s.Lists, Rates: rates}); len(problems) > 0 {
		return nil, problems
	}
	engine := c.engine(scrubs)
	var err error
	if engine.Fraud.Data, err = c.fraudData(s, rates); err != nil {
		return nil, Problems{{File: c.Files[0], Message: err.Error()}}
	}
	if rates != nil {
		engine.Response.Rates = dollars(rates)
	}
	engine.Decoding = o.Decoding
	if o.Adjust != nil {
		o.Adjust(&engine)
	}
	if s.Engine, err = inspect.New(engine); err != nil {
		return nil, Problems{{File: c.Files[0], Message: err.Error()}}
	}
	return s, nil
}

// openLists reads the lists, and reports those that can't be read.
func (c *Config) openLists(r *setting.Reader, news func(string, filewatch.Status)) *lists.Set {
	definitions, places := map[string]lists.Definition{}, map[string]Place{}
	for i := range c.Lists {
		l := &c.Lists[i]
		d := lists.Definition{
			Kind: lists.Kind(l.Kind), File: l.File, Format: lists.Format(l.Format), Columns: l.Columns, BadEntriesMax: l.BadEntriesMax,
		}
		for _, e := range l.Entries {
			d.Entries = append(d.Entries, e.Text)
		}
		definitions[l.Name], places[l.Name] = d, l.Place
	}
	set, err := lists.Open(definitions, news)
	for _, err := range separate(err) {
		if failed, ok := errors.AsType[*lists.OpenError](err); ok {
			r.Report(places[failed.List].Problem("", message(failed.Err)))
		}
	}
	return set
}

// separate returns the errors that errors.Join has joined.
func separate(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	if err != nil {
		return []error{err}
	}
	return nil
}

// message is the text of an error without the name of the package it is from.
func message(err error) string {
	text := err.Error()
	if name, rest, found := strings.Cut(text, ": "); found && (name == "lists" || name == "scrub" || name == "rates" || name == "inspect" || name == "supply" || name == "geoip") {
		return rest
	}
	return text
}

// engine returns the configuration of the engine.
func (c *Config) engine(scrubs map[*Scrub]*scrub.Program) inspect.Config {
	out := c.Inspect()
	fill := func(to *inspect.Layer, from *Layer) {
		for i := range from.Rules {
			r := &from.Rules[i]
			to.Rules = append(to.Rules, inspect.Rule{
				Name: r.Name, When: r.When.Compiled, NBR: r.NBR, Message: r.Message, RefuseOnError: r.OnError == OnErrorRefuse,
				Severity: &r.Severity, Shadow: r.Shadow, Sample: r.Sample,
			})
		}
		for i := range from.Scrub {
			s := &from.Scrub[i]
			to.Scrubs = append(to.Scrubs, inspect.Scrub{Name: s.Name, When: s.When.Compiled, Program: scrubs[s]})
		}
	}
	fill(&out.Global, &c.Layer)
	for i := range c.Partners {
		p := &c.Partners[i]
		partner := out.Partners[p.Name]
		fill(&partner.Layer, &p.Layer)
		for j := range p.Publishers {
			layer := partner.Publishers[p.Publishers[j].ID]
			fill(&layer, &p.Publishers[j].Layer)
			partner.Publishers[p.Publishers[j].ID] = layer
		}
		out.Partners[p.Name] = partner
	}
	return out
}

// compileScrubs compiles all scrubs, and reports what is wrong with them.
func (c *Config) compileScrubs(r *setting.Reader, environ []string) map[*Scrub]*scrub.Program {
	programs := map[*Scrub]*scrub.Program{}
	for _, layer := range c.layers() {
		for i := range layer.Scrub {
			s := &layer.Scrub[i]
			spec, places := s.spec()
			if s.Hash != nil {
				key, err := s.Hash.key(environ)
				if err != nil {
					r.Report(s.Hash.Place.Problem("", message(err)))
					continue
				}
				spec.Key = key
			}
			program, err := scrub.Compile(spec)
			for _, err := range separate(err) {
				place, suggestion, text := s.Place, "", message(err)
				if fault, ok := errors.AsType[*scrub.Error](err); ok {
					suggestion, text = fault.Nearest, fault.Reason
					if p, ok := places[fault.Path]; ok {
						place = p
					}
				}
				r.Report(place.Problem(suggestion, text))
			}
			programs[s] = program
		}
	}
	return programs
}

// spec is what a scrub does, and where its pointers are in the file.
func (s *Scrub) spec() (spec scrub.Spec, places map[string]Place) {
	places = map[string]Place{}
	pointers := func(paths []Path) (list []string) {
		for _, p := range paths {
			places[p.Pointer] = p.Place
			list = append(list, p.Pointer)
		}
		return list
	}
	spec = scrub.Spec{
		Remove: pointers(s.Remove), Truncate: pointers(s.Truncate), IPv4Bits: s.IPv4Bits, IPv6Bits: s.IPv6Bits, Decimals: &s.Decimals,
	}
	for _, p := range s.Replace {
		places[p.Pointer] = p.Place
		spec.Replace = append(spec.Replace, scrub.Replacement{Path: p.Pointer, Value: []byte(p.JSON)})
	}
	if s.Hash != nil {
		spec.Hash = pointers(s.Hash.Paths)
	}
	return spec, places
}

// keyFileMax is how long a file with a key may be, in bytes.
const keyFileMax = 4096

// key reads the key of pseudonyms.
func (h *Hash) key(environ []string) (scrub.Key, error) {
	var text string
	if h.KeyEnv != "" {
		for _, entry := range environ {
			if name, value, _ := strings.Cut(entry, "="); name == h.KeyEnv {
				text = value
			}
		}
		if text == "" {
			return nil, fmt.Errorf("the environment variable %s is not set; it has the key of the pseudonyms", h.KeyEnv)
		}
	} else {
		data, err := os.ReadFile(h.KeyFile)
		switch {
		case err != nil:
			return nil, fmt.Errorf("the key of the pseudonyms: %w", err)
		case len(data) > keyFileMax:
			return nil, fmt.Errorf("the key file %s has %d bytes (want at most %d)", h.KeyFile, len(data), keyFileMax)
		}
		text = strings.TrimSpace(string(data))
	}
	if len(text) < scrub.KeyMin {
		return nil, fmt.Errorf("the key of the pseudonyms has %d bytes (want at least %d)", len(text), scrub.KeyMin)
	}
	return scrub.Key(text), nil
}

// rates returns what currencies are worth in US dollars.
func (c *Config) rates(r *setting.Reader) map[string]float64 {
	switch {
	case c.Rates == nil:
		return nil
	case c.Rates.File != "":
		from, err := rates.Open(c.Rates.File, nil)
		if err != nil {
			r.Report(c.Rates.Place.Problem("", message(err)))
			return nil
		}
		return from.Table().All()
	}
	values := map[string]float64{}
	for _, v := range c.Rates.Values {
		values[v.Currency] = v.USD
	}
	return values
}
