//go:build unix

package kafka

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/rtbwire/rtbwire/internal/kafkatest"
	"github.com/rtbwire/rtbwire/internal/verdictlog"
)

// TestVerdictTopic writes all verdicts of a stream to a topic, with TLS and a password.
func TestVerdictTopic(t *testing.T) {
	c := kafkatest.Start(t, kafkatest.Options{SASL: true, TLS: true})
	c.Users(t)
	s := newStage(t, c, 2)
	const topic = "verdicts"
	admin, err := c.Admin()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), kafkatest.Patience)
	defer cancel()
	if _, err := admin.CreateTopic(ctx, 1, 1, nil, topic); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "rtbwire.yaml")
	if err := os.WriteFile(file, fmt.Appendf(nil, "version: 1\ngateway: {verdict_log: {to: kafka, topic: %s, share: 100%%}}\n", topic), 0o600); err != nil {
		t.Fatal(err)
	}
	const sent = 500
	newFeeder(t, s).all(sent)
	p := s.run(t, "--config", file, "--brokers", strings.Join(c.Secure(), ","), "--tls", "--tls-ca", c.Authority(t),
		"--sasl", "scram-sha-512", "--user", kafkatest.User, "--password-file", password(t, kafkatest.Password))
	s.done(t, p)
	p.Stop(t)
	s.account(t, 0)

	reader, err := kgo.NewClient(append(c.Opts(), kgo.ConsumeTopics(topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))...)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	seen := map[string]bool{}
	for len(seen) < sent && ctx.Err() == nil {
		reader.PollFetches(ctx).EachRecord(func(r *kgo.Record) {
			var own verdictlog.Line
			if err := json.Unmarshal(r.Value, &own); err != nil || own.Offset == nil {
				t.Errorf("%v in %q", err, r.Value)
				return
			}
			seen[fmt.Sprintf("%s/%d", own.File, *own.Offset)] = true
		})
	}
	if len(seen) != sent {
		t.Errorf("verdicts on %d records, want %d", len(seen), sent)
	}
}
