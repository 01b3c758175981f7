package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// TestServeInContainer runs serve in a control group whose parent has a limit on memory, as it is
// in a container of a pod. It takes the right to make such groups.
func TestServeInContainer(t *testing.T) {
	const limit = 500 << 20
	root, file := "/sys/fs/cgroup/memory", "memory.limit_in_bytes"
	if _, err := os.Stat(root); err != nil {
		root, file = "/sys/fs/cgroup", "memory.max"
	}
	parent := filepath.Join(root, "rtbwire-test-"+strconv.Itoa(os.Getpid()))
	child := filepath.Join(parent, "inner")
	t.Cleanup(func() { _, _ = os.Remove(child), os.Remove(parent) })
	if err := os.MkdirAll(child, 0o755); err != nil {
		t.Skip(err)
	}
	if err := os.WriteFile(filepath.Join(parent, file), []byte(strconv.Itoa(limit)), 0o644); err != nil {
		t.Skip(err)
	}
	if _, err := os.Stat(filepath.Join(child, "cgroup.procs")); err != nil {
		t.Skip(err)
	}
	serve, err := exec.LookPath("rtbwire")
	if err != nil {
		t.Fatal(err)
	}
	p := startProcess(t, false, exec.Command("sh", "-c", `echo $$ >"$0/cgroup.procs" && exec "$@"`, child, serve,
		"serve", "--listen", "127.0.0.1:0", "--upstream", "http://127.0.0.1:9"))
	if want := "bytes=" + strconv.Itoa(limit*9/10) + " source=container"; !regexp.MustCompile(want).MatchString(p.Text()) {
		t.Errorf("%s is not in the log: %s", want, p.Text())
	}
	p.Stop(t)
}
