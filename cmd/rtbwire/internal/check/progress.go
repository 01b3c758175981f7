package check

import (
	"time"

	"github.com/rtbwire/rtbwire/batch"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
)

// startBar draws a progress bar on standard error until stop is called, which erases it.
func (r *run) startBar(names []string, p *batch.Progress) (stop func()) {
	total := r.barTotal(names)
	if total == 0 {
		return func() {}
	}
	return cli.StartBar(r.env.Stderr, func(elapsed time.Duration) string { return barLine(p.Read(), total, elapsed) })
}

// barTotal returns the size of all inputs, 0 for no bar. There is a bar only if standard error is
// a terminal, if the findings go elsewhere, and if all inputs are regular files, so that their
// sizes are known.
func (r *run) barTotal(names []string) int64 {
	if !r.env.StderrTerminal || r.toTerminal() && !r.flags.quiet {
		return 0
	}
	if r.flags.pair != "" {
		names = append([]string{r.flags.pair}, names...)
	}
	return cli.SizeOf(names)
}

// barLine tells how much has been read, how fast, and how long the rest will take.
func barLine(read, total int64, elapsed time.Duration) string {
	return cli.ReadLine("checking", read, total, elapsed)
}
