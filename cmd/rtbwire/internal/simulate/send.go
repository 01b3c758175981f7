package simulate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/rtbwire/rtbwire/internal/traffic/simulate"
)

// send posts the requests and prints what became of them.
func (r *run) send(ctx context.Context) error {
	f := r.flags
	if err := r.writeLabels(ctx); err != nil {
		return err
	}
	bar := r.startBar(true, f.end())
	var done atomic.Uint64
	sent, err := r.generator.Send(ctx, simulate.Sending{
		URL: f.url, Connections: f.connections, Rate: f.rate, First: f.first, Count: f.end(), Timeout: f.timeout,
		Progress: func(uint64) { bar.set(done.Add(1)) },
	})
	bar.stop()
	if _, printErr := fmt.Fprint(r.env.Stdout, sentText(&sent)); printErr != nil {
		return printErr
	}
	switch {
	case errors.Is(err, context.Canceled):
		return r.interrupted(sent.Requests)
	case err != nil:
		return err
	case len(sent.Failures) > 0:
		return fmt.Errorf("%d of %d requests had no answer", sent.Requests-sent.Answers(), sent.Requests)
	}
	return nil
}

// writeLabels writes the file of --labels, if it is given. The requests are sent afterwards.
func (r *run) writeLabels(ctx context.Context) error {
	labels, err := r.createLabels()
	if err != nil || labels == nil {
		return err
	}
	defer labels.Discard()
	_, err = r.generator.Write(ctx, simulate.Output{Labels: labels, First: r.flags.first, Count: r.flags.count, Jobs: r.flags.jobs})
	if err == nil {
		err = labels.Commit()
	}
	if err != nil {
		return fmt.Errorf("cannot write: %w", err)
	}
	return nil
}

// sentText lists the answers by status, and the failures by cause.
func sentText(s *simulate.Sent) string {
	b := new(strings.Builder)
	fmt.Fprintf(b, "%d requests, %d bytes in %.3f s", s.Requests, s.Bytes, s.Elapsed.Seconds())
	if s.Elapsed > 0 {
		fmt.Fprintf(b, ": %.0f requests/s", float64(s.Requests)/s.Elapsed.Seconds())
	}
	b.WriteByte('\n')
	for _, status := range slices.Sorted(maps.Keys(s.Statuses)) {
		fmt.Fprintf(b, "%10d  %d %s\n", s.Statuses[status], status, http.StatusText(status))
	}
	for _, cause := range slices.Sorted(maps.Keys(s.Failures)) {
		fmt.Fprintf(b, "%10d  no answer: %s\n", s.Failures[cause], cause)
	}
	return b.String()
}
