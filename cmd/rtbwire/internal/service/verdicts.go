package service

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/internal/serving/tracing"
	"github.com/rtbwire/rtbwire/internal/setting"
	"github.com/rtbwire/rtbwire/internal/verdictlog"
	"github.com/rtbwire/rtbwire/stream/kafka"
)

// The limits of a topic of verdicts.
const (
	// verdictsBuffered and verdictsBufferedBytes bound what waits for the brokers.
	verdictsBuffered      = 10_000
	verdictsBufferedBytes = 16 << 20
	// verdictsTimeout is how long brokers may take for a line before it is given up.
	verdictsTimeout = 30 * time.Second
)

// CheckFlags refuses flags, by the names of those that are given, that mean nothing by what a
// configuration says.
func CheckFlags(given []string, c *setting.Scope) error {
	for _, name := range given {
		switch {
		case strings.HasPrefix(name, "verdict-log-") && verdictlog.Configured.In(c).To == verdictlog.Nowhere:
			return cli.Usagef("--%s needs --verdict-log, such as --verdict-log stdout", name)
		case name == "otlp-spans" && tracing.Configured.In(c).Endpoint == "":
			return cli.Usagef("--%s needs --otlp, the URL of a collector", name)
		}
	}
	return nil
}

// CheckVerdicts says what would be wrong with the log of verdicts that a configuration asks for.
// Nobody is asked.
func CheckVerdicts(c *setting.Scope) error {
	s := *verdictlog.Configured.In(c)
	if err := s.Validate(); err != nil || s.To != verdictlog.Kafka {
		return err
	}
	_, err := brokers(c, nil)
	return err
}

// brokers returns how the brokers of a configuration are reached.
func brokers(c *setting.Scope, log *slog.Logger) (kafka.Options, error) {
	o := kafka.Configured(c).Connection()
	o.Log = log
	if len(o.Brokers) == 0 {
		return o, cli.Usagef("the log of verdicts goes to Kafka, and there are no brokers (stream.brokers)")
	}
	_, err := o.Client()
	return o, err
}

// OpenVerdicts begins the log of verdicts that a configuration asks for; nil if it asks for none.
// Brokers that can't be reached are told to the log.
func OpenVerdicts(c *setting.Scope, log *slog.Logger) (*verdictlog.Writer, error) {
	o := verdictlog.Options{Settings: *verdictlog.Configured.In(c), Logger: log}
	switch o.To {
	case verdictlog.Nowhere:
		return nil, nil //nolint:nilnil // there is none
	case verdictlog.Stdout:
		// The end of whoever reads them is not ours, and no reason to end with an error.
		signal.Ignore(syscall.SIGPIPE)
		return verdictlog.OpenTo(os.Stdout, o)
	case verdictlog.Kafka:
		at, err := brokers(c, log)
		if err != nil {
			return nil, err
		}
		own, err := newVerdictTopic(at, o.Topic)
		if err != nil {
			return nil, err
		}
		o.Sink = own
	}
	w, err := verdictlog.Open(o)
	if err != nil && o.Sink != nil {
		_ = o.Sink.Close(context.Background())
	}
	return w, err
}

// verdictTopic is a topic that verdicts are written to.
type verdictTopic struct {
	client *kgo.Client
	lost   atomic.Uint64
	news   News
	at     kafka.Options
	stop   context.CancelFunc
}

func newVerdictTopic(at kafka.Options, topic string) (*verdictTopic, error) {
	opts, err := at.Client()
	if err != nil {
		return nil, err
	}
	t := &verdictTopic{at: at, news: News{
		Log: at.Log, Fails: "verdicts were not written to their topic; they are dropped", Works: "verdicts are written to their topic again", Args: []any{"topic", topic},
	}}
	if t.client, err = kgo.NewClient(append(opts, kgo.DefaultProduceTopic(topic), kgo.RequiredAcks(kgo.AllISRAcks()), kgo.RecordDeliveryTimeout(verdictsTimeout),
		kgo.MaxBufferedRecords(verdictsBuffered), kgo.MaxBufferedBytes(verdictsBufferedBytes))...); err != nil {
		return nil, fmt.Errorf("verdict log: %w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	t.stop = stop
	go func() { // what is wrong is told before the first verdict
		if err := kafka.Check(ctx, at, kafka.Use{Write: []string{topic}}); err != nil && ctx.Err() == nil {
			t.news.Tell(err)
		}
	}()
	return t, nil
}

// Write implements [verdictlog.Sink], as Flush, Lost and Close do. It never waits for a broker.
func (t *verdictTopic) Write(line []byte) bool {
	t.client.TryProduce(context.Background(), &kgo.Record{Value: slices.Clone(line[:len(line)-1])}, func(_ *kgo.Record, err error) {
		if err != nil {
			t.lost.Add(1)
		}
		t.news.Tell(t.at.Explain(err))
	})
	return true
}

// Flush does nothing: the client writes when it has something.
func (t *verdictTopic) Flush() {}

// Lost returns how many lines no broker has taken.
func (t *verdictTopic) Lost() uint64 { return t.lost.Load() }

// Close writes what waits, and gives up the rest when the context ends.
func (t *verdictTopic) Close(ctx context.Context) error {
	t.stop()
	err := t.client.Flush(ctx)
	t.client.Close()
	if err != nil {
		return fmt.Errorf("verdicts were not written to their topic: %w", err)
	}
	return nil
}
