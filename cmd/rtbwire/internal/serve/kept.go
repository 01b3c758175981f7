package serve

import (
	"context"
	"log/slog"
	"reflect"
	"time"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/service"
	"github.com/rtbwire/rtbwire/gateway"
	"github.com/rtbwire/rtbwire/gateway/capture"
	"github.com/rtbwire/rtbwire/inspect/vendor"
	"github.com/rtbwire/rtbwire/inspect/window"
	"github.com/rtbwire/rtbwire/internal/setting"
	"github.com/rtbwire/rtbwire/internal/verdictlog"
)

// state is what a gateway has beside its options, and keeps over reloads: windows, services that
// are asked, and captures. The zero value has none. One goroutine at a time may use it.
type state struct {
	// Logger is told about captures that can't be written. Default: [slog.Default].
	Logger *slog.Logger
	// Dry checks what captures are to be, and writes none.
	Dry bool

	windows *window.Windows
	of      window.Options

	vendors  *vendor.Group
	services []vendor.Service // what vendors was made of
	clients  []*vendor.HTTP

	capture *capture.Writer
	kept    capture.Options // what capture was made of

	verdicts *verdictlog.Writer
	logged   verdictlog.Settings // what it was made of
}

// closeTime bounds the flush when a capture or a log of verdicts is replaced or the gateway stops.
const closeTime = 5 * time.Second

// use fills in what options lack: windows, vendors and captures, those in use where the
// configuration says the same as before, otherwise new ones. The gateway is to be given the
// options; then done must be called, with whether it uses them: what is not in use any more is
// closed.
func (s *state) use(c *setting.Scope, environ []string, o *gateway.Options) (done func(used bool), err error) {
	next := state{Logger: s.Logger, Dry: s.Dry}
	discard := func() {
		if next.capture != nil && next.capture != s.capture {
			closeCapture(next.capture)
		}
		if next.verdicts != s.verdicts {
			closeVerdicts(next.verdicts)
		}
		if next.vendors != s.vendors {
			next.closeClients()
		}
	}
	if err := next.open(s, c, environ); err != nil {
		discard()
		return nil, err
	}
	o.Windows, o.Vendors, o.Capture = next.windows, next.vendors, next.capture
	if next.verdicts != nil {
		o.VerdictLog = next.verdicts
	}
	return func(used bool) {
		if !used {
			discard()
			return
		}
		before := *s
		*s = next
		if before.capture != nil && before.capture != s.capture {
			closeCapture(before.capture)
		}
		if before.verdicts != s.verdicts {
			closeVerdicts(before.verdicts)
		}
		if before.vendors != s.vendors {
			before.closeClients()
		}
	}, nil
}

// close writes what captures and the log of verdicts have. It is to be called after the gateway's
// Shutdown.
func (s *state) close(ctx context.Context) error {
	s.closeClients()
	if s.verdicts != nil {
		ending, cancel := context.WithTimeout(ctx, closeTime)
		defer cancel()
		if err := s.verdicts.Close(ending); err != nil { // brokers that are down are no failure of the gateway
			s.Logger.Warn("not all verdicts were written", "error", err)
		}
	}
	if s.capture != nil {
		return s.capture.Close(ctx)
	}
	return nil
}

// closeVerdicts closes a log that a reload has replaced.
func closeVerdicts(w *verdictlog.Writer) {
	if w == nil {
		return
	}
	go func() { // brokers may be slow
		ctx, cancel := context.WithTimeout(context.Background(), closeTime)
		defer cancel()
		_ = w.Close(ctx) // what is lost is counted
	}()
}

func closeCapture(w *capture.Writer) {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	_ = w.Close(ctx) // what is lost is counted
}

func (s *state) closeClients() {
	for _, client := range s.clients {
		client.Close()
	}
}

// open makes what the configuration says, and takes what is the same from before.
func (s *state) open(before *state, c *setting.Scope, environ []string) (err error) {
	if err := s.openWindows(before, c); err != nil {
		return err
	}
	if err := s.openVendors(before, c, environ); err != nil {
		return err
	}
	if err := s.openVerdicts(before, c); err != nil {
		return err
	}
	if s.kept = capture.Configured(c); s.kept.Folder == "" {
		return nil
	}
	if s.Dry {
		o := s.kept
		return o.Validate()
	}
	if before.capture != nil && s.kept == before.kept {
		s.capture = before.capture
		return nil
	}
	o := s.kept
	o.Logger = s.Logger
	s.capture, err = capture.Open(o)
	return err
}

func (s *state) openVerdicts(before *state, c *setting.Scope) (err error) {
	s.logged = *verdictlog.Configured.In(c)
	switch {
	case s.Dry:
		return service.CheckVerdicts(c)
	case before.verdicts != nil && s.logged == before.logged:
		s.verdicts = before.verdicts
	default:
		s.verdicts, err = service.OpenVerdicts(c, s.Logger)
	}
	return err
}

func (s *state) openWindows(before *state, c *setting.Scope) (err error) {
	of, on := gateway.ConfiguredWindows(c)
	if !on {
		return nil
	}
	s.of = of
	switch {
	case before.windows == nil:
		s.windows, err = window.New(s.of)
	case reflect.DeepEqual(s.of, before.of):
		s.windows = before.windows
	default:
		s.windows, err = before.windows.Reconfigure(s.of)
	}
	return err
}

func (s *state) openVendors(before *state, c *setting.Scope, environ []string) (err error) {
	if s.services, err = vendor.Configured(c, environ); err != nil || len(s.services) == 0 {
		return err
	}
	if reflect.DeepEqual(s.services, before.services) {
		s.vendors, s.clients = before.vendors, before.clients
		return nil
	}
	var members []vendor.Member
	for i := range s.services {
		client, err := vendor.NewHTTP(s.services[i].HTTP)
		if err != nil {
			return err
		}
		m := s.services[i].Member
		m.Vendor = client
		members, s.clients = append(members, m), append(s.clients, client)
	}
	s.vendors, err = vendor.NewGroup(members...)
	return err
}
