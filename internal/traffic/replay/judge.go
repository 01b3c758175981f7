package replay

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/rtbwire/rtbwire/inspect/schema"
)

// Limits of judging.
const (
	// ExamplesMax is how many examples of each kind a [Judgement] has.
	ExamplesMax = 10
	// JudgeMemory is how many bytes of answers may wait to be looked at, and to be compared with
	// another answer. Answers beyond are not looked at, and counted.
	JudgeMemory = 64 << 20
	// answerOverhead is what an answer takes besides its text, in bytes.
	answerOverhead = 256
)

// Judgement is what was found in the answers.
type Judgement struct {
	// Checked counts the answers that were checked, Wrong those that break a rule: a response that
	// is not valid, or not one to its request. An answer without a body is not a response, except
	// with status 204. Answers with a status of 300 and above are not checked.
	Checked, Wrong int64
	// Rules counts wrong answers by the rules that they break.
	Rules []RuleCount
	// Compared counts the answers that were compared, with the other target's or with what was
	// expected; Different those that differ in status or value. JSON is compared by value: the
	// order of members and white space don't matter, and 1.0 is 1e0.
	Compared, Different int64
	// StatusDifferent counts those of Different that differ in status.
	StatusDifferent int64
	// Unexpected counts answers to requests for which no answer is known.
	Unexpected int64
	// Skipped counts answers that were not looked at, because too many of them were waiting, or
	// because the answer to compare with never came.
	Skipped int64
	// Recorded counts the answers that were recorded: bodies that are a JSON object with the id of
	// their request, and answers with status 204 as {"id":"..."}. Unrecorded counts the others.
	Recorded, Unrecorded int64
	// Examples are some of the wrong and the different answers.
	Examples []Example
}

// RuleCount is a rule and the number of answers that break it.
type RuleCount struct {
	ID      string
	Answers int64
}

// Example is an answer that is not as it should be.
type Example struct {
	Kind    string // "wrong" or "different"
	Request int    // its index among the bodies, from 0
	ID      string // of the request
	What    string // what is the matter
}

// judge looks at answers, in goroutines of its own.
type judge struct {
	config  *Config
	workers []*judgeWorker
	group   sync.WaitGroup
	memory  atomic.Int64 // of answers that wait
	skipped atomic.Int64
	pool    sync.Pool
	record  recorder
}

// answer is an answer that waits to be looked at.
type answer struct {
	stream, status int // status 0: no answer
	seq            int64
	text           []byte
}

func (a *answer) size() int64 { return int64(len(a.text)) + answerOverhead }

// judgeQueue is how many answers a worker's queue has room for.
const judgeQueue = 1 << 14

func newJudge(c *Config) *judge {
	j := &judge{config: c, pool: sync.Pool{New: func() any { return new(answer) }}}
	if c.Record != nil {
		j.record.w = bufio.NewWriterSize(c.Record, 64<<10)
	}
	for range runtime.GOMAXPROCS(0) {
		w := &judgeWorker{judge: j, queue: make(chan *answer, judgeQueue), partners: map[int64]*answer{}, rules: map[string]int64{}}
		w.checker = checkerOf()
		j.workers = append(j.workers, w)
		j.group.Go(w.run)
	}
	return j
}

// checkerOf returns a checker with the rules that answers are held to.
func checkerOf() *schema.Checker {
	engine, err := schema.New(schema.WithPreset(schema.Exchange))
	if err != nil {
		panic(err) // the option is a constant
	}
	return engine.NewChecker()
}

// submit hands an answer over. It never waits. Both answers to a request go to the same worker.
func (j *judge) submit(stream int, seq int64, status int, text []byte) {
	a := j.pool.Get().(*answer)
	a.stream, a.seq, a.status, a.text = stream, seq, status, append(a.text[:0], text...)
	if j.memory.Add(a.size()) <= JudgeMemory {
		select {
		case j.workers[seq%int64(len(j.workers))].queue <- a:
			return
		default:
		}
	}
	j.skipped.Add(1)
	j.release(a)
}

// release takes back the memory of an answer.
func (j *judge) release(a *answer) {
	j.memory.Add(-a.size())
	if cap(a.text) > keptMax {
		a.text = nil
	}
	j.pool.Put(a)
}

// finish waits until all answers were looked at.
func (j *judge) finish() (*Judgement, error) {
	sum := new(Judgement)
	rules := map[string]int64{}
	for _, w := range j.workers {
		close(w.queue)
	}
	j.group.Wait()
	for _, w := range j.workers {
		f := &w.found
		sum.Checked += f.Checked
		sum.Wrong += f.Wrong
		sum.Compared += f.Compared
		sum.Different += f.Different
		sum.StatusDifferent += f.StatusDifferent
		sum.Unexpected += f.Unexpected
		sum.Skipped += f.Skipped + int64(len(w.partners))
		sum.Examples = append(sum.Examples, f.Examples...)
		for id, n := range w.rules {
			rules[id] += n
		}
	}
	for _, id := range slices.Sorted(maps.Keys(rules)) {
		sum.Rules = append(sum.Rules, RuleCount{id, rules[id]})
	}
	slices.SortStableFunc(sum.Rules, func(a, b RuleCount) int { return cmp.Compare(b.Answers, a.Answers) })
	slices.SortStableFunc(sum.Examples, func(a, b Example) int {
		return cmp.Or(cmp.Compare(b.Kind, a.Kind), cmp.Compare(a.Request, b.Request))
	})
	sum.Examples = firstOfEach(sum.Examples)
	sum.Skipped += j.skipped.Load()
	var err error
	sum.Recorded, sum.Unrecorded, err = j.record.finish()
	return sum, err
}

// firstOfEach keeps the first examples of each kind.
func firstOfEach(list []Example) []Example {
	seen := map[string]int{}
	return slices.DeleteFunc(list, func(e Example) bool {
		seen[e.Kind]++
		return seen[e.Kind] > ExamplesMax
	})
}

// judgeWorker looks at some of the answers.
type judgeWorker struct {
	judge    *judge
	queue    chan *answer
	checker  *schema.Checker
	partners map[int64]*answer // those that wait for the other target's answer
	rules    map[string]int64
	found    Judgement
	examples [2]int // how many there are of each kind
}

func (w *judgeWorker) run() {
	for a := range w.queue {
		if w.look(a) {
			w.judge.release(a)
		}
	}
	for _, a := range w.partners {
		w.judge.release(a)
	}
}

// look looks at an answer. It returns false if the answer has to wait for another.
func (w *judgeWorker) look(a *answer) bool {
	c := w.judge.config
	if a.stream == 0 && a.status != 0 {
		if c.Check {
			w.check(a)
		}
		if c.Record != nil {
			w.judge.record.write(a.status, a.text, w.body(a))
		}
		if c.Expect != nil {
			w.expect(a)
		}
	}
	if c.Against == nil {
		return true
	}
	other := w.partners[a.seq]
	if other == nil {
		w.partners[a.seq] = a
		return false
	}
	delete(w.partners, a.seq)
	first, second := a, other
	if a.stream == 1 {
		first, second = other, a
	}
	if a.status == 0 || other.status == 0 {
		w.found.Skipped++
	} else {
		what, status := difference(reply{first.status, first.text}, reply{second.status, second.text})
		w.compared(first, what, status, "other target's")
	}
	w.judge.release(other)
	return true
}

// body returns the request that an answer is for.
func (w *judgeWorker) body(a *answer) []byte {
	b := w.judge.config.Bodies
	return b.At(int(a.seq % int64(b.Len())))
}

// check holds an answer to the rules.
func (w *judgeWorker) check(a *answer) {
	if a.status >= 300 {
		return
	}
	w.found.Checked++
	if a.status == 204 {
		return
	}
	if len(a.text) == 0 {
		w.wrong(a, "no-body", fmt.Sprintf("status %d without a body", a.status))
		return
	}
	wrong := map[string]string{}
	for _, f := range w.checker.Response(a.text).Findings {
		if f.Severity == schema.Error {
			wrong[f.ID] = fmt.Sprintf("%s at %q: %s", f.ID, f.Path, f.Message)
		}
	}
	if len(wrong) == 0 {
		for _, f := range w.checker.Pair(w.body(a), a.text).Findings {
			// A request that can't be decoded says nothing about its answer.
			if r, _ := schema.RuleByID(f.ID); f.Severity >= schema.Warn && r.Scope == "pair" {
				wrong[f.ID] = fmt.Sprintf("%s at %q: %s", f.ID, f.Path, f.Message)
			}
		}
	}
	if len(wrong) == 0 {
		return
	}
	first := slices.Min(slices.Collect(maps.Keys(wrong)))
	for id := range wrong {
		if id != first {
			w.rules[id]++
		}
	}
	w.wrong(a, first, wrong[first])
}

func (w *judgeWorker) wrong(a *answer, rule, what string) {
	w.found.Wrong++
	w.rules[rule]++
	w.example(0, a, what)
}

// example keeps an example if there are not enough of its kind.
func (w *judgeWorker) example(kind int, a *answer, what string) {
	if w.examples[kind] == ExamplesMax {
		return
	}
	w.examples[kind]++
	w.found.Examples = append(w.found.Examples, Example{
		Kind: [...]string{"wrong", "different"}[kind], Request: int(a.seq % int64(w.judge.config.Bodies.Len())), ID: idOf(w.body(a)), What: what,
	})
}

// expect compares an answer with what is expected.
func (w *judgeWorker) expect(a *answer) {
	what, status, known := w.judge.config.Expect.difference(idOf(w.body(a)), reply{a.status, a.text})
	if !known {
		w.found.Unexpected++
		return
	}
	w.compared(a, what, status, "expected one")
}

// compared counts a comparison.
func (w *judgeWorker) compared(a *answer, what string, status bool, whose string) {
	w.found.Compared++
	if what == "" {
		return
	}
	w.found.Different++
	if status {
		w.found.StatusDifferent++
	}
	w.example(1, a, fmt.Sprintf("%s (the answer, the %s)", what, whose))
}

// recorder writes answers, one per line.
type recorder struct {
	mu                   sync.Mutex
	w                    *bufio.Writer
	line                 bytes.Buffer
	recorded, unrecorded int64
	err                  error
}

func (r *recorder) write(status int, text, request []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return
	}
	r.line.Reset()
	id := idOf(request)
	switch {
	case id != "" && status == 204:
		name, err := json.Marshal(id)
		if err != nil {
			panic(err) // a string
		}
		fmt.Fprintf(&r.line, `{"id":%s}`, name)
	case id == "" || status != 200 || idOf(text) != id || json.Compact(&r.line, text) != nil:
		r.unrecorded++
		return
	}
	r.recorded++
	r.line.WriteByte('\n')
	_, r.err = r.w.Write(r.line.Bytes())
}

func (r *recorder) finish() (recorded, unrecorded int64, err error) {
	if r.w != nil && r.err == nil {
		r.err = r.w.Flush()
	}
	if r.err != nil {
		return r.recorded, r.unrecorded, fmt.Errorf("replay: cannot record answers: %w", r.err)
	}
	return r.recorded, r.unrecorded, nil
}
