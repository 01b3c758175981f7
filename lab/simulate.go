package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/rtbwire/rtbwire/lab/data"
)

const simulateUsage = `Writes bid requests as exchanges would send them, one a line, the same for the same flags.

  go run . simulate -n 100000 >traffic.ndjson
  go run . simulate -n 1000 -broken 0.05 -sizes banner=1,ctv=1 | rtbwire check -

Each exchange has its own order of keys. Some write spaces, \/ or \u escapes, or members that no
specification has. Standard error has the number of broken requests by what is wrong with them.

Flags:
`

// simulate is the command of that name.
func simulate(args []string, out, messages io.Writer) error {
	flags := flag.NewFlagSet("simulate", flag.ContinueOnError)
	flags.SetOutput(messages)
	flags.Usage = func() { fmt.Fprint(messages, simulateUsage); flags.PrintDefaults() }
	n := flags.Int("n", 1000, "how many requests")
	seed := flags.Uint64("seed", 26, "of the random choices")
	exchanges := flags.Int("exchanges", 6, "how many ways to write there are")
	broken := flags.Float64("broken", 0, "the share that no decoder may accept, 0 to 1")
	sizes := flags.String("sizes", "banner=55,video=20,app=20,ctv=5", "weights of the `kinds` of requests, small to large")
	if err := flags.Parse(args); err != nil {
		return errUsage
	}
	mix, err := parseMix(*sizes)
	if err != nil {
		return fmt.Errorf("-sizes: %w: %w", err, errUsage)
	}
	if flags.NArg() > 0 || *n < 0 || *exchanges < 1 || *broken < 0 || *broken > 1 {
		return fmt.Errorf("a flag is out of its range, or an argument follows: %w", errUsage)
	}
	traffic := data.New(data.Config{Seed: *seed, Exchanges: *exchanges, Broken: *broken, Sizes: mix})
	w := bufio.NewWriter(out)
	faults := map[string]int{}
	for range *n {
		r := traffic.Next()
		if r.Fault != "" {
			faults[r.Fault]++
		}
		if _, err := w.Write(append(r.Text, '\n')); err != nil {
			return err
		}
	}
	for fault, count := range faults {
		fmt.Fprintf(messages, "%6d %s\n", count, fault)
	}
	return w.Flush()
}

// parseMix reads "banner=55,video=20".
func parseMix(text string) (m data.Mix, err error) {
	kinds := map[string]*int{"banner": &m.Banner, "video": &m.Video, "app": &m.App, "ctv": &m.CTV}
	sum := 0
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(part, "=")
		weight, err := strconv.Atoi(value)
		if kinds[name] == nil || err != nil || weight < 0 || weight > 1e6 {
			return m, fmt.Errorf("%q is not a weight of banner, video, app or ctv", part)
		}
		*kinds[name] = weight
		sum += weight
	}
	if sum == 0 {
		return m, fmt.Errorf("all weights are 0")
	}
	return m, nil
}
