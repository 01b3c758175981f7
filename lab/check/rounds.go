package check

import (
	"errors"
	"math/rand/v2"
	"time"

	"github.com/rtbwire/rtbwire/lab/measure"
)

// contest is some operations on the same documents, which take turns.
type contest struct {
	docs [][]byte

	do    []func(i int)
	count []int       // documents in a measurement
	ns    [][]float64 // a document, by round
}

// run measures all contests in rounds.
func run(contests []*contest, rounds int, budget time.Duration) error {
	for _, c := range contests {
		c.count, c.ns = make([]int, len(c.do)), make([][]float64, len(c.do))
		for op := range c.do {
			if err := c.calibrate(op, budget); err != nil {
				return err
			}
		}
	}
	order := rand.New(rand.NewPCG(1, 1))
	for range rounds {
		for _, i := range order.Perm(len(contests)) {
			c := contests[i]
			for _, op := range order.Perm(len(c.do)) {
				took, err := c.once(op)
				if err != nil {
					return err
				}
				c.ns[op] = append(c.ns[op], took)
			}
		}
	}
	return nil
}

// calibrate finds how many documents a measurement takes: whole turns of all of them.
func (c *contest) calibrate(op int, budget time.Duration) error {
	c.count[op] = len(c.docs)
	if _, err := c.once(op); err != nil { // which warms up
		return err
	}
	took, err := c.once(op)
	if err != nil {
		return err
	}
	turn := max(took*float64(len(c.docs)), 1)
	c.count[op] = len(c.docs) * max(1, int(float64(budget.Nanoseconds())/turn))
	return nil
}

// once returns the processor time of one document in nanoseconds.
func (c *contest) once(op int) (float64, error) {
	do, n := c.do[op], len(c.docs)
	before, ok := measure.CPUTime()
	if !ok {
		return 0, errors.New("this system does not tell how much processor time a process has used")
	}
	for left := c.count[op]; left > 0; left -= n {
		for i := range n {
			do(i)
		}
	}
	after, _ := measure.CPUTime()
	return float64(after-before) / float64(c.count[op]), nil
}

// ratio is the median over the rounds of what one operation takes beyond another, by a third one's
// time. Without another it is what it takes in all.
func (c *contest) ratio(op, beyond, base int) float64 {
	ratios := make([]float64, len(c.ns[op]))
	for i := range ratios {
		took := c.ns[op][i]
		if beyond >= 0 {
			took -= c.ns[beyond][i]
		}
		ratios[i] = took / c.ns[base][i]
	}
	center, _, _ := measure.Median(ratios)
	return center
}

// inAll stands for no operation in [contest.ratio].
const inAll = -1
