// Command mutation plants faults in a copy of the tree, one at a time. The project's own tests must
// catch each of them.
//
//	go run ./internal/tools/mutation              all faults
//	go run ./internal/tools/mutation -run skip    those whose name, declaration or file matches
//	go run ./internal/tools/mutation -list        the faults, where they are, and their tests
//
// A fault replaces a piece of text in a declaration: see faults.go. The tests that should catch it
// run first. If none of them does, all tests of the packages of the codec run, with -short. The
// exit status is 1 when a fault survives, when its place is not found, or when the changed tree
// does not compile.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

func main() {
	log.SetFlags(0)
	run := flag.String("run", "", "plant only the faults whose name, declaration or file matches this regular expression")
	list := flag.Bool("list", false, "list the faults, where they are and the tests that should catch them, and plant none")
	trust := flag.Bool("trust", false, "do not run the tests without a fault first")
	in := flag.String("in", "", "run all tests of this package instead of the expected ones, to see what it catches by itself")
	flag.Parse()
	only, err := regexp.Compile(*run)
	if err != nil {
		log.Fatal(err)
	}
	m, err := readModule(".")
	if err != nil {
		log.Fatal(err)
	}
	all, err := m.plan(faults)
	if err != nil {
		log.Fatal(err)
	}
	chosen := slices.DeleteFunc(all, func(p planned) bool {
		return !only.MatchString(p.name) && !only.MatchString(p.place())
	})
	if *list {
		w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
		for _, p := range chosen {
			fmt.Fprintf(w, "%s\t%s\t%s\n", p.name, p.place(), strings.Join(p.fault.tests, " "))
		}
		if err := w.Flush(); err != nil {
			log.Fatal(err)
		}
		return
	}
	if err := plantAll(m, chosen, *trust, *in); err != nil {
		log.Fatal(err)
	}
}

// plantAll plants the faults one by one and prints what became of each.
func plantAll(m *module, chosen []planned, trust bool, only string) (err error) {
	dir, err := os.MkdirTemp("", "mutation")
	if err != nil {
		return err
	}
	defer func() {
		if e := os.RemoveAll(dir); err == nil {
			err = e
		}
	}()
	t := tree{dir: filepath.Join(dir, "tree"), only: only, module: m}
	if err := t.copy(); err != nil {
		return err
	}
	if !trust && only == "" {
		start := time.Now()
		if err := t.sound(chosen); err != nil {
			return fmt.Errorf("without a fault: %w", err)
		}
		fmt.Printf("without a fault the tests pass (%.0f s)\n\n", time.Since(start).Seconds())
	}
	fmt.Printf("%-50s %-10s %5s  %s\n", "fault", "result", "s", "by")
	counts := map[string]int{}
	for _, p := range chosen {
		start := time.Now()
		r := t.plant(p)
		counts[r.result]++
		fmt.Printf("%-50s %-10s %5.0f  %s\n", p.name, r.result, time.Since(start).Seconds(), r.by)
	}
	fmt.Printf("\n%d faults:", len(chosen))
	for _, result := range []string{caught, caughtElsewhere, leftOut, survived, broken} {
		if counts[result] > 0 {
			fmt.Printf(" %d %s", counts[result], result)
		}
	}
	fmt.Println()
	if n := counts[survived] + counts[broken]; n > 0 {
		return fmt.Errorf("%d faults need a test or a new place", n)
	}
	return nil
}
