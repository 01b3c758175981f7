package scrub

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/internal/setting"
)

// Declared is a scrub of a configuration. Its condition is compiled when all is known that it can
// refer to, and its program by [CompileConfigured].
type Declared struct {
	Name    string
	Source  rule.Source
	When    rule.Condition
	Spec    Spec // without the key
	Program rule.Program
	Place   setting.Place

	key setting.Secret
}

var configured setting.Slot[[]Declared]

// Configured returns the scrubs of a layer.
func Configured(layer *setting.Scope) []Declared { return *configured.In(layer) }

// ConfiguredName returns the name of a scrub of a layer: its place, from 1, if it has none.
func ConfiguredName(layer []Declared, i int) string {
	if name := layer[i].Name; name != "" {
		return name
	}
	return strconv.Itoa(i + 1)
}

// CompileConfigured compiles the scrubs of all layers, and reports what is wrong with them. The
// environment, which has keys of pseudonyms, is as os.Environ returns it.
func CompileConfigured(r *setting.Reader, file *setting.Scope, environ []string) {
	for _, layer := range file.Layers() {
		list := Configured(layer)
		for i := range list {
			list[i].compile(r, environ)
		}
	}
}

func (d *Declared) compile(r *setting.Reader, environ []string) {
	spec := d.Spec
	if d.key != (setting.Secret{}) {
		key, err := d.key.ReadBinary(environ)
		if err == nil && len(key) < KeyMin {
			err = fmt.Errorf("it has %d bytes (want at least %d)", len(key), KeyMin)
		}
		if err != nil {
			r.Report(d.Place.Member("hash").Problem("", "the key of the pseudonyms: "+err.Error()))
			return
		}
		spec.Key = Key(key)
	}
	program, err := Compile(spec)
	if err == nil {
		d.Program = program
		return
	}
	for _, err := range err.(interface{ Unwrap() []error }).Unwrap() {
		fault, ok := errors.AsType[*Error](err)
		if !ok {
			r.ReportError(d.Place, "scrub", err)
			continue
		}
		at := d.Place
		if fault.Path != "" {
			at = at.Member(fault.Field).Find(fault.Path)
		}
		r.Report(at.Problem(fault.Nearest, fault.Reason))
	}
}

// value is any value but null, as JSON.
var value = setting.Type[[]byte]{
	Shape: &setting.Shape{Kind: setting.Anything, What: "a string, number, boolean, sequence or mapping"},
	Read: func(r *setting.Reader, n *setting.Node) ([]byte, bool) {
		v, ok := n.JSON()
		if !ok {
			r.Report(n.Problem("", "expected a value of JSON other than null; to take a member away, use remove"))
			return nil, false
		}
		text, err := json.Marshal(v)
		return text, err == nil
	},
}

var replacements = setting.Convert(setting.MapOf(setting.Pointer(), value), func(entries []setting.Entry[[]byte]) (list []Replacement) {
	for _, e := range entries {
		list = append(list, Replacement{e.Name, e.Value})
	}
	return list
})

var paths = setting.ListOf(setting.Pointer())

var keys = &setting.Object[Declared]{
	Name: "scrub", Doc: "A scrub changes values of a request, at all places that versions of OpenRTB have for them; the rest of the text stays as it is.",
	Fields: []setting.Field[Declared]{
		setting.F("name", rule.Names(), func(d *Declared) *string { return &d.Name }, "Name for reports, unique like those of rules.").Example("name: children"),
		setting.F("when", rule.Conditions(), func(d *Declared) *rule.Source { return &d.Source },
			"Condition, in CEL. Without it, all requests are changed.").Example("when: regs.coppa == 1"),
		setting.F("remove", paths, func(d *Declared) *[]string { return &d.Spec.Remove }, "Members to remove.").Example("remove: [/device/ifa, /user/eids]"),
		setting.F("truncate", paths, func(d *Declared) *[]string { return &d.Spec.Truncate },
			"Addresses and coordinates to shorten.").Example("truncate: [/device/ip, /device/ipv6, /device/geo]"),
		setting.F("ipv4_bits", setting.Int("a number of bits", 1, 32), func(d *Declared) *int { return &d.Spec.IPv4Bits },
			"Bits of an IPv4 address that remain.").Default(IPv4BitsDefault),
		setting.F("ipv6_bits", setting.Int("a number of bits", 1, 128), func(d *Declared) *int { return &d.Spec.IPv6Bits },
			"Bits of an IPv6 address that remain.").Default(IPv6BitsDefault),
		setting.F("decimals", setting.PointerTo(setting.Int("a number of decimals", 0, 15)), func(d *Declared) **int { return &d.Spec.Decimals },
			"Decimals of a coordinate that remain.").Default(DecimalsDefault),
		setting.F("replace", replacements, func(d *Declared) *[]Replacement { return &d.Spec.Replace },
			"Values to write in place of others.").Example(`replace: {/device/ifa: "00000000-0000-0000-0000-000000000000"}`),
		setting.F("hash.paths", paths, func(d *Declared) *[]string { return &d.Spec.Hash }, "Strings to hash.").Required().Example("paths: [/user/id]"),
		setting.F("hash.key_env", setting.Variable(), func(d *Declared) *string { return &d.key.Variable }, "Environment variable with the key.").Example("key_env: HASH_KEY"),
		setting.F("hash.key_file", setting.SecretFile(), func(d *Declared) *string { return &d.key.File },
			"File with the key, relative to this file.").Example("key_file: secrets/hash-key"),
	},
	Groups: []setting.Group[Declared]{{
		Path: "hash", Name: "hash", Help: "Strings to replace by a hash.", Example: "hash: {paths: [/user/id], key_env: HASH_KEY}",
		Doc:   "Strings are replaced by a hash with a key (HMAC), so that equal ones stay equal and nobody without the key can test guesses.",
		Check: func(r *setting.Reader, n *setting.Node, _ *Declared) { setting.ExactlyOne(r, n, "key_env", "key_file") },
	}},
	Check: func(r *setting.Reader, n *setting.Node, _ *Declared) {
		for _, key := range []string{"ipv4_bits", "ipv6_bits", "decimals"} {
			if m := n.Member(key); m != nil && n.Member("truncate") == nil {
				r.Report(m.Key.Problem("", "%s without truncate", key))
			}
		}
		if !setting.Misspelt(n, "remove", "truncate", "replace", "hash") { // or has one
			r.Report(n.Problem("", "a scrub needs one of remove, truncate, replace and hash"))
		}
	},
}

// check reports scrubs with the name of another one that can be about the same request.
func check(r *setting.Reader, file *setting.Scope) {
	setting.Unique(r, file, "scrub", func(layer *setting.Scope) (names []setting.Named) {
		for _, d := range Configured(layer) {
			names = append(names, setting.Named{Name: d.Name, Place: d.Place})
		}
		return names
	})
}

func init() {
	declared := setting.Placed(keys.Type(), func(d *Declared, n *setting.Node) { d.Place = setting.PlaceOf(n) })
	fields := []setting.Field[setting.Scope]{
		setting.F("scrub", setting.ListOf(declared), configured.In,
			"Values to remove or change before requests are forwarded.").Example(`scrub: [{when: regs.coppa == 1, remove: [/device/ifa]}]`),
	}
	setting.Register(setting.Module{Order: 24, Fields: fields, Partner: fields, Publisher: fields, Check: check})
}
