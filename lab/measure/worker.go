package measure

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/rtbwire/rtbwire/lab/data"
	"github.com/rtbwire/rtbwire/lab/engine"
)

// Measurer measures: [Local] in this process, [Process] in another one.
type Measurer interface {
	List() ([]Info, error)
	Check(engineName, set string, op Op) (wrong string, err error)
	Run(t Task) (Sample, error)
	Service(s ServiceTask) (ServiceResult, error)
}

// Info describes an engine to other processes.
type Info struct {
	Name, Module, Version, Config, Source, Note string
	Safety                                      engine.Safety
	Ops                                         map[Op]bool
	Laxity                                      Laxity
	GoExperiment                                string `json:",omitempty"`
}

// Local measures in this process.
type Local struct{ Bench *Bench }

// List describes the engines of this process, after it has made sure that what they say is true.
func (l Local) List() ([]Info, error) {
	broken, err := data.BrokenRequests(100)
	if err != nil {
		return nil, err
	}
	var list []Info
	for i := range l.Bench.Engines {
		e := &l.Bench.Engines[i]
		if err := l.Bench.warm(e); err != nil {
			return nil, err
		}
		if err := engine.CheckClaims(e); err != nil {
			return nil, err
		}
		info := Info{
			Name: e.Name, Module: e.Module, Version: e.Version(), Config: e.Config, Source: e.Source, Note: noteOf(e, l.Bench.warmed[e.Name]), Safety: e.Safety,
			Ops: map[Op]bool{
				Decode: e.Request.Decode != nil, Encode: e.Request.Encode != nil, Partial: e.Fields != nil, Validate: e.Validate != nil,
			},
		}
		if e.Request.Decode != nil || e.Fields != nil {
			info.Laxity = Accepts(e, broken)
		}
		list = append(list, info)
	}
	return list, nil
}

// noteOf adds to an engine's note how long it took for what it does on first use.
func noteOf(e *engine.Engine, warmed time.Duration) string {
	if warmed == 0 {
		return e.Note
	}
	return fmt.Sprintf("%s; that took %v", e.Note, warmed.Round(time.Millisecond))
}

// Unsupported is the answer of Check if the engine does not have the operation.
const Unsupported = "unsupported"

// Check returns what is wrong with an engine's answers.
func (l Local) Check(name, set string, op Op) (string, error) {
	for i := range l.Bench.Engines {
		if e := &l.Bench.Engines[i]; e.Name == name {
			for j := range l.Bench.Sets {
				if s := &l.Bench.Sets[j]; s.Name == set {
					if !Supports(e, s, op) {
						return Unsupported, nil
					}
					return l.Bench.Check(e, s, op), nil
				}
			}
		}
	}
	return "", fmt.Errorf("no engine %q with a data set %q", name, set)
}

// Run measures once.
func (l Local) Run(t Task) (Sample, error) { return l.Bench.Run(t) }

// call is a line of the protocol between processes. The reply is an answer.
type call struct {
	Do      string
	Engine  string
	Set     string
	Op      Op
	Task    Task
	Service ServiceTask
}

type answer struct {
	Err     string
	Infos   []Info        `json:",omitempty"`
	Wrong   string        `json:",omitempty"`
	Sample  Sample        `json:",omitzero"`
	Service ServiceResult `json:",omitzero"`
}

// Serve answers calls until the input ends. It is the main loop of a worker.
func Serve(b *Bench, in io.Reader, out io.Writer) error {
	l := Local{b}
	d := json.NewDecoder(bufio.NewReader(in))
	e := json.NewEncoder(out)
	for {
		var c call
		if err := d.Decode(&c); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		var a answer
		var err error
		switch c.Do {
		case "list":
			a.Infos, err = l.List()
		case "check":
			a.Wrong, err = l.Check(c.Engine, c.Set, c.Op)
		case "run":
			a.Sample, err = l.Run(c.Task)
		case "service":
			a.Service, err = l.Service(c.Service)
		default:
			err = fmt.Errorf("unknown call %q", c.Do)
		}
		if err != nil {
			a.Err = err.Error()
		}
		if err := e.Encode(a); err != nil {
			return err
		}
	}
}

// Process measures in another process, a worker.
type Process struct {
	program string
	args    []string
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *json.Decoder
	enc     *json.Encoder
}

// Start starts a worker.
func Start(program string, args ...string) (*Process, error) {
	p := &Process{program: program, args: args}
	return p, p.start()
}

func (p *Process) start() error {
	p.cmd = exec.Command(p.program, p.args...)
	p.cmd.Stderr = os.Stderr
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return err
	}
	p.out, p.enc = json.NewDecoder(bufio.NewReader(out)), json.NewEncoder(p.in)
	return p.cmd.Start()
}

// Restart ends the worker and starts another one.
func (p *Process) Restart() error {
	if err := p.Close(); err != nil {
		return err
	}
	return p.start()
}

// Close ends the worker.
func (p *Process) Close() error {
	if err := p.in.Close(); err != nil {
		return err
	}
	return p.cmd.Wait()
}

func (p *Process) call(c call) (answer, error) {
	var a answer
	if err := p.enc.Encode(c); err != nil {
		return a, err
	}
	if err := p.out.Decode(&a); err != nil {
		return a, err
	}
	if a.Err != "" {
		return a, fmt.Errorf("%s", a.Err)
	}
	return a, nil
}

// List describes the engines of the worker.
func (p *Process) List() ([]Info, error) {
	a, err := p.call(call{Do: "list"})
	return a.Infos, err
}

// Check returns what is wrong with an engine's answers.
func (p *Process) Check(name, set string, op Op) (string, error) {
	a, err := p.call(call{Do: "check", Engine: name, Set: set, Op: op})
	return a.Wrong, err
}

// Run measures once.
func (p *Process) Run(t Task) (Sample, error) {
	a, err := p.call(call{Do: "run", Task: t})
	return a.Sample, err
}

// Service runs one engine's service.
func (p *Process) Service(t ServiceTask) (ServiceResult, error) {
	a, err := p.call(call{Do: "service", Service: t})
	return a.Service, err
}
