package gateway

import (
	"fmt"
	"log/slog"
)

// serverLog takes what fasthttp logs: connections that broke, which are not worth more.
type serverLog struct{ to *slog.Logger }

func (l serverLog) Printf(format string, args ...any) { l.to.Debug(fmt.Sprintf(format, args...)) }
