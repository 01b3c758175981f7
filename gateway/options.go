package gateway

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"time"

	"github.com/rtbwire/rtbwire/gateway/capture"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/vendor"
	"github.com/rtbwire/rtbwire/inspect/window"
	"github.com/rtbwire/rtbwire/internal/serving/candidate"
	"github.com/rtbwire/rtbwire/internal/setting"
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
	StreamsMaxDefault     = 250
	ResetsMaxDefault      = 1000
	InFlightMaxDefault    = 4096
	MemoryMaxDefault      = 256 << 20

	MirrorQueueMaxDefault    = 1024
	MirrorRequestsMaxDefault = 64

	// UpstreamConnectionsMaxDefault fits the rate times the latency of a core: at 50,000 requests
	// per second and 20 ms it needs 1,000.
	UpstreamConnectionsMaxDefault = 1024
)

// Options say what a gateway does. Only Upstreams, or Core, has no default.
type Options struct {
	// Engine decides. Default: the engine of the zero [inspect.Config].
	Engine *inspect.Engine
	// Upstreams are where accepted requests go. [At] returns those with equal shares.
	Upstreams []Upstream
	// Balance says how requests are shared between them. Default: [RoundRobin].
	Balance Balance
	// Zone is where the gateway is: upstreams in the same zone are preferred, and others get what
	// these can't carry. Default: "", and all are preferred alike.
	Zone string
	// PanicThreshold is the share of healthy addresses below which all are used. Default:
	// [PanicThresholdDefault]. With a negative one only healthy ones are.
	PanicThreshold float64
	// SlowStart is how long it takes until an address that is new, or back, gets its whole share.
	// Default: 0.
	SlowStart time.Duration
	// DNSInterval is how often names of upstreams are resolved.
	DNSInterval time.Duration
	// Outlier says when an address is ejected, and HealthCheck how addresses are checked, if it has
	// a path.
	Outlier     Outlier
	HealthCheck HealthCheck
	// MirrorQueueMax bounds the copies for mirrors that wait, MirrorRequestsMax those under way.
	MirrorQueueMax, MirrorRequestsMax int
	// Core answers accepted requests in place of Upstreams, if it is not nil.
	Core Core
	// UpstreamErrors says what becomes of answers of status 5xx to bid requests. Default:
	// [ErrorsNoBid].
	UpstreamErrors UpstreamErrors
	// UpstreamCAs are authorities, as PEM, whose signature the certificates of upstreams must have.
	// Default: those of the system.
	UpstreamCAs string
	// Path is where bid requests are posted, besides the paths of partners. Default: [PathDefault].
	Path string
	// NoBid is the no-bid answer to requests of no partner. Default: [NoBid204].
	NoBid NoBid
	// Partners are who sends requests. The first one that matches a request is its partner.
	Partners []Partner
	// TrustedProxies are the peers whose X-Forwarded-For counts.
	TrustedProxies []netip.Prefix
	// FactHeaders are the names of headers that conditions ask for.
	FactHeaders []string
	// Passthrough are routes whose requests pass unread.
	Passthrough []Passthrough
	// Windows and Vendors are asked about each request, if they are not nil.
	Windows *window.Windows
	Vendors *vendor.Group
	// Inspectors are asked after them.
	Inspectors []Inspector
	// Capture keeps a sample of requests, if it is not nil: CaptureShares of them. The caller
	// closes it, after Shutdown.
	Capture       *capture.Writer
	CaptureShares Shares
	// VerdictLog takes every verdict, if it is not nil, and decides which ones it writes. The
	// caller closes it, after Shutdown.
	VerdictLog VerdictLog
	// Candidate has the engine of a second configuration, if it is not nil: it judges a copy of
	// requests and counts where its verdict differs, without any effect on them. CandidateShare is
	// the share that it judges, chosen by chance; 0 means all. It takes at most one processor, and
	// what it has no time for is left out. Both are those of [New]; the holder may be swapped.
	Candidate      *inspect.Holder
	CandidateShare float64
	// Tracer gets the spans of requests, if it is not nil: of those that Sampling chooses.
	Tracer   Tracer
	Sampling Sampling
	// LowerTMax writes into requests how many milliseconds are left for the upstream, where that is
	// less than their tmax, or where only the partner says how long.
	LowerTMax bool
	// Responses says how the answers of upstreams are inspected, for requests of no partner and for
	// partners that say nothing.
	Responses Responses
	// CompressMin is how many bytes an answer must have to be compressed for senders that accept
	// gzip. Default: 0, and answers are sent as the upstream sent them. See [CompressMinDefault].
	CompressMin int
	// Shadow observes and forwards everything, unchanged: only limits that protect the process
	// shed requests.
	Shadow bool
	// ForwardGzip sends a document on as it was compressed, if there are no edits to it.
	ForwardGzip bool

	// FullRejects keeps excerpts of refused requests for operators as they were sent. By default
	// the values in them are redacted.
	FullRejects bool
	// PublisherMetricsMax is how many publishers are counted each on its own; all others are
	// counted as "other". Default: none is counted.
	PublisherMetricsMax int

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
	// DrainDelay is how long Shutdown serves before it stops listening, with [Gateway.Ready]
	// already false. DrainTimeout is how long it waits for requests after that.
	DrainDelay, DrainTimeout time.Duration

	// BodyMax is the longest body, after inflation; HeadMax the longest head; ResponseMax the
	// longest body of an upstream's answer. In bytes.
	BodyMax, HeadMax, ResponseMax int
	// RatioMax is how many times as long as its compressed body a document may be.
	RatioMax int
	// ConnectionsMax and InFlightMax bound connections, and requests at the same time.
	ConnectionsMax, InFlightMax int
	// StreamsMax bounds the requests at the same time on one connection of HTTP/2. ResetsMax is how
	// many requests more than were answered a client may take back on it.
	StreamsMax, ResetsMax int
	// UpstreamConnectionsMax bounds the connections to each upstream.
	UpstreamConnectionsMax int
	// MemoryMax bounds the bytes of requests that are being read and served, and of the answers to
	// them, in all.
	MemoryMax int
	// OverloadTolerance is how many times the best latency seen is normal: above it requests are
	// shed. A negative one switches the adaptive limit off.
	OverloadTolerance float64

	// Logger is never used for an accepted request. Default: [slog.Default].
	Logger *slog.Logger
}

// validate refuses what no gateway can be made of, and fills in the defaults.
func (o *Options) validate() error {
	if len(o.Upstreams) == 0 && o.Core == nil {
		return errors.New("gateway: no upstream")
	}
	if len(o.Upstreams) > 0 && o.Core != nil {
		return errors.New("gateway: upstreams, and a core in place of them")
	}
	if err := o.validateUpstreams(); err != nil {
		return err
	}
	o.Balance = cmp.Or(o.Balance, RoundRobin)
	if o.Balance != RoundRobin && o.Balance != LeastRequest {
		return fmt.Errorf("gateway: unknown Balance %q (want round_robin or least_request)", o.Balance)
	}
	o.PanicThreshold = cmp.Or(o.PanicThreshold, PanicThresholdDefault)
	o.Outlier.MaxEjected = cmp.Or(o.Outlier.MaxEjected, MaxEjectedDefault)
	if err := o.validateCheck(); err != nil {
		return err
	}
	o.HealthCheck.Jitter = cmp.Or(o.HealthCheck.Jitter, CheckJitterDefault)
	o.Path = cmp.Or(o.Path, PathDefault)
	o.NoBid = cmp.Or(o.NoBid, NoBid204)
	o.OverloadTolerance = cmp.Or(o.OverloadTolerance, OverloadToleranceDefault)
	if !o.NoBid.valid() {
		return fmt.Errorf("gateway: unknown no-bid answer %q (want 204, 200, 400 or 400-json)", o.NoBid)
	}
	o.UpstreamErrors = cmp.Or(o.UpstreamErrors, ErrorsNoBid)
	if o.UpstreamErrors != ErrorsNoBid && o.UpstreamErrors != ErrorsPass {
		return fmt.Errorf("gateway: unknown UpstreamErrors %q (want no_bid or pass)", o.UpstreamErrors)
	}
	if !o.CaptureShares.valid() {
		return fmt.Errorf("gateway: CaptureShares %+v are not from 0 to 1", o.CaptureShares)
	}
	if err := candidate.Validate(o.CandidateShare); err != nil {
		return fmt.Errorf("gateway: %w", err)
	}
	if o.Sampling.Share < 0 || o.Sampling.Share > 1 {
		return fmt.Errorf("gateway: Sampling.Share is %v (want a number from 0 to 1)", o.Sampling.Share)
	}
	if err := o.Responses.validate(Responses{ResponsesObserve, ResponseSampleDefault}); err != nil {
		return err
	}
	if o.Engine == nil {
		o.Engine = &inspect.Engine{}
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return setting.Complete("gateway", o, keys)
}
