// Package judge explains the verdicts on requests that operators paste into a page: that of a
// gateway, and that of the verb "rtbwire playground".
package judge

import (
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/explanation"
	"github.com/rtbwire/rtbwire/internal/nearest"
	"github.com/rtbwire/rtbwire/internal/serving/admin"
	"github.com/rtbwire/rtbwire/internal/setting"
)

// By is what a request is judged by.
type By struct {
	Engine   *inspect.Engine
	Preset   string
	Config   string // the file, "" without one
	Partners []string
	// Judge judges. Nil asks the worker alone.
	Judge func(w *inspect.Worker, text []byte, f inspect.Facts) inspect.Verdict
}

// name stands for a file.
const name = "request"

// Explain judges a request as one of a sender.
func Explain(by *By, text []byte, sender admin.Sender) (*admin.Judged, error) {
	facts := inspect.Facts{Partner: sender.Partner, Publisher: sender.Publisher, Time: time.Now()}
	if sender.Partner != "" && !slices.Contains(by.Partners, sender.Partner) {
		hint := ""
		if near := nearest.Name(sender.Partner, by.Partners); near != "" {
			hint = fmt.Sprintf(" (did you mean %q?)", near)
		}
		return nil, fmt.Errorf("no partner %s%s", setting.Quote(sender.Partner), hint)
	}
	if sender.Peer != "" {
		var err error
		if facts.Peer, err = netip.ParseAddr(sender.Peer); err != nil {
			return nil, fmt.Errorf("the peer %s is not an address such as 192.0.2.1", setting.Quote(sender.Peer))
		}
	}
	w := by.Engine.NewWorker()
	defer w.Release()
	judge := by.Judge
	if judge == nil {
		judge = (*inspect.Worker).Inspect
	}
	v := judge(w, text, facts)
	e := explanation.New(w, &v, text)
	e.File, e.Preset, e.Config = name, by.Preset, by.Config
	out := &admin.Judged{Document: e.Document()}
	if len(v.Edits) > 0 {
		result, err := v.Apply(nil, text)
		if err != nil {
			return nil, fmt.Errorf("the edits can't be applied, so the request would not go on: %w", err)
		}
		out.Result = string(result)
	}
	return out, nil
}
