package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rtbwire/rtbwire/lab/data"
	"github.com/rtbwire/rtbwire/lab/measure"
)

// startWorker builds a package of the lab, if need be with an experiment of Go, and starts it as a
// worker. stop ends it and removes the program.
func startWorker(pkg, experiment string, args ...string) (p *measure.Process, stop func(), err error) {
	root, err := data.Root()
	if err != nil {
		return nil, nil, err
	}
	folder, err := os.MkdirTemp("", "playbook-")
	if err != nil {
		return nil, nil, err
	}
	remove := func() { _ = os.RemoveAll(folder) }
	program := filepath.Join(folder, "worker")
	build := exec.Command("go", "build", "-o", program, pkg)
	build.Dir = filepath.Join(root, "..", "lab")
	build.Env = os.Environ()
	if experiment != "" {
		build.Env = append(build.Env, "GOEXPERIMENT="+experiment)
	}
	if out, err := build.CombinedOutput(); err != nil {
		remove()
		return nil, nil, fmt.Errorf("building %s: %w: %s", pkg, err, strings.TrimSpace(string(out)))
	}
	if core != nil {
		args = append([]string{"--core", strconv.Itoa(*core)}, args...)
	}
	if p, err = measure.Start(program, args...); err != nil {
		remove()
		return nil, nil, err
	}
	return p, func() { _ = p.Close(); remove() }, nil
}
