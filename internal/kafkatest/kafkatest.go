// Package kafkatest runs Apache Kafka for tests: real brokers, each a process of its own, with
// their data in a temporary folder, at free ports of the loopback interface. They end with the
// test.
//
//	kafkatest.go  clusters, and how they are started
//	settings.go   the brokers' configuration
//	node.go       one broker: start, stop, kill
//	access.go     TLS, users and access control
//	topics.go     topics, records and offsets, for tests
//
// scripts/kafka.sh fetches Kafka and needs Java 17 or newer; the program in kafka runs a cluster by
// hand.
package kafkatest

import (
	"crypto/rand"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

//go:embed pom.xml
var packages string

// Patience is how long anything of a broker may take before a test gives up. Machines that run
// tests are busy.
const Patience = 2 * time.Minute

// attempt is how much of that one request may take before it is sent again.
const attempt = 20 * time.Second

// Options say what a cluster is like. The zero value is one broker without security.
type Options struct {
	Brokers int    // how many, 1 if 0. Topics have as many replicas, but at most 3
	TLS     bool   // the address of Secure speaks TLS
	Clients bool   // with TLS, clients need a certificate too
	SASL    bool   // the address of Secure asks for a user and a password
	ACL     bool   // what users may do can be restricted; see Deny
	HeapMB  int    // memory of each broker's heap in MiB, 384 if 0
	Folder  string // for data and logs; a new temporary one if empty
	// Settings are added to server.properties of each broker.
	Settings map[string]string
}

// Cluster is a number of brokers.
type Cluster struct {
	options Options
	id      string
	folder  string
	jars    string
	access  access
	nodes   []*Node

	mu    sync.Mutex
	admin *kadm.Client
}

// New starts a cluster, and returns when all its brokers are there. Stop ends it.
func New(o Options) (*Cluster, error) {
	o.Brokers = max(o.Brokers, 1)
	if o.HeapMB == 0 {
		o.HeapMB = 384
	}
	c := &Cluster{options: o, id: newID(), folder: o.Folder}
	var err error
	if c.jars, err = jars(); err != nil {
		return nil, err
	}
	if c.folder == "" {
		if c.folder, err = os.MkdirTemp("", "kafkatest"); err != nil {
			return nil, err
		}
	}
	if c.access, err = newAccess(o, c.folder); err != nil {
		return nil, err
	}
	for id := 1; id <= o.Brokers; id++ {
		c.nodes = append(c.nodes, &Node{cluster: c, ID: id, folder: filepath.Join(c.folder, fmt.Sprint("broker-", id))})
	}
	if err := c.start(); err != nil {
		return nil, errors.Join(err, c.Stop())
	}
	return c, nil
}

// newID returns an id of a cluster: 128 bits in base64.
func newID() string {
	id := make([]byte, 16)
	_, _ = rand.Read(id) // never fails
	id[0] &= 0x7f        // a dash at the beginning would be an option
	return base64.RawURLEncoding.EncodeToString(id)
}

// start starts all brokers. A port that looked free can be taken by the time a broker listens
// there, so it tries again with others.
func (c *Cluster) start() (err error) {
	for range 3 {
		if err = c.startOnce(); err == nil || !strings.Contains(c.Logs(), "Address already in use") {
			return err
		}
		c.end()
		for _, n := range c.nodes {
			_ = os.RemoveAll(n.folder)
			_ = os.Remove(n.log())
		}
	}
	return err
}

// end kills all brokers, and closes the client that knows their addresses.
func (c *Cluster) end() {
	c.mu.Lock()
	if c.admin != nil {
		c.admin.Close()
		c.admin = nil
	}
	c.mu.Unlock()
	for _, n := range c.nodes {
		n.kill()
	}
}

func (c *Cluster) startOnce() error {
	for _, n := range c.nodes {
		if err := n.choosePorts(); err != nil {
			return err
		}
	}
	failed := make(chan error, len(c.nodes))
	for _, n := range c.nodes {
		go func() {
			err := n.format()
			if err == nil {
				err = n.launch()
			}
			failed <- err
		}()
	}
	var err error
	for range c.nodes {
		err = errors.Join(err, <-failed)
	}
	if err != nil {
		return err
	}
	for _, n := range c.nodes {
		if err := n.ready(); err != nil {
			return err
		}
	}
	return nil
}

// Start starts a cluster that ends with the test. If the test fails, the brokers' logs stay, and
// the test says where.
func Start(tb testing.TB, o Options) *Cluster {
	tb.Helper()
	c, err := New(o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if tb.Failed() {
			tb.Logf("the brokers' logs: %s", c.Keep())
		}
		if err := c.Stop(); err != nil {
			tb.Error(err)
		}
	})
	return c
}

// Stop kills the brokers and removes their data.
func (c *Cluster) Stop() error {
	c.end()
	if c.options.Folder != "" {
		return nil
	}
	return os.RemoveAll(c.folder)
}

// Folder is where data and logs are.
func (c *Cluster) Folder() string { return c.folder }

// Node returns a broker by its number, from 1.
func (c *Cluster) Node(id int) *Node { return c.nodes[id-1] }

// Seeds are the addresses at which brokers speak without security.
func (c *Cluster) Seeds() (list []string) {
	for _, n := range c.nodes {
		list = append(list, n.Address())
	}
	return list
}

// Secure are the addresses with TLS, SASL or both, as the options say.
func (c *Cluster) Secure() (list []string) {
	for _, n := range c.nodes {
		list = append(list, fmt.Sprintf("127.0.0.1:%d", n.secure))
	}
	return list
}

// Logs returns what the brokers have logged.
func (c *Cluster) Logs() string {
	var b strings.Builder
	for _, n := range c.nodes {
		text, _ := os.ReadFile(n.log())
		fmt.Fprintf(&b, "broker %d:\n%s", n.ID, text)
	}
	return b.String()
}

// Keep copies the brokers' logs to a file that stays, and returns its path.
func (c *Cluster) Keep() string {
	f, err := os.CreateTemp("", "kafkatest-*.log")
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	if _, err := f.WriteString(c.Logs()); err != nil {
		return err.Error()
	}
	return f.Name()
}

// Opts are the options of a kgo client without security.
func (c *Cluster) Opts() []kgo.Opt { return []kgo.Opt{kgo.SeedBrokers(c.Seeds()...)} }

// Admin returns the cluster's client for administration. It ends with the cluster.
func (c *Cluster) Admin() (*kadm.Client, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.admin == nil {
		client, err := kgo.NewClient(c.Opts()...)
		if err != nil {
			return nil, err
		}
		c.admin = kadm.NewClient(client)
	}
	return c.admin, nil
}

var versioned = regexp.MustCompile(`<kafka\.version>(.*)</kafka\.version>`)

// jars returns the folder into which scripts/kafka.sh has fetched Kafka.
func jars() (string, error) {
	folder := os.Getenv("RTBWIRE_KAFKA")
	if folder == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		folder = filepath.Join(cache, "rtbwire", "kafka-"+versioned.FindStringSubmatch(packages)[1])
	}
	if found, _ := filepath.Glob(filepath.Join(folder, "kafka_*.jar")); len(found) == 0 {
		return "", fmt.Errorf("no Kafka in %s: scripts/kafka.sh fetch", folder)
	}
	return folder, nil
}
