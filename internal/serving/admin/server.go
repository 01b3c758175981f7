package admin

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// The limits of the port.
const (
	// ConnectionsMax is how many connections each listener has at once. One more closes the longest
	// idle connection of the client with the most.
	ConnectionsMax = 64
	// headMax is how long the head of a request may be, in bytes.
	headMax = 8 << 10
	// scrapesMax is how many times metrics are written at once, and profilesMax how many profiles
	// are made.
	scrapesMax, profilesMax = 4, 1
	// profileSecondsMax is how long a profile may take.
	profileSecondsMax = 60

	headTimeout    = 5 * time.Second
	writeTimeout   = 15 * time.Second
	profileTimeout = profileSecondsMax*time.Second + writeTimeout
	idleTimeout    = time.Minute
	closeTimeout   = 2 * time.Second // for answers that are being written
)

// serving is the part of a Server that listens.
type serving struct {
	server  http.Server
	stop    chan struct{}
	stopped sync.Once
}

func (s *serving) init(own *Server) {
	s.stop = make(chan struct{})
	s.server = http.Server{
		Handler: own.handler, ReadHeaderTimeout: headTimeout, ReadTimeout: headTimeout, WriteTimeout: profileTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: headMax, ErrorLog: slog.NewLogLogger(own.options.Logger.Handler(), slog.LevelDebug),
		Protocols: new(http.Protocols), ConnContext: withConn,
	}
	s.server.Protocols.SetHTTP1(true)
	s.server.SetKeepAlivesEnabled(true)
}

// Serve answers on a listener until [Server.Close], and returns nil then. If others than this
// machine can reach the listener, tokens or certificates must be demanded.
func (s *Server) Serve(ln net.Listener) error {
	if err := s.Allowed(ln.Addr()); err != nil {
		return err
	}
	if s.history != nil {
		go s.run()
	}
	ln = limit(ln, ConnectionsMax)
	if s.options.TLS != nil {
		ln = tls.NewListener(ln, s.options.TLS)
	}
	if err := s.server.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Allowed returns an error if the server may not listen at an address: others can reach it, and
// nothing is demanded of them.
func (s *Server) Allowed(address net.Addr) error {
	if s.guarded() {
		return nil
	}
	if tcp, ok := address.(*net.TCPAddr); ok && !tcp.IP.IsLoopback() {
		return fmt.Errorf("admin: %s can be reached from outside, so it takes a token (--admin-token-file, gateway.operators.token_files or RTBWIRE_ADMIN_TOKEN) or certificates of clients", address)
	}
	return nil
}

// Close ends what Serve does, and its connections.
func (s *Server) Close() {
	s.stopped.Do(func() { close(s.stop) })
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	if s.server.Shutdown(ctx) != nil {
		_ = s.server.Close()
	}
}

// profile bounds how many profiles are made at once, and for how long.
func (s *Server) profile(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if text := r.FormValue("seconds"); text != "" {
			if n, err := strconv.ParseFloat(text, 64); err != nil || !(n >= 0 && n <= profileSecondsMax) {
				http.Error(w, fmt.Sprintf("seconds must be from 0 to %d", profileSecondsMax), http.StatusBadRequest)
				return
			}
		}
		select {
		case s.profiles <- struct{}{}:
			defer func() { <-s.profiles }()
		default:
			http.Error(w, "another profile is being made", http.StatusTooManyRequests)
			return
		}
		next(w, r)
	}
}
