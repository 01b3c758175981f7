package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/lab/check"
	"github.com/rtbwire/rtbwire/lab/gateway"
	"github.com/rtbwire/rtbwire/lab/report"
)

// The README of the repository shows runs or none, between these lines. The first names their
// files.
const (
	readmeBegin = `<!-- lab: written by "cd lab && go run . readme %s" -->` + "\n"
	readmeEnd   = "<!-- /lab -->"
	readmeFile  = "../README.md"
	pictureFile = "../docs/decode.svg"
	verdictFile = "docs/performance.md" // has what a verdict costs
	noRun       = "none"
)

// updateREADME shows the runs in files, or none.
func updateREADME(files []string) error {
	for i, file := range files {
		if file == noRun && len(files) == 1 {
			break
		}
		files[i] = filepath.ToSlash(filepath.Clean(file))
		if !filepath.IsLocal(files[i]) {
			return fmt.Errorf("%s is not below lab/: the README links to it: %w", file, errUsage)
		}
	}
	text, err := os.ReadFile(readmeFile)
	if err != nil {
		return err
	}
	readme, picture, err := readmeOf(string(text), files)
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

// readmeOf returns the README with the runs in it, and the picture.
func readmeOf(readme string, files []string) (text, picture string, err error) {
	before, shown, ok := cutREADME(readme)
	if !ok {
		return "", "", fmt.Errorf("README.md has no place for results: a line that begins with %q and one %q", "<!-- lab:", readmeEnd)
	}
	section := report.NoREADME
	if !slices.Equal(files, []string{noRun}) {
		r, links, err := readRuns(files)
		if err != nil {
			return "", "", err
		}
		if section, err = r.README(links...); err != nil {
			return "", "", fmt.Errorf("%s: %w", strings.Join(files, " "), err)
		}
		picture = r.Picture()
		verdict, err := verdictLine()
		if err != nil {
			return "", "", err
		}
		capacity, err := gateway.CapacityLine(gateway.ResultsFile)
		if err != nil {
			return "", "", err
		}
		section += verdict + "\n" + capacity
	}
	_, after, _ := strings.Cut(shown, readmeEnd)
	return before + fmt.Sprintf(readmeBegin, strings.Join(files, " ")) + section + readmeEnd + after, picture, nil
}

// readRuns reads runs as one, and says where they are from the root of the repository.
func readRuns(files []string) (all *report.Results, links []string, err error) {
	var runs []*report.Results
	for _, file := range files {
		r, err := report.Read(file)
		if err != nil {
			return nil, nil, err
		}
		if _, err := report.Combine([]*report.Results{r}); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", file, err)
		}
		runs, links = append(runs, r), append(links, path.Join("lab", file))
	}
	all, err = report.Combine(runs)
	return all, links, err
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
