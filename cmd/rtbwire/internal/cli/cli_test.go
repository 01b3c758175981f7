package cli

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// TestMainStatus maps what a verb returns to the exit status and to what is printed.
func TestMainStatus(t *testing.T) {
	for _, tt := range []struct {
		name   string
		err    error
		status int
		stderr string
	}{
		{"fine", nil, StatusOK, ""},
		{"refused", ErrRefused, StatusRefused, ""},
		{"reported", ErrReported, StatusFailed, ""},
		{"failed", errors.New("no disk"), StatusFailed, "rtbwire verb: no disk\n"},
		{"wrong usage", Usagef("%d is wrong", 1), StatusFailed, "rtbwire verb: 1 is wrong\nRun \"rtbwire verb --help\" for help.\n"},
	} {
		var stdout, stderr bytes.Buffer
		env := &Env{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr}
		verb := Command{Usage: "verb [FILE...]", Setup: func(*pflag.FlagSet) Run {
			return func(_ context.Context, got *Env, args []string) error {
				if got.Stdin != env.Stdin || got.Stderr != env.Stderr || len(args) != 1 || args[0] != "x" {
					t.Errorf("%s: verb got %v %v", tt.name, got, args)
				}
				return tt.err
			}
		}}
		if status := Main(env, []Command{verb}, []string{"verb", "x"}); status != tt.status || stderr.String() != tt.stderr {
			t.Errorf("%s: status %d, %q, want %d, %q", tt.name, status, stderr.String(), tt.status, tt.stderr)
		}
	}
}

// TestDurationFlag: a duration without a unit is answered with one that has one.
func TestDurationFlag(t *testing.T) {
	var stderr bytes.Buffer
	env := &Env{Stdin: strings.NewReader(""), Stdout: new(bytes.Buffer), Stderr: &stderr}
	verb := Command{Usage: "verb", Setup: func(set *pflag.FlagSet) Run {
		set.Duration("wait", 0, "")
		return func(context.Context, *Env, []string) error { return nil }
	}}
	status := Main(env, []Command{verb}, []string{"verb", "--wait", "5"})
	const want = `invalid argument "5" for --wait (want a number and a unit, such as 5s or 500ms)`
	if status != StatusFailed || !strings.Contains(stderr.String(), want) {
		t.Errorf("status %d, %q", status, stderr.String())
	}
}

// TestSubVerb checks that a verb with sub-verbs can run by itself too.
func TestSubVerb(t *testing.T) {
	ran := ""
	setup := func(name string) func(*pflag.FlagSet) Run {
		return func(*pflag.FlagSet) Run {
			return func(_ context.Context, _ *Env, args []string) error {
				ran = name + strings.Join(args, ",")
				return nil
			}
		}
	}
	verb := Command{Usage: "verb", Setup: setup("verb "), Commands: []Command{{Usage: "inner", Setup: setup("inner ")}}}
	for _, tt := range []struct {
		args []string
		want string
	}{{[]string{"verb"}, "verb "}, {[]string{"verb", "x"}, "verb x"}, {[]string{"verb", "inner", "y"}, "inner y"}} {
		env := &Env{Stdin: strings.NewReader(""), Stdout: new(bytes.Buffer), Stderr: new(bytes.Buffer)}
		if status := Main(env, []Command{verb}, tt.args); status != StatusOK || ran != tt.want {
			t.Errorf("%v: status %d, ran %q, want %q", tt.args, status, ran, tt.want)
		}
	}
}

// TestMainFullDisk checks that a text that could not be printed is a failure.
func TestMainFullDisk(t *testing.T) {
	var stderr bytes.Buffer
	env := &Env{Stdin: strings.NewReader(""), Stdout: brokenWriter{}, Stderr: &stderr}
	verb := Command{Usage: "verb", Help: "help", Setup: func(*pflag.FlagSet) Run { return nil }}
	if status := Main(env, []Command{verb}, []string{"verb", "--help"}); status != StatusFailed || !strings.Contains(stderr.String(), "no space") {
		t.Errorf("status %d, %q", status, stderr.String())
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("no space") }

func TestSize(t *testing.T) {
	for text, want := range map[string]int{"0": 0, "1000": 1000, "7B": 7, "64KiB": 64 << 10, "64k": 64 << 10, "16MiB": 16 << 20, "16M": 16 << 20, "1GiB": 1 << 30} {
		var s Size
		if err := s.Set(text); err != nil || int(s) != want {
			t.Errorf("Set(%q) = %d, %v, want %d", text, s, err, want)
		}
	}
	for _, text := range []string{"", "x", "-1", "1.5M", "MiB", "1TiB", "1iB", "99999999999999G", "9999999999999999999999"} {
		var s Size
		if err := s.Set(text); err == nil {
			t.Errorf("Set(%q) = %d, want an error", text, s)
		}
	}
	for n, want := range map[Size]string{0: "0", 1: "1", 1 << 10: "1KiB", 16 << 20: "16MiB", 1 << 30: "1GiB", 1<<20 + 1: "1048577"} {
		if got := n.String(); got != want {
			t.Errorf("Size(%d) reads %s, want %s", int(n), got, want)
		}
	}
}

func TestChoice(t *testing.T) {
	c := NewChoice("a", "b")
	if c.String() != "a" || c.Type() != "a|b" || c.Set("c") == nil || c.Set("b") != nil || c.Value != "b" {
		t.Errorf("got %+v", c)
	}
}
