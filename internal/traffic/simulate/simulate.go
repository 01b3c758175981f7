package simulate

import (
	"errors"
	"fmt"
	"strconv"
)

// Config says what to make. The zero value makes clean requests of shape [Mixed] with seed 0.
type Config struct {
	Seed  uint64
	Shape Shape
	// Defects, Payloads and Fraud are the shares of requests with such a fault. A request has one
	// fault at most, so together they can't be more than [All].
	Defects, Payloads, Fraud Share
}

// Generator makes requests. It does not change, so any number of goroutines may share it. Make it
// with [New].
type Generator struct {
	config   Config
	stream   uint64 // the key of requests
	world    uint64 // the key of users, apps and sites: the same for all shapes and shares
	tables   tables
	slots    weights
	details  weights
	dialects [len(producers)]*dialect
	exchange weights
	planted  [classCount][]*plan // by class
}

// New prepares a generator.
func New(c Config) (*Generator, error) {
	if c.Shape >= shapes {
		return nil, fmt.Errorf("simulate: unknown %v", c.Shape)
	}
	if sum := uint64(c.Defects) + uint64(c.Payloads) + uint64(c.Fraud); sum > uint64(All) {
		return nil, errors.New("simulate: the shares of defects, payloads and fraud are more than 100% together")
	}
	g := &Generator{config: c, world: hash(c.Seed, 1), stream: hash(c.Seed, 2), tables: newTables()}
	shape := &shapeTable[c.Shape]
	var list []int
	for _, s := range shape.slots {
		list = append(list, s.weight)
	}
	g.slots, g.details = expand(list...), expand(shape.details...)
	list = list[:0]
	for i := range producers {
		list = append(list, producers[i].weight)
		g.dialects[i] = newDialect(i)
	}
	g.exchange = expand(list...)
	for i := range plans {
		p := &plans[i]
		if p.possible(shape) {
			g.planted[p.Class] = append(g.planted[p.Class], p)
		}
	}
	return g, nil
}

// Label is the truth about a request: what was planted in it.
type Label struct {
	N     uint64 // the number of the request
	Class Class
	What  string // the id of the fault, see [Kinds]; "" if the request is clean
	How   string // the encoding of a payload; "" for others
	id    [36]byte
	idLen uint8
}

// ID returns the id of the request, "" if it has none.
func (l *Label) ID() string { return string(l.id[:l.idLen]) }

// AppendJSON appends the label as a JSON object, without a line end.
func (l *Label) AppendJSON(dst []byte) []byte {
	dst = strconv.AppendUint(append(dst, `{"n":`...), l.N, 10)
	dst = append(append(dst, `,"id":"`...), l.id[:l.idLen]...)
	dst = append(append(dst, `","kind":"`...), l.Class.String()...)
	dst = append(append(dst, `","what":"`...), l.What...)
	if l.How != "" {
		dst = append(append(dst, `","how":"`...), l.How...)
	}
	return append(dst, `"}`...)
}

// AppendRequest appends the request of number n, without a line end, and returns its label. It
// depends on the configuration and n alone. It allocates nothing if dst has room, about 16 KiB for
// the largest requests.
func (g *Generator) AppendRequest(dst []byte, n uint64) ([]byte, Label) {
	w := writer{dst: dst}
	w.r.draw(g, n)
	w.d = w.r.dialect
	start := len(dst)
	w.request()
	l := Label{N: n, id: w.id, idLen: w.idLen}
	if p := w.r.plan; p != nil {
		l.Class, l.What, l.How = p.Class, p.ID, w.how
		if p.edit != nil {
			w.dst = p.edit(w.dst, start, w.at)
		}
	}
	return w.dst, l
}
