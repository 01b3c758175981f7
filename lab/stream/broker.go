package stream

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/rtbwire/rtbwire/internal/kafkatest"
)

// brokerHeapMB is the memory of the broker's heap. The data is in the page cache.
const brokerHeapMB = 512

// broker is Kafka, and a client for administration.
type broker struct {
	address, version string
	cluster          *kafkatest.Cluster
	client           *kgo.Client
	admin            *kadm.Client
}

// startBroker starts Kafka. It inherits the core of the caller.
func startBroker(ctx context.Context, dir string) (b *broker, err error) {
	b = &broker{}
	b.cluster, err = kafkatest.New(kafkatest.Options{HeapMB: brokerHeapMB, Folder: dir})
	if err != nil {
		return nil, err
	}
	b.address = strings.Join(b.cluster.Seeds(), ",")
	if b.client, err = kgo.NewClient(append(b.cluster.Opts(), kgo.RecordPartitioner(kgo.ManualPartitioner()))...); err != nil {
		return nil, errors.Join(err, b.cluster.Stop())
	}
	b.admin = kadm.NewClient(b.client)
	versions, err := b.admin.ApiVersions(ctx)
	if err != nil {
		return nil, errors.Join(err, b.stop())
	}
	for _, v := range versions.Sorted() {
		b.version = v.VersionGuess()
	}
	return b, nil
}

func (b *broker) stop() error {
	b.client.Close()
	return b.cluster.Stop()
}

// pid is the process of the broker.
func (b *broker) pid() int { return b.cluster.Node(1).PID() }

// create makes topics, and waits until the broker knows them.
func (b *broker) create(ctx context.Context, partitions int, topics ...string) error {
	made, err := b.admin.CreateTopics(ctx, int32(partitions), 1, nil, topics...)
	if err != nil {
		return err
	}
	if err := made.Error(); err != nil {
		return err
	}
	return waitFor(ctx, "new topics", time.Minute, step, func() (bool, error) {
		_, err := b.written(ctx, topics...)
		if errors.Is(err, kerr.UnknownTopicOrPartition) || errors.Is(err, kerr.LeaderNotAvailable) {
			return false, nil
		}
		return err == nil, err
	})
}

// remove deletes what a measurement has used.
func (b *broker) remove(ctx context.Context, group string, topics ...string) error {
	gone, err := b.admin.DeleteTopics(ctx, topics...)
	if err == nil {
		err = gone.Error()
	}
	_, groupErr := b.admin.DeleteGroup(ctx, group)
	return errors.Join(err, groupErr)
}

// written returns how many records topics have. A transaction adds one to each of its partitions.
func (b *broker) written(ctx context.Context, topics ...string) (sum int64, err error) {
	ends, err := b.admin.ListEndOffsets(ctx, topics...)
	if err != nil {
		return 0, err
	}
	ends.Each(func(o kadm.ListedOffset) {
		if err = errors.Join(err, o.Err); o.Err == nil {
			sum += o.Offset
		}
	})
	return sum, err
}

// committed returns how many records of the topic a group has behind it.
func (b *broker) committed(ctx context.Context, group string) (sum int64, err error) {
	offsets, err := b.admin.FetchOffsets(ctx, group)
	if err != nil {
		return 0, err
	}
	offsets.Each(func(o kadm.OffsetResponse) {
		if err = errors.Join(err, o.Err); o.Err == nil {
			sum += max(o.At, 0)
		}
	})
	return sum, err
}

// stored returns how many bytes a topic takes on the broker's disk.
func (b *broker) stored(ctx context.Context, topic string) (sum int64, err error) {
	dirs, err := b.admin.DescribeAllLogDirs(ctx, nil)
	if err != nil {
		return 0, err
	}
	dirs.Each(func(d kadm.DescribedLogDir) {
		d.Topics.Each(func(p kadm.DescribedLogDirPartition) {
			if p.Topic == topic {
				sum += p.Size
			}
		})
	})
	if sum == 0 {
		return 0, fmt.Errorf("the broker says nothing about the size of %s", topic)
	}
	return sum, nil
}

// waitFor waits until something holds, asking every step.
func waitFor(ctx context.Context, what string, most, step time.Duration, holds func() (bool, error)) error {
	for end := time.Now().Add(most); ; {
		ok, err := holds()
		if ok || err != nil {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("waited %v for %s", most, what)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(step):
		}
	}
}
