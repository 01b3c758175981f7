package rejects

import (
	"sync"
	"time"
)

// Reloads are what is known about the configuration in use. The zero value has none. Any number of
// goroutines may use it.
type Reloads struct {
	mu  sync.Mutex
	now Configuration
}

// problemMax is how much of a problem is kept, in bytes.
const problemMax = 4096

// Done notes that another configuration is in use.
func (r *Reloads) Done() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = Configuration{Generation: r.now.Generation + 1, Loaded: time.Now()}
}

// Failed notes that a later one could not be loaded.
func (r *Reloads) Failed(err error) {
	problem := err.Error()
	if len(problem) > problemMax {
		problem = problem[:problemMax] + " ..."
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now.Failed, r.now.Problem = time.Now(), problem
}

// Now returns what is known.
func (r *Reloads) Now() Configuration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now
}
