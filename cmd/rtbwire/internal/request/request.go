// Package request reads a verb's request, and the flags with facts about it.
package request

import (
	"fmt"
	"io"
	"net/netip"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/nearest"
	"github.com/rtbwire/rtbwire/internal/setting"
)

// stdinName is the name of standard input in the output.
const stdinName = "stdin"

// Read returns the name and the text of the request, at most limit bytes of it. Without a name, or
// with "-", it is standard input.
func Read(env *cli.Env, args []string, limit int) (name string, body []byte, err error) {
	in, name := env.Stdin, stdinName
	switch {
	case len(args) == 1 && args[0] != "-":
		name = args[0]
		f, err := os.Open(name)
		if err != nil {
			return "", nil, fmt.Errorf("cannot read the request: %w", err)
		}
		defer f.Close()
		in = f
	case len(args) == 0 && env.StdinTerminal:
		return "", nil, cli.Usagef("no file given, and standard input is a terminal; name a file, or - to type a request")
	}
	body, err = io.ReadAll(io.LimitReader(in, int64(limit)))
	if err != nil {
		return "", nil, fmt.Errorf("cannot read the request: %w", err)
	}
	return name, body, nil
}

// Facts are flags for what is known about a request.
type Facts struct {
	set                      *pflag.FlagSet
	partner, publisher, peer string
	headers                  []string
}

// names are the flags of Facts.
var names = []string{"partner", "publisher", "peer", "header"}

// NewFacts defines the flags.
func NewFacts(set *pflag.FlagSet) *Facts {
	f := &Facts{set: set}
	set.StringVar(&f.partner, "partner", "", "`NAME` of the partner that sent the request")
	set.StringVar(&f.publisher, "publisher", "", "`ID` of the publisher, overriding the request's own")
	set.StringVar(&f.peer, "peer", "", "peer `ADDRESS` of the request")
	set.StringArrayVar(&f.headers, "header", nil, "HTTP header of the request, `NAME=VALUE`; repeatable")
	return f
}

// Given returns the first of the flags that is given, "" if none is.
func (f *Facts) Given() string {
	for _, name := range names {
		if f.set.Changed(name) {
			return name
		}
	}
	return ""
}

// Facts checks the flags and returns the facts that they make.
func (f *Facts) Facts(c *config.Config) (inspect.Facts, error) {
	facts := inspect.Facts{Partner: f.partner, Publisher: f.publisher}
	if err := KnownPartner(c, f.partner); err != nil {
		return facts, err
	}
	if f.peer != "" {
		var err error
		if facts.Peer, err = netip.ParseAddr(f.peer); err != nil {
			return facts, cli.Usagef("--peer %q: want an address such as 192.0.2.1", f.peer)
		}
	}
	for _, h := range f.headers {
		name, value, found := strings.Cut(h, "=")
		if !found || name == "" {
			return facts, cli.Usagef("--header: want NAME=VALUE, such as X-Exchange=a")
		}
		facts.Headers = append(facts.Headers, inspect.Header{Name: name, Value: value})
	}
	return facts, nil
}

// KnownPartner refuses a partner that the configuration does not have. An empty name names no
// partner.
func KnownPartner(c *config.Config, name string) error {
	known := c.Scope.Names()
	if name == "" || slices.Contains(known, name) {
		return nil
	}
	hint := ""
	if near := nearest.Name(name, known); near != "" {
		hint = fmt.Sprintf(" (did you mean %q?)", near)
	}
	return cli.Usagef("--partner: the configuration has no partner %s%s", setting.Quote(name), hint)
}
