package policytest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/record"
	"github.com/rtbwire/rtbwire/internal/setting"
)

// loadCapture reads a capture of the gateway: each line is a case. It reports false for another
// file, which it leaves to others. Rules, scrubs and partners that the configuration does not have
// are no mistakes here: a capture shows what a configuration changes.
func loadCapture(name string) (list []Case, problems config.Problems, is bool) {
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, false
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 1<<16)
	if head, _ := in.Peek(64); !record.Is(head) { // shorter files are not captures
		return nil, nil, false
	}
	report := func(line int, message string) {
		problems = append(problems, config.Problem{File: name, Line: line, Column: 1, Message: message})
	}
	var buffer []byte
	for line := 1; len(problems) < setting.ProblemsMax; line++ {
		var whole bool
		buffer, whole, err = readLine(in, buffer[:0])
		if err != nil && err != io.EOF {
			report(line, err.Error())
			return nil, problems, true
		}
		if len(bytes.TrimSpace(buffer)) > 0 {
			switch r, err := record.Parse(buffer); {
			case err == nil:
				c := caseOf(r)
				c.File, c.Line = name, line
				list = append(list, c)
			case whole: // the last line may be cut: the process has ended while it was written
				report(line, err.Error())
			}
		}
		if err == io.EOF {
			break
		}
	}
	if len(list) == 0 && len(problems) == 0 {
		report(1, "there is no case")
	}
	if len(problems) > 0 {
		return nil, problems, true
	}
	return list, nil, true
}

// readLine appends the next line. whole is whether it has an end.
func readLine(in *bufio.Reader, line []byte) (_ []byte, whole bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if line = append(line, part...); len(line) > record.LineMax {
			return nil, false, fmt.Errorf("the line has more than %d bytes", record.LineMax)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err == nil, err
		}
	}
}

// caseOf returns a record as a case.
func caseOf(r *record.Record) Case {
	c := Case{Name: r.Name, Request: r.Request, Facts: r.Facts}
	score := &Score{Min: r.Expect.Score, Max: r.Expect.Score, text: strconv.Itoa(r.Expect.Score)}
	action := inspect.ActionForward
	c.Expect.Decision = Decision{Action: &action, Reason: &r.Expect.Reason, Score: score}
	if r.Expect.Action == inspect.ActionRefuse.String() {
		action, c.Expect.NBR = inspect.ActionRefuse, &r.Expect.NBR
	}
	return c
}
