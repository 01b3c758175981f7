// Package review says what a reviewer of a valid configuration should know.
package review

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/inspect/window"
	"github.com/rtbwire/rtbwire/internal/setting"
)

// Review is what there is to say.
type Review struct {
	Warnings []config.Warning
	// Windows say how far back the ids of each partner are remembered.
	Windows []window.Reach
}

// Of reviews a configuration, and the windows that it asks for, if there are any.
func Of(setup *config.Setup, scope *setting.Scope, windows *window.Options) (r Review, err error) {
	r.Warnings = setup.Review()
	if windows == nil {
		return r, nil
	}
	if r.Windows, err = windows.Reaches(); err != nil {
		return r, fmt.Errorf("gateway.window_tables: %w", err)
	}
	for i := range r.Windows {
		if w := &r.Windows[i]; w.Short {
			at := slices.IndexFunc(scope.Inner, func(p *setting.Scope) bool { return p.Name == w.Partner })
			r.Warnings = append(r.Warnings, config.Warning{Place: scope.Inner[at].Place, Message: short(w)})
		}
	}
	return r, nil
}

// short says of a partner that its windows are too small, and what they should have.
func short(w *window.Reach) string {
	return fmt.Sprintf("at %d requests a second, seen looks back %s and not %s (id_window); window_tables: {ids: %d} is enough, and takes %d MiB",
		w.Rate, about(w.Time), about(w.Window), w.Need, (w.Bytes+1<<20-1)>>20)
}

// Line says how far back the ids of a partner are remembered.
func Line(w *window.Reach) string {
	if w.Rate == 0 {
		return fmt.Sprintf("%s: seen remembers %d ids; limits.rate is not set", w.Partner, w.IDs)
	}
	return fmt.Sprintf("%s: seen looks back %s at %d requests a second (%d ids)", w.Partner, about(w.Time), w.Rate, w.IDs)
}

// about rounds a time for display.
func about(d time.Duration) time.Duration {
	if d < time.Second {
		return d.Round(time.Microsecond)
	}
	return d.Round(time.Second / 10)
}

// Print writes a review as --check does.
func (r *Review) Print(w io.Writer) error {
	for _, warning := range r.Warnings {
		p := warning.Place.Problem("", "warning: "+warning.Message)
		if _, err := fmt.Fprintln(w, p.Summary()); err != nil {
			return err
		}
	}
	for i := range r.Windows {
		if _, err := fmt.Fprintln(w, "windows of "+Line(&r.Windows[i])); err != nil {
			return err
		}
	}
	return nil
}
