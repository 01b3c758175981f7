package engine_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/lab/engine"
)

// What an engine names as the source of its configuration has it: an address, or a file with a
// text.
func TestSources(t *testing.T) {
	folders := map[string]string{}
	folder := func(e *engine.Engine) string {
		query := []string{"env", "GOROOT"}
		if e.Module != "" {
			query = []string{"list", "-m", "-f", "{{.Dir}}", e.Module}
		}
		if folders[e.Module] == "" {
			out, err := exec.Command("go", query...).Output()
			if err != nil {
				t.Fatalf("go %v: %v", query, err)
			}
			folders[e.Module] = strings.TrimSpace(string(out))
		}
		return folders[e.Module]
	}
	for _, e := range engine.All() {
		if strings.HasPrefix(e.Source, "https://") {
			continue
		}
		file, text, ok := strings.Cut(e.Source, ": ")
		if !ok {
			t.Errorf("%s is recommended by %q, which is neither an address nor FILE: TEXT", e.Name, e.Source)
			continue
		}
		switch {
		case strings.HasPrefix(file, "lab/"):
			file = filepath.Join("..", "..", file)
		case e.Module == "":
			file = filepath.Join(folder(&e), "src", file)
		default:
			file = filepath.Join(folder(&e), file)
		}
		content, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(content), text) {
			t.Errorf("%s is recommended by %q, which is not there (%v)", e.Name, e.Source, err)
		}
	}
}
