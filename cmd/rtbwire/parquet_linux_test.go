package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestParquetFullDisk writes a table to a disk that is full before it is complete: within the
// input, when a row group is, or at its end. It takes the right to mount one.
func TestParquetFullDisk(t *testing.T) {
	for _, documents := range []int{200_000, 20_000} {
		t.Run(fmt.Sprint(documents), func(t *testing.T) { fullDisk(t, documents) })
	}
}

func fullDisk(t *testing.T, documents int) {
	folder := t.TempDir()
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "size=64k"); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(folder, syscall.MNT_DETACH) })
	name := filepath.Join(folder, "out.parquet")
	if err := os.WriteFile(name, []byte("older"), 0o600); err != nil {
		t.Fatal(err)
	}
	var in bytes.Buffer
	for i := range documents {
		fmt.Fprintf(&in, `{"id":"%x","imp":[{}]}`+"\n", uint32(i*2654435761)) // which does not compress well
	}
	c := exec.Command("rtbwire", "check", "--format", "parquet", "--output", name, "--fail-on", "never", "-")
	c.Stdin = &in
	out, err := c.CombinedOutput()
	if c.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), "cannot write the report: ") || !strings.Contains(string(out), "no space left on device") {
		t.Errorf("%v: %s", err, out)
	}
	if text, err := os.ReadFile(name); err != nil || string(text) != "older" {
		t.Errorf("the older file: %q, %v", text, err)
	}
	if names := filesOf(t, folder); len(names) != 1 {
		t.Errorf("files %q", names)
	}
}
