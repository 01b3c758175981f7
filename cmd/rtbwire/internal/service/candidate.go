package service

import (
	"fmt"
	"log/slog"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/filewatch"
)

// Candidate is the second configuration of a service, which is compared with the live one.
type Candidate struct {
	set   *pflag.FlagSet
	file  string
	share cli.Share
	live  *config.Live // nil without a file
}

// NewCandidate defines the flags.
func NewCandidate(set *pflag.FlagSet) *Candidate {
	c := &Candidate{set: set, share: 1}
	set.StringVar(&c.file, "candidate", "", "second configuration `FILE`: judges copies of requests without effect, and counts\nwhere its verdicts differ")
	set.Var(&c.share, "candidate-share", "share of requests that the candidate judges")
	return c
}

// Open opens the configuration, which is followed from then on. told gets each later reload: nil,
// or why there was none. The holder is nil without a candidate.
func (c *Candidate) Open(env *cli.Env, from config.OpenOptions, log *slog.Logger, told func(error)) (holder *inspect.Holder, share float64, err error) {
	if c.file == "" {
		if c.set.Changed("candidate-share") {
			return nil, 0, cli.Usagef("--candidate-share needs --candidate, which names a configuration")
		}
		return nil, 0, nil
	}
	if c.share == 0 {
		return nil, 0, cli.Usagef("--candidate-share is 0%%; leave out --candidate instead")
	}
	live, problems := config.Follow(c.file, from, func(_ *config.Setup, problems config.Problems) error {
		if len(problems) > 0 {
			told(problems)
			log.Error("the candidate was not loaded again; the old one stays", "file", c.file, "problems", problems.Error())
			return problems
		}
		told(nil)
		log.Info("the candidate was loaded again", "file", c.file)
		return nil
	})
	if len(problems) > 0 {
		fmt.Fprintf(env.Stderr, "the candidate has problems:\n%s\n", problems.Error())
		return nil, 0, cli.ErrReported
	}
	c.live = live
	return live.Holder(), float64(c.share), nil
}

// Follow adds the candidate's files to those that are watched.
func (c *Candidate) Follow(sources []filewatch.Source) []filewatch.Source {
	if c.live == nil {
		return sources
	}
	return append(sources, c.live)
}

// Reload loads the candidate again. by says who has asked for that.
func (c *Candidate) Reload(by string) {
	if c.live != nil {
		c.live.Reload(by)
	}
}

// Origin says where the candidate in use was read from, and why then; nil without one.
func (c *Candidate) Origin() *filewatch.Origin { return Origin(c.live) }

// Origin says the same of a configuration, which may be nil.
func Origin(live *config.Live) *filewatch.Origin {
	if live == nil {
		return nil
	}
	o := live.Origin()
	return &o
}
