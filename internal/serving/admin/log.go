package admin

import (
	"context"
	"log/slog"
	"time"

	"github.com/rtbwire/rtbwire/internal/serving/rejects"
)

// RefusalsDefault is how many refused requests are logged in a second.
const RefusalsDefault = 1

// LogRefusals logs some of the refused requests of a source until the context ends: at most so many
// in a second, and how many more were noted. It asks the source, so that a log without readers
// stops no request.
func LogRefusals(ctx context.Context, source rejects.Source, log *slog.Logger, perSecond int) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	known := 0
	for {
		select {
		case <-tick.C:
			known = logRefusals(ctx, source.Rejects(), known, log, perSecond)
		case <-ctx.Done():
			return
		}
	}
}

// logRefusals logs the latest of a list that are new, and returns the number of the latest.
func logRefusals(ctx context.Context, list []rejects.Reject, known int, log *slog.Logger, most int) int {
	if len(list) == 0 || list[0].Number == known {
		return known
	}
	latest := list[0].Number
	count := min(latest-known, most, len(list))
	for i := count - 1; i >= 0; i-- { // in the order of time
		r := &list[i]
		attributes := []slog.Attr{slog.String("reason", r.Reason), slog.Int("nbr", r.NBR)}
		text := func(name, value string) { // what is not known is left out
			if value != "" {
				attributes = append(attributes, slog.String(name, value))
			}
		}
		text("partner", r.Partner)
		text("request_id", r.RequestID)
		attributes = append(attributes, slog.Int("score", r.Score), slog.Int("bytes", r.Bytes))
		for j := range r.Findings {
			if f := &r.Findings[j]; f.ID == r.Reason {
				text("path", f.Path)
				if f.Offset >= 0 {
					attributes = append(attributes, slog.Int("offset", f.Offset))
				}
				break
			}
		}
		if more := latest - known - count; i == 0 && more > 0 {
			attributes = append(attributes, slog.Int("more", more))
		}
		log.LogAttrs(ctx, slog.LevelInfo, "refused", attributes...)
	}
	return latest
}
