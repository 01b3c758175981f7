package check

import (
	"os"
	"time"

	"github.com/cheggaaa/pb/v3"

	"github.com/rtbwire/rtbwire/batch"
)

// barInterval is how often the progress bar is drawn, and barDelay how long a check has to
// take before there is one.
const (
	barInterval = 100 * time.Millisecond
	barDelay    = 500 * time.Millisecond
)

// barTemplate is what the bar shows: bytes read and to read, speed, and the time left.
const barTemplate = `checking {{counters .}} {{bar .}} {{percent .}} {{speed .}} {{rtime . "%s left"}}`

// startBar draws a progress bar on standard error until the function it returns is called;
// then it is wiped out.
func (r *run) startBar(names []string, p *batch.Progress) (stop func()) {
	total := r.barTotal(names)
	if total == 0 {
		return func() {}
	}
	bar := pb.New64(total).SetWriter(r.env.Stderr).SetRefreshRate(barInterval).SetTemplateString(barTemplate)
	bar.Set(pb.Bytes, true).Set(pb.CleanOnFinish, true)
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(barInterval)
		defer tick.Stop()
		for start := time.Now(); ; {
			select {
			case <-quit:
				if bar.IsStarted() {
					bar.Finish()
				}
				return
			case now := <-tick.C:
				bar.SetCurrent(p.Read())
				if !bar.IsStarted() && now.Sub(start) >= barDelay {
					bar.Start()
				}
			}
		}
	}()
	return func() {
		close(quit)
		<-done
	}
}

// barTotal returns how many bytes a bar is about, 0 for no bar. There is one only if a person
// looks at standard error, if the findings don't go to the same terminal, and if all inputs
// are regular files, so that their size is known.
func (r *run) barTotal(names []string) int64 {
	if !r.env.StderrTerminal || r.toTerminal() && !r.flags.quiet {
		return 0
	}
	total := int64(0)
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			return 0
		}
		total += info.Size()
	}
	return total
}
