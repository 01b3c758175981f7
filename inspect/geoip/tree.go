package geoip

import (
	"encoding/binary"
	"errors"
	"math"
)

// tree is the search tree of a file in a smaller form, which is not kept. Each of the two branches
// of a node is another node, or, with the bit leaf, the number of a record. Record 0 is for
// addresses that the database lacks. Nodes whose branches lead to the same record are left out, so
// that a database of cities becomes as small as one of countries.
type tree struct {
	nodes []node
	root  uint32 // a branch
	bits  int    // of an address: 32 or 128
}

type node [2]uint32

const leaf = 1 << 31

var (
	errCycle = errors.New("the search tree has a path longer than an address, or a cycle")
	errTree  = errors.New("the search tree points to a place outside of the data")
)

// treeReader reads the search tree of a file, each node once.
type treeReader struct {
	file    []byte
	count   uint32 // of nodes
	size    int    // of a record: 24, 28 or 32 bits
	bits    int    // of an address
	records func(offset uint32) (number uint32, err error)

	out      []node
	done     []uint32 // by node: what it has become, plus 1; visiting; 0 if that is not known yet
	heights  []uint8  // by node: the longest path below it
	networks int      // those with data
}

const (
	// visiting is a node whose branches are being read. No branch plus 1 is that large.
	visiting = math.MaxUint32
	// nodesMax is the largest number of nodes of a file.
	nodesMax = 1 << 30
	// separator is the number of bytes between tree and data.
	separator = 16
)

func (r *treeReader) read() (tree, error) {
	r.done, r.heights = make([]uint32, r.count), make([]uint8, r.count)
	root, _, err := r.branch(0, 0)
	return tree{r.out, root, r.bits}, err
}

// branch makes a branch of what a record of the file's tree points to, at a depth in bits.
func (r *treeReader) branch(record uint32, depth int) (branch uint32, height uint8, err error) {
	switch {
	case record == r.count:
		return leaf, 0, nil
	case record > r.count:
		if record-r.count < separator {
			return 0, 0, errTree
		}
		r.networks++
		number, err := r.records(record - r.count - separator)
		return leaf | number, 0, err
	case r.done[record] == visiting || depth+int(max(r.heights[record], 1)) > r.bits: // an unread node has a bit too
		return 0, 0, errCycle
	case r.done[record] != 0:
		return r.done[record] - 1, r.heights[record], nil
	}
	r.done[record] = visiting
	at := len(r.out)
	r.out = append(r.out, node{})
	left, right := r.node(record)
	left, heightL, err := r.branch(left, depth+1)
	if err != nil {
		return 0, 0, err
	}
	right, heightR, err := r.branch(right, depth+1)
	if err != nil {
		return 0, 0, err
	}
	branch, height = uint32(at), 1+max(heightL, heightR) //nolint:gosec // less than nodesMax
	if left == right && left >= leaf {                   // then nothing was added for the branches
		branch, r.out = left, r.out[:at]
	} else {
		r.out[at] = node{left, right}
	}
	r.done[record], r.heights[record] = branch+1, height
	return branch, height, nil
}

// node returns the two records of a node of the file.
func (r *treeReader) node(n uint32) (left, right uint32) {
	size := r.size / 4
	b := r.file[int(n)*size:][:size]
	switch r.size {
	case 24:
		return uint32(b[0])<<16 | uint32(b[1])<<8 | uint32(b[2]), uint32(b[3])<<16 | uint32(b[4])<<8 | uint32(b[5])
	case 28:
		return uint32(b[3]>>4)<<24 | uint32(b[0])<<16 | uint32(b[1])<<8 | uint32(b[2]), binary.BigEndian.Uint32(b[3:]) & (1<<28 - 1)
	}
	return binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])
}
