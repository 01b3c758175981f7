package check

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// VerdictTimes returns what a verdict by all inspectors takes, decoding included, for the banner
// and the app request: from the table of inspectors in a page that --write has written.
func VerdictTimes(page []byte) (banner, app time.Duration, err error) {
	_, rest, found := bytes.Cut(page, []byte(begin(partInspectors)))
	table, _, ended := bytes.Cut(rest, []byte(end))
	if !found || !ended {
		return 0, 0, fmt.Errorf("no table of %s: run: cd lab && go run . check --write", partInspectors)
	}
	rows := map[string]map[string]string{}
	var head []string
	for line := range strings.Lines(string(table)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		switch {
		case len(cells) < 2 || strings.Contains(cells[0], "---"):
		case head == nil:
			head = cells
		case len(cells) == len(head):
			row := map[string]string{}
			for i, name := range head {
				row[strings.TrimSpace(name)] = strings.TrimSpace(cells[i])
			}
			rows[row["requests"]] = row
		}
	}
	if banner, err = verdictTime(rows["banner"]); err == nil {
		app, err = verdictTime(rows["app"])
	}
	return banner, app, err
}

// verdictTime adds the time of decoding and what a verdict takes beyond it, which the table has in
// units of the decode.
func verdictTime(row map[string]string) (time.Duration, error) {
	ns, err := strconv.ParseFloat(strings.TrimSuffix(row["decode"], " ns"), 64)
	if err != nil {
		return 0, fmt.Errorf("the table of %s has no time of decoding: %w", partInspectors, err)
	}
	all, err := strconv.ParseFloat(row["all"], 64)
	if err != nil {
		return 0, fmt.Errorf("the table of %s has no verdict by all: %w", partInspectors, err)
	}
	return time.Duration(ns * (1 + all)), nil
}
