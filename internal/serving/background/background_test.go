package background

import (
	"context"
	"errors"
	"testing"
)

// TestClose writes everything before it ends, once; without time, what is left is discarded.
func TestClose(t *testing.T) {
	t.Parallel()
	const n = 10
	for _, late := range []bool{false, true} {
		items, release := make(chan int, n), make(chan struct{})
		written, discarded, ended := 0, 0, 0
		l := Start(items, Writing[int]{
			Write: func(int) { <-release; written++ }, Flush: func() {}, End: func() { ended++ }, Discard: func(int) { discarded++ },
		})
		for i := range n {
			items <- i
		}
		ctx, cancel := context.WithCancel(t.Context())
		if late {
			cancel()
		} else {
			close(release)
		}
		err := l.Close(ctx)
		cancel()
		if late {
			<-l.Aborted()
			close(release)
		}
		<-l.Done()
		if again := l.Close(t.Context()); again != nil || !l.Closed() {
			t.Errorf("closed again: %v", again)
		}
		if errors.Is(err, context.Canceled) != late || written+discarded != n || late != (discarded > 0) || written > 1 && late || ended != 1 {
			t.Errorf("late %v: %v, %d written, %d discarded, %d ends", late, err, written, discarded, ended)
		}
	}
}
