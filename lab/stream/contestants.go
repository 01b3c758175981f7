package stream

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The contestants.
const (
	copyName     = "copy"
	copyOnce     = "copy-exactly-once"
	ownName      = "rtbwire"
	ownOnce      = "rtbwire-exactly-once"
	ownUnlooking = "rtbwire-off"
)

// contestant is a program that reads a topic and writes what it reads.
type contestant struct {
	name, about string
	exactlyOnce bool
	own         bool   // rtbwire stream
	config      string // its configuration
}

var contestants = []*contestant{
	{name: copyName, about: "the bare copy loop, at least once"},
	{name: ownName, about: "`rtbwire stream` with the whole verdict, at least once", own: true, config: FullConfig},
	{name: copyOnce, about: "the bare copy loop in transactions", exactlyOnce: true},
	{name: ownOnce, about: "`rtbwire stream` with the whole verdict, exactly once", own: true, config: FullConfig, exactlyOnce: true},
	{name: ownUnlooking, about: "`rtbwire stream` with every inspector off, at least once: it decodes and copies", own: true, config: "off.yaml"},
}

func names() string {
	var list []string
	for _, c := range contestants {
		list = append(list, c.name)
	}
	return strings.Join(list, ", ")
}

// choose returns the contestants of --only, or all.
func choose(only string) (list []*contestant, err error) {
	var wanted []string
	for name := range strings.SplitSeq(only, ",") {
		if name = strings.TrimSpace(name); name != "" {
			wanted = append(wanted, name)
		}
	}
	for _, c := range contestants {
		if wanted == nil || slices.Contains(wanted, c.name) {
			list = append(list, c)
		}
	}
	if wanted != nil && len(list) != len(wanted) {
		return nil, fmt.Errorf("--only %s: want some of %s: %w", only, names(), ErrUsage)
	}
	return list, nil
}

// command returns how a contestant is started. Both programs take the same flags.
func (l *lab) command(c *contestant, group, accepted, dead, admin string) []string {
	args := []string{l.copy}
	if c.own {
		args = []string{l.rtbwire, "stream", "--dead-letters", dead, "--config", filepath.Join(l.dir, c.config)}
		if admin != "" {
			args = append(args, "--admin", admin)
		}
	}
	args = append(args, "--brokers", l.broker.address, "--topic", inputTopic, "--group", group, "--accepted", accepted, "--commit-interval", "1s")
	if c.exactlyOnce {
		args = append(args, "--exactly-once")
	}
	return args
}

// FullConfig is the name of the configuration with the whole verdict.
const FullConfig = "full.yaml"

//go:embed conf
var configurations embed.FS

// rules are the rules and lists of the comparison of inspectors, from the folder lab.
const rules = "check/inspectors.yaml"

// prefixes is how many prefixes the list of data centres has, as for the gateway.
const prefixes = 50_000

// Configure writes the configurations into a folder. It is to be called in the folder lab.
func Configure(dir string) error {
	text, err := os.ReadFile(rules)
	if err != nil {
		return err
	}
	files := map[string][]byte{filepath.Base(rules): text}
	entries, err := configurations.ReadDir("conf")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if files[e.Name()], err = configurations.ReadFile("conf/" + e.Name()); err != nil {
			return err
		}
	}
	var b []byte
	for i := range prefixes {
		b = fmt.Appendf(b, "%d.%d.%d.0/24\n", 20+i>>16, i>>8&0xff, i&0xff)
	}
	files["prefixes.txt"] = b
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
