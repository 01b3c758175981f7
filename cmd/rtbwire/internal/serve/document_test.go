package serve

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/gateway"
)

// TestPage checks the configurations of docs/gateway.md as "rtbwire serve --check" does, with the
// files and the variable that they name.
func TestPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../../docs/gateway.md")
	if err != nil {
		t.Fatal(err)
	}
	tokens := 0
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	for _, block := range blocks {
		dir := t.TempDir()
		for name, text := range map[string]string{"rtbwire.yaml": block[1], "rates.csv": "EUR,1.08\n", "secrets/exchange-a": "token-a\n"} {
			name = filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s, problems := config.Open(filepath.Join(dir, "rtbwire.yaml"), config.OpenOptions{})
		if len(problems) > 0 {
			t.Errorf("%v\n%s", problems, block[1])
			continue
		}
		environ := []string{"EXCHANGE_B_TOKEN=token-b"}
		own, err := gateway.Configured(&s.Config.Scope, environ)
		if err != nil {
			t.Errorf("%v\n%s", err, block[1])
			continue
		}
		o := own.Options
		o.Engine = s.Engine
		done, err := (&state{Dry: true}).use(&s.Config.Scope, environ, &o)
		if err != nil {
			t.Errorf("%v\n%s", err, block[1])
			continue
		}
		if _, err := gateway.New(o); err != nil {
			t.Errorf("%v\n%s", err, block[1])
		}
		done(false)
		for i := range o.Partners {
			if strings.HasPrefix(o.Partners[i].Match.Token, "token-") {
				tokens++
			}
		}
	}
	if len(blocks) != 6 || tokens != 2 {
		t.Errorf("%d configurations with %d tokens", len(blocks), tokens)
	}
}
