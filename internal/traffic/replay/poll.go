package replay

import (
	"errors"
	"net"
	"time"
)

// poller waits for many connections at once. One goroutine uses it; any may call wake.
type poller interface {
	// add takes a connection over. Its events carry id.
	add(c net.Conn, id ident) (socket, error)
	// wait appends events to list. It returns early for wake, and after d; 0 only looks.
	wait(list []event, d time.Duration) ([]event, error)
	wake()
	close()
}

// socket is a connection. None of its methods waits.
type socket interface {
	read(b []byte) (int, error)  // errAgain if there is nothing to read, io.EOF at the end
	write(b []byte) (int, error) // less than all of b without an error if that is all that fits
	// wantWrite asks for events when more can be written, or no longer.
	wantWrite(on bool) error
	close()
}

// ident tells connections apart: the number of one, and how often it was made again.
type ident struct{ index, generation int32 }

// event says that something can be read from a connection or written to it.
type event struct {
	ident
	hangup bool // there is nothing to read after what has arrived
}

// errAgain says that there is nothing to read yet.
var errAgain = errors.New("nothing to read yet")
