package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// bomTool lists the modules that a program links on a platform. The licences that it recognizes are
// evidence, as the format calls it, because a guess can be wrong; the texts are in the archives. It
// runs as a program of its own, or this module would have its hundred dependencies.
const bomTool = "github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0"

// boms returns the lists of the modules of the programs, in CycloneDX's format.
func (r *release) boms(p platform) (files []file, err error) {
	tool := filepath.Join(r.scratch, "tools")
	if _, err := os.Stat(tool); err != nil { // it is for this machine, whatever the platform
		if _, err := (platform{}).run("env", "GOBIN="+tool, "go", "install", bomTool); err != nil {
			return nil, err
		}
	}
	for _, program := range programs {
		text, err := p.run(filepath.Join(tool, "cyclonedx-gomod"), "app", "-json", "-std", "-licenses", "-noserial",
			"-main", "cmd/"+program, ".")
		if err != nil {
			return nil, err
		}
		if text, err = r.same(text); err != nil {
			return nil, fmt.Errorf("list of the modules of %s: %w", program, err)
		}
		files = append(files, file{program + ".cdx.json", modeFile, text})
	}
	return files, nil
}

// same makes a list one that has the same bytes wherever and whenever it is made: it has the time
// of the release, and not the digests of the tool, which differ from machine to machine.
func (r *release) same(text []byte) ([]byte, error) {
	var bom map[string]any
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber()
	if err := in.Decode(&bom); err != nil {
		return nil, err
	}
	about, ok := bom["metadata"].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("metadata is %T, want an object", bom["metadata"])
	}
	about["timestamp"] = r.time.Format(time.RFC3339)
	withoutHashes(about["tools"])
	components, _ := bom["components"].([]any)
	for _, c := range components {
		// The tool does not find the licence of Go.
		if c, ok := c.(map[string]any); ok && c["name"] == "std" {
			c["licenses"] = []any{map[string]any{"license": map[string]any{"id": "BSD-3-Clause"}}}
		}
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(bom)
	return out.Bytes(), err
}

// withoutHashes removes digests, however deep.
func withoutHashes(v any) {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "hashes")
		for _, inner := range v {
			withoutHashes(inner)
		}
	case []any:
		for _, inner := range v {
			withoutHashes(inner)
		}
	}
}
