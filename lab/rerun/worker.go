package rerun

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rtbwire/rtbwire/lab/measure"
	"github.com/rtbwire/rtbwire/lab/process"
	"github.com/rtbwire/rtbwire/lab/published/job"
)

// worker is a build of lab/published, which runs once for each measurement.
type worker struct {
	program string
	tag     string
	core    *int
}

// worker returns the build with a tag, "" for none.
func (r *run) worker(tag string) *worker {
	return &worker{program: filepath.Join(r.folder, "published-"+tag), tag: tag, core: r.core}
}

func (w *worker) build(ctx context.Context) error {
	tags := w.tag
	if tags == "atoi" { // one thing is changed, beside vectors
		tags += ",vectors"
	}
	return process.Build(ctx, w.program, "published", ".", "-tags", tags)
}

// ask starts a process for a job.
func (w *worker) ask(j job.Job) (a job.Answer, err error) {
	in, err := json.Marshal(j)
	if err != nil {
		return a, err
	}
	var failure bytes.Buffer
	c := exec.Command(w.program)
	c.Stdin, c.Stderr = bytes.NewReader(in), &failure
	out, err := c.Output()
	if err != nil {
		return a, fmt.Errorf("%w\n%s", err, failure.Bytes())
	}
	if err := json.Unmarshal(out, &a); err != nil {
		return a, err
	}
	if a.Err != "" {
		return a, errors.New(a.Err)
	}
	return a, nil
}

// engineOf returns the name of an engine in the worker: a variant has its tag in the name of its
// row.
func (w *worker) engineOf(name string) string { return strings.TrimSuffix(name, "-"+w.tag) }

// documentOf returns the document of a set.
func documentOf(set string) string {
	document, _, _ := strings.Cut(set, "/")
	return document
}

// Check returns what is wrong with an engine's answers.
func (w *worker) Check(engine, set string, _ measure.Op) (string, error) {
	a, err := w.ask(job.Job{Kind: job.Check, Engine: w.engineOf(engine), Document: documentOf(set)})
	return a.Wrong, err
}

// Run measures once, in a process of its own.
func (w *worker) Run(t measure.Task) (measure.Sample, error) {
	j := job.Job{Kind: job.Time, Engine: w.engineOf(t.Engine), Document: documentOf(t.Set), N: t.N, Budget: t.Budget, Core: w.core}
	if t.Together {
		j.Goroutines = t.Goroutines
	}
	a, err := w.ask(j)
	return a.Sample, err
}

var errNoMeasurer = errors.New("the workers of published experiments decode alone")

// List is not asked for.
func (w *worker) List() ([]measure.Info, error) { return nil, errNoMeasurer }

// Service is not asked for: services are jobs.
func (w *worker) Service(measure.ServiceTask) (measure.ServiceResult, error) {
	return measure.ServiceResult{}, errNoMeasurer
}
