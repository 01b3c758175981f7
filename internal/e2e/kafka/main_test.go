//go:build unix

package kafka

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/rtbwire/rtbwire/internal/kafkatest"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// program is the path of the program under test.
var program string

func TestMain(m *testing.M) {
	if os.Getenv("RTBWIRE_KAFKATEST") == "" {
		fmt.Println("left out: set RTBWIRE_KAFKATEST=1, or use make verify STEPS=stream")
		return
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "e2e")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "rtbwire")
	if err := testkit.BuildProgram(program, "github.com/rtbwire/rtbwire/cmd/rtbwire"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer shared.stop()
	return m.Run()
}

// lazy is a cluster that starts with the first test that needs it.
type lazy struct {
	once    sync.Once
	cluster *kafkatest.Cluster
	err     error
	failed  bool
}

// shared is one broker for all tests that do it no harm.
var shared lazy

func (l *lazy) get(t *testing.T) *kafkatest.Cluster {
	t.Helper()
	l.once.Do(func() { l.cluster, l.err = kafkatest.New(kafkatest.Options{}) })
	if l.err != nil {
		t.Fatal(l.err)
	}
	t.Cleanup(func() { l.failed = l.failed || t.Failed() })
	return l.cluster
}

func (l *lazy) stop() {
	if l.cluster == nil {
		return
	}
	if l.failed {
		fmt.Fprintln(os.Stderr, "the broker's log:", l.cluster.Keep())
	}
	if err := errors.Join(l.err, l.cluster.Stop()); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}
