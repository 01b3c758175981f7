package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/rtbwire/rtbwire/lab/report"
)

// The README of the repository shows one run, between these lines; the first names its folder.
const (
	readmeBegin = `<!-- lab: written by "cd lab && go run . readme %s" -->` + "\n"
	readmeEnd   = "<!-- /lab -->"
	readmeFile  = "../README.md"
	pictureFile = "../docs/decode.svg"
)

// updateREADME shows the run in the folder in the README.
func updateREADME(folder string) error {
	folder = filepath.ToSlash(filepath.Clean(folder))
	if !filepath.IsLocal(folder) {
		return fmt.Errorf("%s is not a folder below lab/: the README links to it: %w", folder, errUsage)
	}
	text, err := os.ReadFile(readmeFile)
	if err != nil {
		return err
	}
	readme, picture, err := readmeOf(string(text), folder)
	if err != nil {
		return err
	}
	if err := os.WriteFile(readmeFile, []byte(readme), 0o644); err != nil {
		return err
	}
	return os.WriteFile(pictureFile, []byte(picture), 0o644)
}

// readmeOf returns the README with the run in it, and the picture.
func readmeOf(readme, folder string) (text, picture string, err error) {
	r, err := report.Read(filepath.Join(folder, "results.json"))
	if err != nil {
		return "", "", err
	}
	before, shown, ok := cutREADME(readme)
	if !ok {
		return "", "", fmt.Errorf("README.md has no place for results: a line that begins with %q and one %q", "<!-- lab:", readmeEnd)
	}
	_, after, _ := strings.Cut(shown, readmeEnd)
	section, err := r.README(path.Join("lab", folder))
	if err != nil {
		return "", "", err
	}
	return before + fmt.Sprintf(readmeBegin, folder) + section + readmeEnd + after, r.Picture(), nil
}

// cutREADME splits the README in front of the results.
func cutREADME(text string) (before, rest string, ok bool) {
	i := strings.Index(text, "<!-- lab:")
	if i < 0 || !strings.Contains(text[i:], readmeEnd) {
		return "", "", false
	}
	return text[:i], text[i:], true
}
