package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

// TestCurl runs the commands with curl in docs/gateway.md, on both planes: each has the status and
// the sentence that its comment says.
func TestCurl(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("needs curl")
	}
	page, err := os.ReadFile(testkit.Path(t, "docs/gateway.md"))
	if err != nil {
		t.Fatal(err)
	}
	commands := regexp.MustCompile(`(?m)^    ((?:gzip [^|#]*\| )?curl [^#\n]*?) +# (\d{3})(?:: (.*))?.*$`).FindAllStringSubmatch(string(page), -1)
	if len(commands) < 5 {
		t.Fatalf("%d commands", len(commands))
	}
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) }))
	defer upstream.Close()
	for _, plane := range []string{"fast", "std"} {
		p := startServe(t, false, "--http", plane, "--upstream", upstream.URL)
		folder := t.TempDir()
		replace(t, filepath.Join(folder, "request.json"), goodRequest)
		for _, c := range commands {
			text := strings.ReplaceAll(strings.Replace(c[1], "curl ", "curl -s -o answer -w '%{http_code}' ", 1), "127.0.0.1:8080", p.address)
			command := exec.Command("bash", "-c", text)
			command.Dir = folder
			status, err := command.Output()
			answer, _ := os.ReadFile(filepath.Join(folder, "answer"))
			if err != nil || string(status) != c[2] || c[3] != "" && strings.TrimSpace(string(answer)) != c[3] {
				t.Errorf("%s, %s: %s %q %v, want %s %q", plane, c[1], status, answer, err, c[2], c[3])
			}
			_ = os.Remove(filepath.Join(folder, "answer"))
		}
	}
}
