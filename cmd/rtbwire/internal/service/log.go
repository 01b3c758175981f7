package service

import (
	"io"
	"log/slog"

	"github.com/rtbwire/rtbwire/config"
)

// NewLog returns a log as a configuration says.
func NewLog(to io.Writer, c *config.Log) *slog.Logger {
	o := &slog.HandlerOptions{}
	var level slog.Level // info
	if c.Level != "" {
		_ = level.UnmarshalText([]byte(c.Level)) // takes all words that the flag and the key have
	}
	o.Level = level
	if c.Format == "json" {
		return slog.New(slog.NewJSONHandler(to, o))
	}
	return slog.New(slog.NewTextHandler(to, o))
}
