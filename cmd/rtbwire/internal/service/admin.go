package service

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/internal/filewatch"
	"github.com/rtbwire/rtbwire/internal/serving/admin"
	"github.com/rtbwire/rtbwire/internal/serving/rejects"
	"github.com/rtbwire/rtbwire/internal/serving/transport"
)

// Admin is the port of administration of a service.
type Admin struct {
	// Address is where it listens, "" for nowhere.
	Address string
	// Settings say who may ask, and Transport has certificates for an address of https.
	Settings  admin.Settings
	Transport transport.Settings
	// Told says that the service has the same certificates for ports of its own, and writes to the
	// log what becomes of them.
	Told bool
	// Source is what it shows, and Config the configuration in use, without secrets.
	Source rejects.Source
	Config func() any
	// Control is what operators can change, as in [admin.Options].
	Control *admin.Control
	Judge   *admin.Judge
	// Flow, Origin, CandidateOrigin and Files are as in [admin.Options]. The certificates of the
	// port are added to the files.
	Flow                    *admin.Flow
	Origin, CandidateOrigin func() *filewatch.Origin
	Files                   func() []filewatch.Named
	// Sockets opens its listener.
	Sockets transport.Sockets
	Env     *cli.Env
	Log     *slog.Logger

	certificates *transport.Certificates
	serving      *admin.Server
}

// Certificates returns those of the port; nil without TLS, and before Check or Serve.
func (a *Admin) Certificates() *transport.Certificates { return a.certificates }

// pages returns the server, and where it is to listen.
func (a *Admin) pages() (*admin.Server, transport.Address, error) {
	at, err := transport.ParseAddress(a.Address)
	if err != nil {
		return nil, at, fmt.Errorf("--admin: %w", err)
	}
	secure, err := a.tls(at)
	if err != nil {
		return nil, at, err
	}
	operators := &a.Settings
	pages, err := admin.New(a.Source, admin.Options{
		TLS: secure, ClientCertificates: secure != nil && len(operators.ClientCAs) > 0,
		Version: cli.Version(), Config: a.Config, Hosts: operators.Hosts, Flow: a.Flow, Origin: a.Origin, CandidateOrigin: a.CandidateOrigin, Control: a.Control, Judge: a.Judge, Files: a.followed,
		Tokens: strings.Fields(a.Env.Getenv(config.AdminTokens)), TokenFiles: operators.TokenFiles, Logger: a.Log,
	})
	return pages, at, err
}

// followed returns what is known about the files that are followed.
func (a *Admin) followed() (all []filewatch.Named) {
	if a.Files != nil {
		all = a.Files()
	}
	if a.certificates != nil {
		all = append(all, a.certificates.Status().Named(filewatch.KindCertificates, "operators"))
	}
	return all
}

// tls returns what TLS is used with; nil if it is not.
func (a *Admin) tls(at transport.Address) (*tls.Config, error) {
	if !at.TLS() {
		if len(a.Settings.ClientCAs) > 0 {
			return nil, fmt.Errorf("admin client authorities need an address that begins with https://, found %s", at)
		}
		return nil, nil //nolint:nilnil // there is none
	}
	// The certificates are the gateway's, the authorities are not: who sends bid requests is no
	// operator.
	o := a.Transport.Options
	o.Proxies, o.Logger, o.Told = nil, a.Log.With("port", "admin"), a.Told
	o.TLS.NoHTTP2, o.TLS.ClientCAs, o.TLS.ClientAuth = true, a.Settings.ClientCAs, ""
	if len(o.TLS.ClientCAs) > 0 {
		o.TLS.ClientAuth = transport.ClientRequest // probes have none
	}
	t, err := transport.New(o)
	if err != nil {
		return nil, err
	}
	if _, err := t.Secure(at); err != nil {
		return nil, err
	}
	a.certificates = t.Certificates()
	return a.certificates.Config(), nil
}

// Metrics returns the metrics of the service, those of /metrics if the port is served.
func (a *Admin) Metrics() (prometheus.Gatherer, error) {
	if a.serving != nil {
		return a.serving.Gatherer(), nil
	}
	return admin.Registry(a.Source, &admin.Options{Version: cli.Version(), Flow: a.Flow}, a.followed)
}

// Check says what would be wrong with the port.
func (a *Admin) Check() error {
	if a.Address == "" {
		return nil
	}
	silent := *a
	silent.Log = slog.New(slog.DiscardHandler)
	pages, at, err := silent.pages()
	if err != nil || !at.IP() {
		return err
	}
	ip, err := net.ResolveTCPAddr("tcp", at.HostPort())
	if err != nil {
		return err
	}
	return pages.Allowed(ip)
}

// Serve serves the port, if there is one, until stop is called. An error that ends it early goes to
// ended.
func (a *Admin) Serve(ctx context.Context, ended chan<- error) (stop func(), err error) {
	if a.Address == "" {
		return func() {}, nil
	}
	pages, at, err := a.pages()
	if err != nil {
		return nil, err
	}
	opener := a.Sockets
	opener.Each = 0
	list, err := opener.Listen(ctx, at)
	if err != nil {
		return nil, fmt.Errorf("--admin %s: %w", a.Address, err)
	}
	a.serving = pages
	ln := list[0]
	for _, more := range list[1:] {
		_ = more.Close() // one is enough
	}
	if err := pages.Allowed(ln.Addr()); err != nil {
		_ = ln.Close()
		return nil, err
	}
	go func() {
		if err := pages.Serve(ln); err != nil {
			ended <- err
		}
	}()
	a.Log.Info("administration", "address", ln.Addr().String())
	return pages.Close, nil
}
