package http

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
)

func init() { scenarios = append(scenarios, scenario{"names", names}) }

// names has a name with several addresses, which change. The gateway reads them from a file of its
// own in place of /etc/hosts.
func names(t *testing.T, s *shares) {
	first := simulated(t)
	port := first.address[strings.LastIndexByte(first.address, ':'):]
	cores := []member{{"127.0.0.1", first.asked}}
	for _, host := range []string{"127.0.0.2", "127.0.0.3"} {
		cores = append(cores, member{host, launch(t, 1, exec.Command(program, "simulate", "core", "--listen", host+port)).asked})
	}
	hosts := file(t, "hosts", "")
	resolve := func(list ...string) {
		text := ""
		for _, host := range list {
			text += host + " cores.example\n"
		}
		if err := os.WriteFile(hosts, []byte(text), 0o600); err != nil { // in place: the file itself is mounted
			t.Fatal(err)
		}
	}
	resolve("127.0.0.1", "127.0.0.2")
	config := file(t, "rtbwire.yaml", balancedText(fmt.Sprintf("upstreams: [{name: cores, url: \"http://cores.example%s\"}]", port), "dns_interval: 100ms"))
	c := &cluster{serveWith(t, "fast", func(cmd *exec.Cmd) { withHosts(t, cmd, hosts) }, "--config", config), config, cores}
	addresses := func(n float64) {
		t.Helper()
		waitFor(t, fmt.Sprint(n, " addresses"), func() bool { return c.addresses(t, "cores", "healthy") == n })
	}
	addresses(2)
	s.want(t, "a name with two addresses", c, s.unharmed(t, c, path), 1, 1, 0)
	resolve("127.0.0.1", "127.0.0.2", "127.0.0.3")
	addresses(3)
	s.want(t, "a third address", c, s.unharmed(t, c, path), 1, 1, 1)
	resolve("127.0.0.3")
	addresses(1)
	s.want(t, "two are gone", c, s.unharmed(t, c, path), 0, 0, 1)
	resolve()
	waitFor(t, "a failed resolution", func() bool {
		return c.metrics(t)[`rtbwire_gateway_upstream_resolve_failures_total{upstream="cores"}`] > 0
	})
	s.want(t, "the name has no address: the last one stays", c, s.unharmed(t, c, path), 0, 0, 1)
}

// withHosts has a command see a file in place of /etc/hosts.
func withHosts(t *testing.T, cmd *exec.Cmd, hosts string) {
	t.Helper()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	const mount = `mount --bind "$0" /etc/hosts && exec "$@"`
	isolated := func() *syscall.SysProcAttr {
		attr := &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
		if os.Getuid() != 0 {
			attr = &syscall.SysProcAttr{
				Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
				UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
				GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
			}
		}
		return attr
	}
	try := exec.Command(shell, "-c", mount, hosts, "true")
	try.SysProcAttr = isolated()
	if out, err := try.CombinedOutput(); err != nil {
		t.Skipf("no file system of its own for a process here: %v %s", err, out)
	}
	cmd.Args = slices.Concat([]string{shell, "-c", mount, hosts}, cmd.Args)
	cmd.Path, cmd.SysProcAttr = shell, isolated()
}
