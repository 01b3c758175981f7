// Command document writes the reference page and the JSON Schema of the configuration file.
package main

import (
	"flag"
	"log"
	"os"
	"path/filepath"

	"github.com/rtbwire/rtbwire/config"
	_ "github.com/rtbwire/rtbwire/gateway"
	_ "github.com/rtbwire/rtbwire/internal/serving/admin"
	_ "github.com/rtbwire/rtbwire/internal/serving/logs"
	_ "github.com/rtbwire/rtbwire/internal/serving/transport"
	_ "github.com/rtbwire/rtbwire/stream/files"
	_ "github.com/rtbwire/rtbwire/stream/kafka"
	_ "github.com/rtbwire/rtbwire/stream/upstream"
)

func main() {
	out := flag.String("out", "docs", "the folder to write to")
	flag.Parse()
	for name, text := range map[string][]byte{
		"configuration.md":          []byte(config.Reference()),
		"configuration.schema.json": config.JSONSchema(),
	} {
		if err := os.WriteFile(filepath.Join(*out, name), text, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
