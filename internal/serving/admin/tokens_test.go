package admin

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestTokenFiles replaces a token while requests come.
func TestTokenFiles(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "tokens")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const first, second = "first-token-0123", "second-token-0123"
	write("# for operators\n\n" + first + "\r\n")
	var log bytes.Buffer
	tokens, err := newTokens([]string{goodToken}, []string{name}, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	want := func(what string, fixed, one, two bool) {
		t.Helper()
		tokens.looked = time.Time{} // as if the pause was over
		if tokens.have(goodToken) != fixed || tokens.have(first) != one || tokens.have(second) != two {
			t.Errorf("%s: %v %v %v", what, tokens.have(goodToken), tokens.have(first), tokens.have(second))
		}
	}
	want("at the start", true, true, false)
	write(first + "\n" + second + "\n")
	want("both", true, true, true)
	write(second + "\n")
	want("the new one", true, false, true)
	for what, text := range map[string]string{
		"empty": "\n# nothing\n", "short": "short\n", "long": strings.Repeat("x", TokenMax+1), "large": strings.Repeat("x\n", tokenFileMax),
		"many": strings.Repeat(goodToken+"\n", tokensMax),
	} {
		write(text)
		want(what, true, false, true)
	}
	if got := strings.Count(log.String(), "the old ones stay in use"); got != 5 {
		t.Errorf("%d problems:\n%s", got, log.String())
	}
	if strings.Contains(log.String(), second) || strings.Contains(log.String(), goodToken) {
		t.Errorf("the log has a token:\n%s", log.String())
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	want("gone", true, false, true)
	want("still gone", true, false, true)
	if got := strings.Count(log.String(), "the old ones stay in use"); got != 6 {
		t.Errorf("the same problem is logged again:\n%s", log.String())
	}
	if f := tokens.followed(); len(f) != 1 || f[0].Err == nil || f[0].Failures != 6 || f[0].Entries != 2 || f[0].Path != name {
		t.Errorf("%+v", f)
	}
	write(first)
	want("back", true, true, false)
	want("no news", true, true, false)
	if f := tokens.followed()[0]; f.Err != nil || f.Failures != 6 || f.Loads != 4 || f.LoadedAt.IsZero() || strings.Count(log.String(), "tokens for operators were loaded again") != 3 {
		t.Errorf("%+v\n%s", f, log.String())
	}
}

// TestTokenProblems refuses to start with tokens that are none.
func TestTokenProblems(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty")
	if err := os.WriteFile(empty, []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		fixed, files []string
		problem      string
	}{
		{[]string{"short"}, nil, "has 5 characters (want 16 to 512)"},
		{nil, []string{filepath.Join(dir, "none")}, "no such file"},
		{nil, []string{empty}, "has no token"},
		{nil, []string{dir}, "is not a regular file"},
	} {
		if _, err := New(newSource(), Options{Tokens: tt.fixed, TokenFiles: tt.files, Logger: slog.New(slog.DiscardHandler)}); err == nil || !strings.Contains(err.Error(), tt.problem) {
			t.Errorf("%v %v: %v", tt.fixed, tt.files, err)
		}
	}
}
