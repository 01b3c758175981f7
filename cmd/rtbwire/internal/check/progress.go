package check

import (
	"fmt"
	"os"
	"strings"
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
	total := int64(0)
	if r.flags.pair != "" {
		names = append([]string{r.flags.pair}, names...)
	}
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			return 0
		}
		total += info.Size()
	}
	return total
}

// barWidth is the length of the bar itself. The line has room in 80 columns.
const barWidth = 24

// barLine tells how much has been read, how fast, and how long the rest will take.
func barLine(read, total int64, elapsed time.Duration) string {
	read = min(read, total)
	full := int(barWidth * read / total)
	left := "?"
	if read > 0 {
		rest := float64(total-read) / float64(read) * elapsed.Seconds()
		left = time.Duration(rest * float64(time.Second)).Round(time.Second).String()
	}
	return fmt.Sprintf("checking %3d%% [%s%s] %.1f of %.1f MB, %.0f MB/s, %s left", 100*read/total,
		strings.Repeat("=", full), strings.Repeat(" ", barWidth-full), float64(read)/1e6, float64(total)/1e6,
		float64(read)/1e6/elapsed.Seconds(), left)
}
