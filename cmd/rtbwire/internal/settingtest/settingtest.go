// Package settingtest holds verbs to the rule that adding a setting is one edit: it declares one,
// and looks for it everywhere that settings are read and shown.
package settingtest

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/internal/setting"
)

// probe is what is declared.
type probe struct{ Depth int }

var slot setting.Slot[probe]

// fields are the one edit.
var fields = []setting.Field[probe]{
	setting.F("probe.depth", setting.Int("a number of steps", 1, 10), func(p *probe) *int { return &p.Depth },
		"Depth of the probe. A second sentence.").Default(3).Was("deepness").WasFlag("probe-deepness").Fixed(),
}

// Register declares the setting in a section. It is to be called before anything is read, by an
// init function of a test.
func Register(section string) {
	setting.Register(setting.Module{Section: section, Order: 100, Fields: slot.Fields(fields)})
}

// Verb is what a verb is held to.
type Verb struct {
	// Section is where the setting was declared, and File what the section needs besides, as
	// members of a mapping in braces.
	Section, File string
	Command       cli.Command
	// Scope returns the configuration in use of a command line, Shown what operators see of it.
	Scope func(t *testing.T, env *cli.Env, args ...string) *setting.Scope
	Shown func(*setting.Scope) any
}

// Check looks for the setting.
func (v *Verb) Check(t *testing.T) {
	t.Run("documents", v.documents)
	t.Run("values", v.values)
	t.Run("mistakes", v.mistakes)
}

// file writes a configuration whose section says something of the probe.
func (v *Verb) file(t *testing.T, probe string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "x.yaml")
	text := "version: 1\n" + v.Section + ": {" + v.File + ", probe: " + probe + "}\n"
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// variable is the name of the environment variable.
func (v *Verb) variable() string {
	return config.EnvironmentPrefix + strings.ToUpper(v.Section) + "_PROBE_DEPTH"
}

// documents wants key, default, range and variable in the reference and the schema, and the flag in
// the help text.
func (v *Verb) documents(t *testing.T) {
	page := config.Reference()
	for _, want := range []string{
		"| `depth` | a number of steps, 1 to 10 | `3` | Depth of the probe. A second sentence. |",
		"| `" + v.variable() + "` | `" + v.Section + ".probe.depth` |",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the reference lacks %s", want)
		}
	}
	var schema struct {
		Defs map[string]struct {
			Properties map[string]struct {
				Default          any
				Minimum, Maximum float64
			}
		} `json:"$defs"`
	}
	if err := json.Unmarshal(config.JSONSchema(), &schema); err != nil {
		t.Fatal(err)
	}
	found := false
	for _, d := range schema.Defs {
		own, ok := d.Properties["depth"]
		found = found || ok && own.Minimum == 1 && own.Maximum == 10
	}
	if !found {
		t.Error("the JSON Schema lacks the key with its range")
	}
	set := pflag.NewFlagSet("verb", pflag.ContinueOnError)
	v.Command.Setup(set)
	if f := set.Lookup("probe-depth"); f == nil || f.DefValue != "3" || f.Usage != "depth of the probe" {
		t.Errorf("the flag is %+v", f)
	}
}

// values sets it in each way; a flag wins over the environment, and that over the file.
func (v *Verb) values(t *testing.T) {
	for _, tt := range []struct {
		file, variable, flag string
		want                 int
	}{
		{"{}", "", "", 3},
		{"{depth: 4}", "", "", 4},
		{"{depth: 4}", "5", "", 5},
		{"{depth: 4}", "5", "6", 6},
	} {
		args := []string{"--config", v.file(t, tt.file)}
		if tt.flag != "" {
			args = append(args, "--probe-depth", tt.flag)
		}
		scope := v.Scope(t, v.env(t, new(bytes.Buffer), tt.variable), args...)
		if got := slot.In(scope).Depth; got != tt.want {
			t.Errorf("%+v: got %d", tt, got)
		}
		text, err := json.Marshal(v.Shown(scope))
		var shown struct{ Probe struct{ Depth int } }
		if err == nil {
			err = json.Unmarshal(text, &shown)
		}
		if err != nil || shown.Probe.Depth != tt.want {
			t.Errorf("%+v: operators see %s, %v", tt, text, err)
		}
	}
	before, after := v.Scope(t, v.env(t, new(bytes.Buffer), ""), "--config", v.file(t, "{}")), new(setting.Scope)
	slot.In(after).Depth = 9
	if kept := setting.KeepPaths(after, before, slot.Fields(fields)); len(kept) != 1 || kept[0] != "probe.depth" || slot.In(after).Depth != 3 {
		t.Errorf("a reload keeps %v, and the value is %d", kept, slot.In(after).Depth)
	}
}

// mistakes are refused by --check, with what is right.
func (v *Verb) mistakes(t *testing.T) {
	for _, tt := range []struct {
		file, variable string
		args           []string
		want           string
	}{
		{"{depth: 11}", "", nil, "expected a number of steps from 1 to 10, found 11"},
		{"{depht: 4}", "", nil, `unknown key "depht" (did you mean "depth"?)`},
		{"{deepness: 4}", "", nil, `the key "deepness" has another name now (did you mean "depth"?)`},
		{"{}", "many", nil, v.variable() + `:1:1: "many" is not a number of steps`},
		{"{}", "11", nil, v.variable() + ":1:1: expected a number of steps from 1 to 10, found 11"},
		{"{}", "", []string{"--probe-depth", "11"}, "--probe-depth 11 (want 1 to 10)"},
		{"{}", "", []string{"--probe-deepness", "4"}, "it is --probe-depth now"},
	} {
		var out bytes.Buffer
		set := pflag.NewFlagSet("verb", pflag.ContinueOnError)
		run := v.Command.Setup(set)
		err := set.Parse(append([]string{"--check", "--config", v.file(t, tt.file)}, tt.args...))
		if err == nil {
			err = run(context.Background(), v.env(t, &out, tt.variable), nil)
		}
		if err == nil || !strings.Contains(out.String()+err.Error(), tt.want) {
			t.Errorf("%+v:\n%s%v", tt, out.String(), err)
		}
	}
}

// env is what the verb runs in.
func (v *Verb) env(t *testing.T, out *bytes.Buffer, value string) *cli.Env {
	t.Helper()
	env := &cli.Env{Stdout: out, Stderr: out, Getenv: func(string) string { return "" }}
	if value != "" {
		env.Environ = []string{v.variable() + "=" + value}
	}
	return env
}
