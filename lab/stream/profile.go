package stream

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
)

// profileSeconds is how long a profile is.
const profileSeconds = 2

// takeProfile begins to take a profile of a contestant that starts. wait waits for its end.
func (l *lab) takeProfile(c *contestant, admin string) (wait func() error) {
	done := make(chan error, 1)
	go func() { done <- l.profile(filepath.Join(l.profiles, c.name+".pprof"), admin) }()
	return func() error { return <-done }
}

// profile writes a profile into a file. The port may open a little later.
func (l *lab) profile(file, admin string) error {
	url := fmt.Sprintf("http://%s/debug/pprof/profile?seconds=%d", admin, profileSeconds)
	var answer *http.Response
	err := waitFor(l.ctx, "the port of administration", stopMax, step, func() (bool, error) {
		r, err := http.NewRequestWithContext(l.ctx, http.MethodGet, url, nil)
		if err != nil {
			return false, err
		}
		answer, err = http.DefaultClient.Do(r)
		return err == nil, nil
	})
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s: %w", url, answer.Status, err)
	}
	if err := os.MkdirAll(l.profiles, 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o644)
}
