// Command mutation plants faults in a copy of the tree, one at a time, and wants the project's own tests to catch each.
//
//	go run ./internal/tools/mutation              all faults
//	go run ./internal/tools/mutation -run skip    those whose name or file matches
//	go run ./internal/tools/mutation -list        what there is
//
// A fault is a piece of text and what to put in its place: see faults.go. First the tests that are expected to catch it
// run; if none does, all tests of the packages that the codec consists of, with -short. The status is 1 when a
// fault survives, when its text is no longer where it was, or when the changed tree does not compile.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

func main() {
	log.SetFlags(0)
	run := flag.String("run", "", "plant only the faults whose name or file matches this regular expression")
	list := flag.Bool("list", false, "list the faults and the tests expected to catch them, and plant none")
	trust := flag.Bool("trust", false, "do not run the tests without a fault first")
	in := flag.String("in", "", "run all tests of this package instead of the expected ones, to see what it catches by itself")
	flag.Parse()
	only, err := regexp.Compile(*run)
	if err != nil {
		log.Fatal(err)
	}
	var chosen []fault
	for _, f := range faults {
		if only.MatchString(f.name) || only.MatchString(f.file) {
			chosen = append(chosen, f)
		}
	}
	if *list {
		for _, f := range chosen {
			fmt.Printf("%-50s %-40s %s\n", f.name, f.file, strings.Join(f.tests, " "))
		}
		return
	}
	if err := plantAll(chosen, *trust, *in); err != nil {
		log.Fatal(err)
	}
}

// plantAll plants the faults one by one and prints what became of each.
func plantAll(chosen []fault, trust bool, only string) (err error) {
	dir, err := os.MkdirTemp("", "mutation")
	if err != nil {
		return err
	}
	defer func() {
		if e := os.RemoveAll(dir); err == nil {
			err = e
		}
	}()
	t := tree{dir: filepath.Join(dir, "tree"), only: only}
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
	for _, f := range chosen {
		start := time.Now()
		r := t.plant(f)
		counts[r.result]++
		fmt.Printf("%-50s %-10s %5.0f  %s\n", f.name, r.result, time.Since(start).Seconds(), r.by)
	}
	fmt.Printf("\n%d faults:", len(chosen))
	for _, result := range []string{caught, caughtElsewhere, leftOut, survived, broken} {
		if counts[result] > 0 {
			fmt.Printf(" %d %s", counts[result], result)
		}
	}
	fmt.Println()
	if n := counts[survived] + counts[broken]; n > 0 {
		return fmt.Errorf("%d faults need a test, or a new place", n)
	}
	return nil
}
