// Package policytest runs named test cases against a configuration: a request and what is known
// about it, and the verdict that is expected. Teams test their rules with them before a change is
// live. docs/policy.md describes the files.
//
//	cases.go    Case, Load: reading files
//	table.go    the table of keys
//	request.go  requests that are written as mappings
//	score.go    scores, and comparisons with one
//	names.go    rules, scrubs and partners have to exist
//	capture.go  captures of the gateway, whose lines are cases
//	run.go      Run: verdicts against expectations
//	tree.go     paths in the request that goes on
package policytest

import (
	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/setting"
	"github.com/rtbwire/rtbwire/internal/strictyaml"
)

// Case is a request and what is expected of its verdict.
type Case struct {
	Name    string
	Request []byte
	Facts   inspect.Facts
	Expect  Expect
	// File and Line are where the case begins.
	File string
	Line int

	source requestSource
	node   *setting.Node
}

// Expect is what is expected. Only what is given is compared: nil is not.
type Expect struct {
	Decision
	// Observed is the verdict that would be if everything was enforced.
	Observed *Decision
	// Shadow is the verdict that would be if nothing was in shadow.
	Shadow *Decision
	// Result is the text of the request that goes on, byte for byte but for white space around it;
	// ResultValue is the same as JSON, in any order of members.
	Result      *string
	ResultValue []byte
	// Absent and Present are paths that the request that goes on must lack, or have. An element *
	// is any element or member. Letter case is ignored.
	Absent, Present []string
}

// Decision is the part that the verdict and the one with layers in shadow have in common.
type Decision struct {
	Action *inspect.Action
	Reason *string
	NBR    *int
	// Score is what the fraud score has to be.
	Score *Score
	// Findings are ids or patterns with one *, each of which a finding must match. An empty list
	// means that there are no findings.
	Findings *[]string
	// NotFindings are ids or patterns that no finding may match.
	NotFindings []string
	// Errors are rules and scrubs whose condition has no value; all of them, in order.
	Errors *[]string
	// Scrubs are the names of the scrubs that are applied; all of them, in order.
	Scrubs *[]string

	nodes decisionNodes
}

// decisionNodes are where ids and names are in the file.
type decisionNodes struct{ reason, findings, notFindings, errors, scrubs *setting.Node }

// Load reads a file of cases for a configuration, or a capture of the gateway. There are no cases
// if there is a problem.
func Load(name string, s *config.Setup) ([]Case, config.Problems) {
	if list, problems, is := loadCapture(name); is {
		return list, problems
	}
	node, problems := strictyaml.Load(name)
	return read(node, problems, s)
}

func read(node *setting.Node, problems config.Problems, s *config.Setup) ([]Case, config.Problems) {
	if len(problems) > 0 {
		return nil, problems
	}
	var r setting.Reader
	list, _ := fileType.Read(&r, node)
	names := newNames(s)
	seen := map[string]int{}
	for i := range list {
		c := &list[i]
		if line := seen[c.Name]; line > 0 {
			r.Report(c.node.Get("name").Problem("", "another case has the name %s (line %d)", setting.Quote(c.Name), line))
		}
		seen[c.Name] = c.Line
		c.readRequest(&r)
		names.check(&r, c)
	}
	if problems := r.Problems(); len(problems) > 0 {
		return nil, problems
	}
	return list, nil
}
