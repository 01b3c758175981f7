// Package logs makes a service's logger from its configuration.
package logs

import (
	"io"
	"log/slog"
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
