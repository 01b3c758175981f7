package setting_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/setting"
)

// TestSecrets refuses tokens that are missing or empty: everybody would have them.
func TestSecrets(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, tt := range []struct {
		secret  setting.Secret
		token   string
		problem string
	}{
		{setting.Secret{}, "", ""},
		{setting.Secret{Variable: "T"}, "from env", ""},
		{setting.Secret{Variable: "EMPTY"}, "", "empty or not set"},
		{setting.Secret{Variable: "MISSING"}, "", "empty or not set"},
		{setting.Secret{File: file("good", " from file\n")}, "from file", ""},
		{setting.Secret{File: file("empty", "\n")}, "", "empty or not set"},
		{setting.Secret{File: file("long", strings.Repeat("x", 4097))}, "", "4097 bytes"},
		{setting.Secret{File: filepath.Join(dir, "none")}, "", "no such file"},
	} {
		got, err := tt.secret.Read([]string{"T=from env", "EMPTY="})
		if got != tt.token || (err == nil) != (tt.problem == "") || err != nil && !strings.Contains(err.Error(), tt.problem) {
			t.Errorf("%+v: %q, %v", tt.secret, got, err)
		}
	}
}
