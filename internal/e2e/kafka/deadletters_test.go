//go:build unix

package kafka

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/rtbwire/rtbwire/internal/kafkatest"
)

// stops waits until the program ends by itself, which is an error, and returns its log. It must not
// have committed past what it delivered.
func (s *stage) stops(t *testing.T, p *process) string {
	t.Helper()
	if status := p.Status(t); status == 0 {
		t.Errorf("it has ended as if all was well: %s", p.Text())
	}
	return p.Text()
}

// TestDeadLettersGone deletes the topic for dead letters while the program runs. It stops with an
// error that names the topic, and drops nothing: when the topic is there again, so is everything.
func TestDeadLettersGone(t *testing.T) {
	eachWay(t, func(t *testing.T, args []string) {
		s := newStage(t, shared.get(t), len(codecs))
		f := newFeeder(t, s)
		f.all(17) // no poison among them
		p := s.run(t, args...)
		s.done(t, p)
		s.DeleteTopic(t, s.dead)
		f.all(2000)
		if text := s.stops(t, p); !strings.Contains(text, s.dead) {
			t.Errorf("no word of the topic: %s", text)
		}
		ended := s.begin(t, args...) // and it does not begin without one
		s.stops(t, ended)
		s.NewTopic(t, s.dead, s.partitions)
		bound := s.ahead(t)
		p = s.run(t, args...)
		s.done(t, p)
		p.Stop(t)
		if len(args) > 0 {
			bound = 0
		}
		s.account(t, bound)
	})
}

// TestDeadLettersForbidden takes the right to write dead letters away from the program's user.
func TestDeadLettersForbidden(t *testing.T) {
	c := kafkatest.Start(t, kafkatest.Options{SASL: true, ACL: true})
	eachWay(t, func(t *testing.T, args []string) {
		s := newStage(t, c, len(codecs))
		args = append(args, "--brokers", strings.Join(c.Secure(), ","), "--sasl", "plain", "--user", kafkatest.User, "--password-file", password(t, kafkatest.Password))
		f := newFeeder(t, s)
		f.all(17)
		p := s.run(t, args...)
		s.done(t, p)
		c.Deny(t, s.dead)
		f.all(2000)
		if text := s.stops(t, p); !strings.Contains(text, "may not") {
			t.Errorf("no word of the missing right: %s", text)
		}
		bound := s.ahead(t)
		c.Allow(t, s.dead)
		p = s.run(t, args...)
		s.done(t, p)
		p.Stop(t)
		if args[0] == "--exactly-once" {
			bound = 0
		}
		s.account(t, bound)
	})
}

// TestDeadLettersRefused has a topic for dead letters that takes no record at all for a while,
// since it wants more replicas than there are brokers. The program waits and commits nothing past
// them, or stops; when the topic can be written again, everything arrives.
func TestDeadLettersRefused(t *testing.T) {
	eachWay(t, func(t *testing.T, args []string) {
		s := newStage(t, shared.get(t), len(codecs))
		f := newFeeder(t, s)
		f.all(17)
		p := s.run(t, args...)
		s.done(t, p)
		s.set(t, s.dead, "min.insync.replicas", "2")
		f.all(2000)
		bound := 0
		for end := time.Now().Add(4 * time.Second); time.Now().Before(end); time.Sleep(500 * time.Millisecond) {
			bound = max(bound, s.ahead(t))
		}
		s.set(t, s.dead, "min.insync.replicas", "1")
		select {
		case <-p.Ended:
			t.Logf("it has stopped: %s", p.Text())
			p = s.run(t, args...)
		default:
			bound = 0
		}
		s.done(t, p)
		p.Stop(t)
		if len(args) > 0 {
			bound = 0
		}
		s.account(t, bound)
	})
}

// set changes a setting of a topic.
func (s *stage) set(t *testing.T, topic, name, value string) {
	t.Helper()
	admin, err := s.Admin()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), kafkatest.Patience)
	defer cancel()
	responses, err := admin.AlterTopicConfigs(ctx, []kadm.AlterConfig{{Op: kadm.SetConfig, Name: name, Value: &value}}, topic)
	if err == nil {
		_, err = responses.On(topic, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestDeadLettersSmall has a topic for dead letters that takes only small records: a longer one
// arrives with an empty value, and its length in a header.
func TestDeadLettersSmall(t *testing.T) {
	eachWay(t, func(t *testing.T, args []string) {
		s := newStage(t, shared.get(t), len(codecs))
		s.set(t, s.dead, "max.message.bytes", "10000")
		verdict := s.expect
		s.expect = func(r *kgo.Record) expectation {
			e := verdict(r)
			if e.reason != "" && len(e.value) > 10_000 {
				e.value, e.headers = []byte{}, []string{"rtbwire-size"}
			}
			return e
		}
		newFeeder(t, s).all(2000)
		p := s.run(t, args...)
		s.done(t, p)
		p.Stop(t)
		s.account(t, 0)
	})
}
