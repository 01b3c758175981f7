package serve

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/rtbwire/rtbwire/internal/serving/admin"
	"github.com/rtbwire/rtbwire/internal/serving/transport"
	"github.com/rtbwire/rtbwire/internal/setting"
)

// openTransport reads certificates and addresses.
func (s *server) openTransport() error {
	listen := transport.Configured.In(s.scope())
	o := listen.Options
	if o.Logger = s.log; s.flags.check {
		o.Logger = slog.New(slog.DiscardHandler) // what it would warn of is printed
	}
	var err error
	if s.transport, err = transport.New(o); err != nil {
		return err
	}
	addresses, err := listen.Addresses()
	if err != nil {
		return err
	}
	port, err := transport.ParseAddress(admin.Configured.In(s.scope()).Address)
	anySecure := err == nil && port.TLS()
	for _, a := range addresses {
		secure, err := s.transport.Secure(a)
		if err != nil {
			return err
		}
		anySecure = anySecure || secure
	}
	if c := s.transport.Certificates(); c != nil {
		if !anySecure {
			return fmt.Errorf("a certificate needs a TLS address, found only %s", strings.Join(listen.Listen, ", "))
		}
		if s.flags.check { // otherwise the log has them
			for _, warning := range c.Warnings(time.Now()) {
				fmt.Fprintln(s.env.Stdout, "warning: "+warning)
			}
		}
	}
	_, err = listen.Mode()
	return err
}

// sockets opens all sockets, or none.
func (s *server) sockets(ctx context.Context) (list []net.Listener, err error) {
	defer func() {
		if err != nil {
			for _, ln := range list {
				_ = ln.Close()
			}
		}
	}()
	listen := transport.Configured.In(s.scope())
	addresses, err := listen.Addresses()
	if err != nil {
		return nil, err
	}
	sockets := &s.opener
	sockets.Passed, sockets.Each = transport.Inherit(), listen.Listeners
	if sockets.UnixMode, err = listen.Mode(); err != nil {
		return nil, err
	}
	for _, a := range addresses {
		secure, err := s.transport.Secure(a)
		if err != nil {
			return list, err
		}
		opened, err := sockets.Listen(ctx, a)
		if err != nil {
			return list, err
		}
		for _, ln := range opened {
			list = append(list, s.transport.Listener(ln, secure))
		}
	}
	return list, nil
}

// warnUnused names the sockets of systemd that no address has taken.
func (s *server) warnUnused() {
	for _, name := range s.opener.Passed.Unused() {
		s.log.Warn("a socket of systemd is not used: no address names it", "address", "systemd:"+name)
	}
}

// changeTransport prepares what a new configuration says about TLS. The function that it returns
// puts it in use. fixed is whether TLS itself comes or goes, which the next start does.
func (s *server) changeTransport(next *setting.Scope) (use func(), fixed bool, err error) {
	was, is := &transport.Configured.In(s.scope()).TLS, &transport.Configured.In(next).TLS
	fixed = (len(was.Pairs) == 0) != (len(is.Pairs) == 0)
	certificates := s.transport.Certificates()
	switch {
	case certificates == nil || len(is.Pairs) == 0:
		return func() {}, fixed, nil
	case reflect.DeepEqual(was, is):
		return certificates.Refresh, fixed, nil
	}
	replace, err := certificates.Prepare(*is)
	if err != nil {
		return nil, false, err
	}
	return replace, fixed, nil
}

// tell notifies the service manager. A failure is not fatal.
func (s *server) tell(what func() error) {
	if err := what(); err != nil {
		s.log.Warn("the service manager was not told", "error", err)
	}
}

// alive asks the gateway, as a load balancer would. It does not return if the gateway hangs.
func (s *server) alive() bool {
	r, err := http.NewRequest(http.MethodGet, "/status", http.NoBody)
	if err != nil {
		return false
	}
	s.gateway.ServeHTTP(&discard{http.Header{}}, r)
	return true
}

// discard is a response writer without a reader.
type discard struct{ header http.Header }

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(b []byte) (int, error) { return len(b), nil }
func (d *discard) WriteHeader(int)             {}
