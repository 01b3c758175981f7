package gateway

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/rtbwire/rtbwire/inspect"
)

// Defaults of [Options].
const (
	PathDefault = "/openrtb2/auction"

	HeadTimeoutDefault         = 5 * time.Second
	BodyTimeoutDefault         = 5 * time.Second
	WriteTimeoutDefault        = 5 * time.Second
	IdleTimeoutDefault         = 75 * time.Second // longer than common load balancers'
	UpstreamTimeoutDefault     = time.Second
	UpstreamIdleTimeoutDefault = 4 * time.Second // keep it below the core's
	ReserveDefault             = 10 * time.Millisecond
	DrainTimeoutDefault        = 10 * time.Second

	BodyMaxDefault        = 256 << 10
	HeadMaxDefault        = 16 << 10
	ResponseMaxDefault    = 1 << 20
	RatioMaxDefault       = 100
	ConnectionsMaxDefault = 16384
	InFlightMaxDefault    = 2048
)

// Style says how a refusal is answered.
type Style string

// The styles.
const (
	Style204     Style = "204"      // no content
	Style200     Style = "200"      // {"id": ..., "nbr": ...}
	Style400     Style = "400"      // without a body
	Style400JSON Style = "400-json" // {"id": ..., "nbr": ...}
)

// Options say what a gateway does. Only Upstreams has no default.
type Options struct {
	// Engine decides. Default: the engine of the zero [inspect.Config].
	Engine *inspect.Engine
	// Upstreams are where accepted requests go: http://host:port, http://host:port/path, or
	// unix:/path/to/socket. A path replaces that of the request.
	Upstreams []string
	// Path is where bid requests are posted, besides the paths of partners. Default: [PathDefault].
	Path string
	// NoBid is the style for requests of no partner. Default: [Style204].
	NoBid Style
	// Shadow observes and forwards everything.
	Shadow bool

	// HeadTimeout and BodyTimeout bound how long the head and the whole body of a request may take,
	// WriteTimeout how long the answer may. IdleTimeout is how long a connection may wait for its
	// next request.
	HeadTimeout, BodyTimeout, WriteTimeout, IdleTimeout time.Duration
	// UpstreamTimeout is how long an upstream may take, if the request's tmax leaves as much.
	UpstreamTimeout time.Duration
	// UpstreamIdleTimeout is how long connections to upstreams are kept.
	UpstreamIdleTimeout time.Duration
	// Reserve is the part of tmax that is kept for the way back.
	Reserve time.Duration
	// DrainDelay is how long Shutdown serves before it stops to listen, with [Gateway.Ready]
	// already false. DrainTimeout is how long it waits for requests after that.
	DrainDelay, DrainTimeout time.Duration

	// BodyMax is the longest body, after inflation; HeadMax the longest head; ResponseMax the
	// longest body of an upstream's answer. In bytes.
	BodyMax, HeadMax, ResponseMax int
	// RatioMax is how many times as long as its compressed body a document may be.
	RatioMax int
	// ConnectionsMax and InFlightMax bound connections, and requests at the same time.
	ConnectionsMax, InFlightMax int

	// Logger is never used for an accepted request. Default: [slog.Default].
	Logger *slog.Logger
}

// validate refuses what no gateway can be made of, and fills in the defaults.
func (o *Options) validate() error {
	if len(o.Upstreams) == 0 {
		return errors.New("gateway: no upstream")
	}
	o.Path = cmp.Or(o.Path, PathDefault)
	o.NoBid = cmp.Or(o.NoBid, Style204)
	if o.Engine == nil {
		o.Engine = &inspect.Engine{}
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	for _, d := range []struct {
		name      string
		value     *time.Duration
		otherwise time.Duration
	}{
		{"HeadTimeout", &o.HeadTimeout, HeadTimeoutDefault},
		{"BodyTimeout", &o.BodyTimeout, BodyTimeoutDefault},
		{"WriteTimeout", &o.WriteTimeout, WriteTimeoutDefault},
		{"IdleTimeout", &o.IdleTimeout, IdleTimeoutDefault},
		{"UpstreamTimeout", &o.UpstreamTimeout, UpstreamTimeoutDefault},
		{"UpstreamIdleTimeout", &o.UpstreamIdleTimeout, UpstreamIdleTimeoutDefault},
		{"Reserve", &o.Reserve, ReserveDefault},
		{"DrainDelay", &o.DrainDelay, 0},
		{"DrainTimeout", &o.DrainTimeout, DrainTimeoutDefault},
	} {
		if *d.value < 0 {
			return fmt.Errorf("gateway: %s is %v (want 0 for the default, or more)", d.name, *d.value)
		}
		*d.value = cmp.Or(*d.value, d.otherwise)
	}
	for _, n := range []struct {
		name      string
		value     *int
		otherwise int
	}{
		{"BodyMax", &o.BodyMax, BodyMaxDefault},
		{"HeadMax", &o.HeadMax, HeadMaxDefault},
		{"ResponseMax", &o.ResponseMax, ResponseMaxDefault},
		{"RatioMax", &o.RatioMax, RatioMaxDefault},
		{"ConnectionsMax", &o.ConnectionsMax, ConnectionsMaxDefault},
		{"InFlightMax", &o.InFlightMax, InFlightMaxDefault},
	} {
		if *n.value < 0 {
			return fmt.Errorf("gateway: %s is %d (want 0 for the default, or more)", n.name, *n.value)
		}
		*n.value = cmp.Or(*n.value, n.otherwise)
	}
	return nil
}
