package setup

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"reflect"
	"time"

	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/gateway"
	"github.com/rtbwire/rtbwire/gateway/capture"
	"github.com/rtbwire/rtbwire/inspect/vendor"
	"github.com/rtbwire/rtbwire/inspect/window"
)

// State is what a gateway has beside its options, and keeps over reloads: windows, services that
// are asked, and captures. The zero value has none. One goroutine at a time may use it.
type State struct {
	// Logger is told about captures that can't be written. Default: [slog.Default].
	Logger *slog.Logger
	// Dry checks what captures are to be, and writes none.
	Dry bool

	windows *window.Windows
	of      window.Options

	vendors  *vendor.Group
	services []service // what vendors was made of
	clients  []*vendor.HTTP

	capture *capture.Writer
	kept    capture.Options // what capture was made of
}

// service is what a vendor is made of. Two that are equal are the same.
type service struct {
	http   vendor.HTTPOptions
	member vendor.Member // without the vendor
}

// closeTime is how long a capture that is no longer used may write what it has.
const closeTime = 5 * time.Second

// Use fills in what options lack: windows, vendors and captures, those in use where the
// configuration says the same as before, otherwise new ones. The gateway is to be given the
// options; then done must be called, with whether it uses them: what is not in use any more is
// closed.
func (s *State) Use(c *config.Config, environ []string, o *gateway.Options) (done func(used bool), err error) {
	next := State{Logger: s.Logger, Dry: s.Dry}
	discard := func() {
		if next.capture != nil && next.capture != s.capture {
			closeCapture(next.capture)
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
		if before.vendors != s.vendors {
			before.closeClients()
		}
	}, nil
}

// Close writes what captures have. It is to be called after the gateway's Shutdown.
func (s *State) Close(ctx context.Context) error {
	s.closeClients()
	if s.capture == nil {
		return nil
	}
	return s.capture.Close(ctx)
}

func closeCapture(w *capture.Writer) {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	_ = w.Close(ctx) // what is lost is counted
}

func (s *State) closeClients() {
	for _, client := range s.clients {
		client.Close()
	}
}

// open makes what the configuration says, and takes what is the same from before.
func (s *State) open(before *State, c *config.Config, environ []string) (err error) {
	if err := s.openWindows(before, c); err != nil {
		return err
	}
	if err := s.openVendors(before, c, environ); err != nil {
		return err
	}
	if c.Gateway.Capture.Folder == "" {
		return nil
	}
	s.kept = captureOptions(c)
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

func (s *State) openWindows(before *State, c *config.Config) (err error) {
	if !c.Gateway.Windows {
		return nil
	}
	s.of = WindowOptions(c)
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

// WindowOptions are the options of windows.
func WindowOptions(c *config.Config) window.Options {
	w := &c.Gateway.WindowTables
	o := window.Options{
		Window: w.Window, IDWindow: w.IDWindow, IPv6Bits: w.IPv6Bits, BytesMax: w.BytesMax, Others: window.Limits(w.Tables),
	}
	for i := range c.Partners {
		if own := c.Partners[i].WindowTables; own != nil {
			if o.Partners == nil {
				o.Partners = map[string]window.Limits{}
			}
			o.Partners[c.Partners[i].Name] = window.Limits(*own)
		}
	}
	return o
}

func (s *State) openVendors(before *State, c *config.Config, environ []string) (err error) {
	if s.services, err = vendorServices(c, environ); err != nil || len(s.services) == 0 {
		return err
	}
	if reflect.DeepEqual(s.services, before.services) {
		s.vendors, s.clients = before.vendors, before.clients
		return nil
	}
	var members []vendor.Member
	for i := range s.services {
		client, err := vendor.NewHTTP(s.services[i].http)
		if err != nil {
			return err
		}
		m := s.services[i].member
		m.Vendor = client
		members, s.clients = append(members, m), append(s.clients, client)
	}
	s.vendors, err = vendor.NewGroup(members...)
	return err
}

// vendorServices are the services of a configuration, with their secrets.
func vendorServices(c *config.Config, environ []string) (list []service, err error) {
	for i := range c.Gateway.Vendors {
		v := &c.Gateway.Vendors[i]
		header := http.Header{}
		for _, h := range v.Headers {
			header.Add(h.Name, h.Value)
		}
		secret, err := readSecret(v.TokenEnv, v.TokenFile, environ)
		if err != nil {
			return nil, fmt.Errorf("the key of the vendor %s: %w", v.Name, err)
		}
		switch {
		case secret == "":
		case http.CanonicalHeaderKey(v.TokenHeader) == "Authorization":
			header.Set(v.TokenHeader, "Bearer "+secret)
		default:
			header.Set(v.TokenHeader, secret)
		}
		own := service{
			http: vendor.HTTPOptions{Name: v.Name, URL: v.URL, Fields: v.Fields, Header: header, IdleMax: v.Connections},
			member: vendor.Member{
				Deadline: v.Deadline, Concurrent: v.Concurrent, Breaker: vendor.Breaker{Failures: v.Failures, Pause: v.Pause},
			},
		}
		if v.Failures == 0 {
			own.member.Breaker.Failures = -1 // no pauses
		}
		if v.FailClosed {
			own.member.Fail = vendor.Closed
		}
		list = append(list, own)
	}
	return list, nil
}

// captureOptions are the options of captures.
func captureOptions(c *config.Config) capture.Options {
	own := &c.Gateway.Capture
	return capture.Options{
		Folder: own.Folder, FileMax: own.FileMax, DiskMax: own.DiskMax, AgeMax: own.AgeMax, RateMax: own.RateMax, Raw: !own.Redact,
	}
}
