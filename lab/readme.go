package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/rtbwire/rtbwire/lab/check"
	"github.com/rtbwire/rtbwire/lab/report"
)

// The README of the repository shows one run or none, between these lines. The first names its
// file.
const (
	readmeBegin = `<!-- lab: written by "cd lab && go run . readme %s" -->` + "\n"
	readmeEnd   = "<!-- /lab -->"
	readmeFile  = "../README.md"
	pictureFile = "../docs/decode.svg"
	verdictFile = "docs/performance.md" // has what a verdict costs
	noRun       = "none"
)

// updateREADME shows the run in the file, or none.
func updateREADME(file string) error {
	if file != noRun {
		file = filepath.ToSlash(filepath.Clean(file))
		if !filepath.IsLocal(file) {
			return fmt.Errorf("%s is not below lab/: the README links to it: %w", file, errUsage)
		}
	}
	text, err := os.ReadFile(readmeFile)
	if err != nil {
		return err
	}
	readme, picture, err := readmeOf(string(text), file)
	if err != nil {
		return err
	}
	if err := os.WriteFile(readmeFile, []byte(readme), 0o644); err != nil {
		return err
	}
	if picture == "" {
		if err := os.Remove(pictureFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	return os.WriteFile(pictureFile, []byte(picture), 0o644)
}

// readmeOf returns the README with the run in it, and the picture.
func readmeOf(readme, file string) (text, picture string, err error) {
	before, shown, ok := cutREADME(readme)
	if !ok {
		return "", "", fmt.Errorf("README.md has no place for results: a line that begins with %q and one %q", "<!-- lab:", readmeEnd)
	}
	section := report.NoREADME
	if file != noRun {
		r, err := report.Read(file)
		if err != nil {
			return "", "", err
		}
		if section, err = r.README(path.Join("lab", file)); err != nil {
			return "", "", fmt.Errorf("%s: %w", file, err)
		}
		picture = r.Picture()
		verdict, err := verdictLine()
		if err != nil {
			return "", "", err
		}
		section += verdict
	}
	_, after, _ := strings.Cut(shown, readmeEnd)
	return before + fmt.Sprintf(readmeBegin, file) + section + readmeEnd + after, picture, nil
}

// verdictLine returns the sentence about the cost of a verdict.
func verdictLine() (string, error) {
	page, err := os.ReadFile(verdictFile)
	if err != nil {
		return "", err
	}
	banner, app, err := check.VerdictTimes(page)
	if err != nil {
		return "", fmt.Errorf("%s: %w", verdictFile, err)
	}
	return fmt.Sprintf("\nA verdict (decoding, rules, policy, payloads, fraud score) takes %.1f µs for the banner and %.1f µs for the app:\n[what it consists of](%s#what-a-verdict-costs).\n",
		banner.Seconds()*1e6, app.Seconds()*1e6, path.Join("lab", verdictFile)), nil
}

// cutREADME splits the README in front of the results.
func cutREADME(text string) (before, rest string, ok bool) {
	i := strings.Index(text, "<!-- lab:")
	if i < 0 || !strings.Contains(text[i:], readmeEnd) {
		return "", "", false
	}
	return text[:i], text[i:], true
}
