package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// programs are the commands of an archive.
var programs = []string{"rtbwire", "rtbwire-gen"}

// settings are those of the environment that change what the compiler writes.
var settings = []string{"CGO_ENABLED=0", "GOWORK=off", "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=", "GOFIPS140=off"}

// run runs a command for a platform, or for this machine, and returns what it prints.
func (p platform) run(name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), settings...)
	if p.os != "" {
		cmd.Env = append(cmd.Env, "GOOS="+p.os, "GOARCH="+p.arch)
	}
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(append([]string{name}, args...), " "), err, &complaints)
	}
	return out, nil
}

// compile builds the programs into a folder.
func (r *release) compile(p platform, folder string) error {
	args := append([]string{"build"}, r.flags...)
	args = append(args, "-o", folder+string(filepath.Separator))
	for _, name := range programs {
		args = append(args, "./cmd/"+name)
	}
	_, err := p.run("go", args...)
	return err
}

// newRelease empties the folder out, builds the programs for this machine and asks them which
// version they are.
func newRelease(out, scratch string) (*release, error) {
	r := &release{out: out, scratch: scratch}
	flags := "-s -w"
	tag := os.Getenv("RELEASE")
	if tag != "" {
		flags += " -X github.com/rtbwire/rtbwire/internal/version.release=" + tag
	}
	r.flags = []string{"-trimpath", "-ldflags=" + flags}
	if err := errors.Join(os.RemoveAll(out), os.MkdirAll(out, 0o755)); err != nil { //nolint:gosec // for everyone to read
		return nil, err
	}
	if err := r.compile(platform{}, r.host()); err != nil {
		return nil, err
	}
	text, err := platform{}.run(filepath.Join(r.host(), "rtbwire"), "version", "--format", "json")
	if err != nil {
		return nil, err
	}
	line, err := platform{}.run(filepath.Join(r.host(), "rtbwire"), "--version")
	if err != nil {
		return nil, err
	}
	r.version = strings.TrimPrefix(strings.TrimSpace(string(line)), "rtbwire ")
	var build struct {
		Commit     string `json:"commit"`
		CommitTime string `json:"commit_time"`
	}
	if err := json.Unmarshal(text, &build); err != nil {
		return nil, err
	}
	r.commit = build.Commit
	r.time, err = releaseTime(os.Getenv("SOURCE_DATE_EPOCH"), build.CommitTime)
	return r, err
}

// host is the folder with the programs for this machine.
func (r *release) host() string { return filepath.Join(r.scratch, "host") }

// releaseTime returns the time that all files get: epoch, in seconds, or that of the commit.
func releaseTime(epoch, commit string) (time.Time, error) {
	switch {
	case epoch != "":
		seconds, err := strconv.ParseInt(epoch, 10, 64)
		if err != nil {
			return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH=%s: want seconds since 1970", epoch)
		}
		return time.Unix(seconds, 0).UTC(), nil
	case commit != "":
		return time.Parse(time.RFC3339, commit)
	}
	return time.Time{}, errors.New("there is no commit to take the time from: build in a clone, not in a worktree, or set SOURCE_DATE_EPOCH, and RELEASE to the tag")
}

// build builds the programs of a platform.
func (r *release) build(p platform) (files []file, err error) {
	folder := filepath.Join(r.scratch, p.String())
	if err := r.compile(p, folder); err != nil {
		return nil, err
	}
	for _, name := range programs {
		data, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return nil, err
		}
		files = append(files, file{name, modeProgram, data})
	}
	return files, nil
}

// shells are those that completions are written for, with the names that they look for.
var shells = map[string]string{"bash": "rtbwire", "zsh": "_rtbwire", "fish": "rtbwire.fish"}

// pages are the manual pages and the completions. The programs of this machine write them.
func (r *release) pages() (files []file, err error) {
	command := filepath.Join(r.host(), "rtbwire")
	folder := filepath.Join(r.scratch, "man")
	if _, err := (platform{}).run(command, "man", folder); err != nil {
		return nil, err
	}
	written, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		return nil, err
	}
	for _, name := range written {
		page, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files = append(files, file{"man/man1/" + filepath.Base(name), modeFile, page})
	}
	page, err := platform{}.run(filepath.Join(r.host(), "rtbwire-gen"), "--man")
	if err != nil {
		return nil, err
	}
	files = append(files, file{"man/man1/rtbwire-gen.1", modeFile, page})
	for shell, name := range shells {
		script, err := platform{}.run(command, "completion", shell)
		if err != nil {
			return nil, err
		}
		files = append(files, file{"completions/" + shell + "/" + name, modeFile, script})
	}
	return files, nil
}
