// Package logs makes a service's logger from its configuration.
package logs

import (
	"context"
	"io"
	"log/slog"
	"time"
)

// Options say what a log is like. The zero value writes text, from level info on.
type Options struct {
	Format   string // text or json
	Level    string // debug, info, warn or error
	Refusals int    // lines about refused requests, a second
}

// New returns a log.
func New(to io.Writer, o Options) *slog.Logger {
	handler := &slog.HandlerOptions{}
	var level slog.Level // info
	if o.Level != "" {
		_ = level.UnmarshalText([]byte(o.Level)) // takes all words that the setting has
	}
	handler.Level = level
	if o.Format == "json" {
		return slog.New(slog.NewJSONHandler(to, handler))
	}
	return slog.New(slog.NewTextHandler(to, handler))
}

// Always writes a line of level info whatever the level of the log is: changes of operators are
// logged in any case.
func Always(log *slog.Logger, text string, attributes ...slog.Attr) {
	r := slog.NewRecord(time.Now(), slog.LevelInfo, text, 0)
	r.AddAttrs(attributes...)
	_ = log.Handler().Handle(context.Background(), r) // as Logger.Info does
}
