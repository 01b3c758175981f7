package stream

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
)

// TestFiles runs a stream from a folder to files, until it is stopped.
func TestFiles(t *testing.T) {
	root := t.TempDir()
	path := func(name string) string { return filepath.Join(root, name) }
	if err := os.Mkdir(path("in"), 0o700); err != nil {
		t.Fatal(err)
	}
	const good, bad = `{"id":"1","imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"page":"https://example.com/"}}` + "\n", "bad\n"
	if err := os.WriteFile(path("in/a.ndjson"), []byte(good+bad), 0o600); err != nil {
		t.Fatal(err)
	}
	f := parsed(t, "--source-dir", path("in"), "--positions", path("positions.json"), "--accepted-file", path("ok"), "--dead-letters-file", path("refused"))
	var log bytes.Buffer
	env := &cli.Env{Stdout: &log, Stderr: &log, Getenv: func(string) string { return "" }}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, env, f) }()
	read := func(name string) string {
		text, _ := os.ReadFile(path(name))
		return string(text)
	}
	for end := time.Now().Add(time.Minute); (read("ok") == "" || read("refused") == "") && len(ended) == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("nothing arrived")
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Fatalf("%v\n%s", err, log.String())
	}
	if read("ok") != good || !strings.Contains(read("refused"), `"source":"a.ndjson/0/96"`) || !strings.Contains(read("positions.json"), `"position": 100`) {
		t.Errorf("%q, %q, %q", read("ok"), read("refused"), read("positions.json"))
	}
}

// TestFilesUsage refuses what can't be read and written, and opens nothing for --check.
func TestFilesUsage(t *testing.T) {
	root := t.TempDir()
	path := func(name string) string { return filepath.Join(root, name) }
	whole := []string{"--source-dir", root, "--positions", path("positions"), "--accepted-file", path("ok"), "--dead-letters-file", path("refused")}
	for _, tt := range []struct {
		args []string
		want string
	}{
		{whole, ""},
		{whole[2:], "want --source-dir"},
		{append(slices.Clip(whole), "--topic", "bids"), "--source-dir and --topic"},
		{append(slices.Clip(whole), "--dead-letters", "bids"), "topics are not written"},
		{append([]string{"--source-dir", root}, whole[4:]...), "want --positions"},
		{append(slices.Clip(whole), "--upstream", "http://127.0.0.1:1"), "--accepted-file and --upstream"},
		{append(whole[:4:4], whole[6:]...), "want --accepted-file"},
		{whole[:6], "want --dead-letters-file"},
		{append(slices.Clip(whole), "--responses-file", path("answers")), "--responses-file"},
		{append(whole[:6:6], "--dead-letters-file", path("ok")), "want a file for each"},
		{append(whole[:6:6], "--dead-letters-file", path("refused.ndjson")), "is written"},
	} {
		var out bytes.Buffer
		env := &cli.Env{Stdout: &out, Stderr: &out, Getenv: func(string) string { return "" }}
		err := run(t.Context(), env, parsed(t, append(tt.args, "--check")...))
		if tt.want == "" && (err != nil || !strings.Contains(out.String(), "would read the files")) || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%q: got %v, want %q\n%s", tt.args, err, tt.want, out.String())
		}
	}
	if all, err := os.ReadDir(root); err != nil || len(all) > 0 {
		t.Errorf("%v, %v: want no files", all, err)
	}
}
