package kafkatest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/testkit/parent"
)

// Node is one broker.
type Node struct {
	ID int

	cluster                   *Cluster
	folder                    string
	plain, secure, controller int // ports

	command *exec.Cmd
	ended   chan struct{} // closed when it has ended
}

// Address is where the broker speaks without security.
func (n *Node) Address() string { return fmt.Sprintf("127.0.0.1:%d", n.plain) }

// log is the path of the broker's log.
func (n *Node) log() string { return n.folder + ".log" }

// choosePorts finds three free ports. They are below those that the system gives to outgoing
// connections, so that they are still free when the broker starts again.
func (n *Node) choosePorts() error {
	for _, port := range []*int{&n.plain, &n.secure, &n.controller} {
		*port = 0
		for range 100 {
			try := 10000 + rand.IntN(20000)
			ln, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", try))
			if err == nil {
				_ = ln.Close()
				*port = try
				break
			}
		}
		if *port == 0 {
			return errors.New("kafkatest: no free port")
		}
	}
	return nil
}

// java returns the command for a class of Kafka.
func (n *Node) java(heapMB int, class string, args ...string) *exec.Cmd {
	return exec.Command("java", append([]string{
		fmt.Sprintf("-Xmx%dm", heapMB), "-Xms128m", "-XX:+UseSerialGC", "-Xshare:auto",
		"-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-Dorg.slf4j.simpleLogger.showDateTime=true",
		"-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS",
		"-cp", filepath.Join(n.cluster.jars, "*"), class,
	}, args...)...)
}

func (n *Node) properties() string { return filepath.Join(n.folder, "server.properties") }

// format writes the settings and prepares the folder for data.
func (n *Node) format() error {
	if err := os.MkdirAll(n.folder, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(n.properties(), []byte(n.settings()), 0o600); err != nil {
		return err
	}
	out, err := n.java(128, "kafka.tools.StorageTool", "format", "-t", n.cluster.id, "-c", n.properties()).CombinedOutput()
	if err != nil {
		return fmt.Errorf("kafkatest: format broker %d: %w\n%s", n.ID, err, out)
	}
	return nil
}

// launch starts the process.
func (n *Node) launch() error {
	out, err := os.OpenFile(n.log(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer out.Close()
	cmd := n.java(n.cluster.options.HeapMB, "kafka.Kafka", n.properties())
	cmd.Stdout, cmd.Stderr = out, out
	parent.EndWith(cmd)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("kafkatest: %w", err)
	}
	ended := make(chan struct{})
	n.command, n.ended = cmd, ended
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	return nil
}

// ready waits until the broker answers and the cluster knows it.
func (n *Node) ready() error {
	end := time.Now().Add(Patience)
	for ; time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if n.gone() {
			return fmt.Errorf("kafkatest: broker %d has ended:\n%s", n.ID, n.tail())
		}
		c, err := net.DialTimeout("tcp", n.Address(), time.Second)
		if err != nil {
			continue
		}
		_ = c.Close()
		if n.known() {
			return nil
		}
	}
	return fmt.Errorf("kafkatest: broker %d is not ready after %v:\n%s", n.ID, Patience, n.tail())
}

// known says whether the cluster lists the broker.
func (n *Node) known() bool {
	admin, err := n.cluster.Admin()
	if err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	brokers, err := admin.ListBrokers(ctx)
	if err != nil {
		return false
	}
	for _, b := range brokers {
		if int(b.NodeID) == n.ID {
			return true
		}
	}
	return false
}

// tail returns the end of the log.
func (n *Node) tail() string {
	text, _ := os.ReadFile(n.log())
	lines := strings.SplitAfter(string(text), "\n")
	return strings.Join(lines[max(0, len(lines)-20):], "")
}

// kill ends the process at once.
func (n *Node) kill() {
	if n.command != nil {
		_ = n.command.Process.Kill()
		<-n.ended
	}
}

// gone says whether the broker does not run.
func (n *Node) gone() bool {
	select {
	case <-n.ended:
		return true
	default:
		return false
	}
}

// Kill ends the broker with SIGKILL. Its data stay.
func (n *Node) Kill() { n.kill() }

// Shut ends the broker as an operator does, with SIGTERM: it hands over what it leads.
func (n *Node) Shut(tb testing.TB) {
	tb.Helper()
	if err := n.command.Process.Signal(syscall.SIGTERM); err != nil {
		tb.Fatal(err)
	}
	select {
	case <-n.ended:
	case <-time.After(Patience):
		tb.Fatalf("broker %d does not end:\n%s", n.ID, n.tail())
	}
}

// Launch starts the broker again on its data, at the same ports, and waits until it is ready.
func (n *Node) Launch(tb testing.TB) {
	tb.Helper()
	if err := n.launch(); err != nil {
		tb.Fatal(err)
	}
	if err := n.ready(); err != nil {
		tb.Fatal(err)
	}
}

// PID is the process that the broker runs in, the last one if it was started again.
func (n *Node) PID() int { return n.command.Process.Pid }
