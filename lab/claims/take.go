package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rtbwire/rtbwire/lab/figures"
	"github.com/rtbwire/rtbwire/lab/report"
)

// runCommand measures what decode.json is made of.
const runCommand = "make bench ARGS=full"

// newest returns results.json of the last run in a folder.
func newest(folder string) (string, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*", "results.json"))
	if err != nil {
		return "", err
	}
	var last string
	var when time.Time
	for _, file := range files {
		if info, err := os.Stat(file); err == nil && info.ModTime().After(when) {
			last, when = file, info.ModTime()
		}
	}
	if last == "" {
		return "", fmt.Errorf("no run of the lab in %s", folder)
	}
	return last, nil
}

// take writes decode.START.json, the figures that rows use of a run.
func take(file, folder string, w io.Writer) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	r := new(report.Results)
	if err := json.Unmarshal(text, r); err != nil {
		return fmt.Errorf("%s: %w (want results.json of a run)", file, err)
	}
	f := &figures.File{Taken: r.Taken, Command: runCommand, Machine: r.Machine, Figures: map[string]figures.Figure{}}
	if warning := r.Warning(); warning != "" {
		f.Preliminary = append(f.Preliminary, strings.TrimSuffix(strings.TrimPrefix(warning, "Preliminary: "), "."))
	}
	for _, name := range names(sources()) {
		if !ofRun(name) {
			continue
		}
		v, err := figureOf(r, name)
		if err != nil {
			fmt.Fprintln(w, "left out:", err)
			continue
		}
		f.Figures[name] = v
	}
	if len(f.Figures) == 0 {
		return fmt.Errorf("%s has none of the figures that are needed", file)
	}
	return f.Write(figures.PathOf(filepath.Join(folder, "decode.json"), f.Taken))
}
