// Command document writes the reference page and the JSON Schema of the configuration file, and
// what settings were called before.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/rtbwire/rtbwire/config"
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

func main() {
	out := flag.String("out", "docs/reference", "the folder to write to")
	flag.Parse()
	for name, text := range map[string][]byte{
		"configuration.md":          []byte(config.Reference()),
		"configuration.schema.json": config.JSONSchema(),
	} {
		if err := os.WriteFile(filepath.Join(*out, name), text, 0o644); err != nil {
			log.Fatal(err)
		}
	}
	if err := renamed(filepath.Join(*out, "renamed.md")); err != nil {
		log.Fatal(err)
	}
}

// renamed writes the table of settings into the page about names.
func renamed(file string) error {
	page, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	before, rest, found := strings.Cut(string(page), config.RenamedBegin)
	_, after, ended := strings.Cut(rest, config.RenamedEnd)
	if !found || !ended {
		return fmt.Errorf("%s has no place for the settings: expected the lines %q and %q", file, config.RenamedBegin, config.RenamedEnd)
	}
	return os.WriteFile(file, []byte(before+config.RenamedBegin+config.Renamed()+config.RenamedEnd+after), 0o644)
}
