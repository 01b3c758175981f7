package admin

import (
	"sync"
	"time"
)

// pace admits so many requests a second.
type pace struct {
	most int
	now  func() time.Time

	mu     sync.Mutex
	second int64
	count  int
}

func newPace(most int) *pace { return &pace{most: most, now: time.Now} }

// take reports whether one more request is admitted.
func (p *pace) take() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if second := p.now().Unix(); second != p.second {
		p.second, p.count = second, 0
	}
	p.count++
	return p.count <= p.most
}
