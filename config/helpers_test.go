package config

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	// What a file may say depends on the packages of the program: these are all.
	_ "github.com/rtbwire/rtbwire/gateway"
	_ "github.com/rtbwire/rtbwire/internal/serving/admin"
	_ "github.com/rtbwire/rtbwire/internal/serving/logs"
	_ "github.com/rtbwire/rtbwire/internal/serving/tracing"
	_ "github.com/rtbwire/rtbwire/internal/serving/transport"
	_ "github.com/rtbwire/rtbwire/internal/verdictlog"
	_ "github.com/rtbwire/rtbwire/stream/files"
	_ "github.com/rtbwire/rtbwire/stream/kafka"
	_ "github.com/rtbwire/rtbwire/stream/upstream"
)

var update = flag.Bool("update", false, "write the golden files again")

// write makes a folder of files from a text: "-- name --" begins each.
func write(t *testing.T, archive string) string {
	t.Helper()
	dir := t.TempDir()
	for _, part := range strings.Split(archive, "\n-- ")[1:] {
		name, text, found := strings.Cut(part, " --\n")
		if !found {
			t.Fatalf("no name: %q", part)
		}
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// mustParse parses a text without problems.
func mustParse(t *testing.T, text string) *Config {
	t.Helper()
	c, problems := Parse("x.yaml", text, Options{})
	if len(problems) > 0 {
		t.Fatalf("%s\n%v", text, problems)
	}
	return c
}
