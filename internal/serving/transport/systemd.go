package transport

import (
	"context"
	"fmt"
	"net"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/coreos/go-systemd/v22/activation"
	"github.com/coreos/go-systemd/v22/daemon"

	"github.com/rtbwire/rtbwire/internal/serving/backlog"
)

// Passed are sockets that systemd has opened for this process (sd_listen_fds(3)). They stay open in
// systemd while the process is replaced, so that no connection is refused meanwhile.
type Passed struct {
	mu    sync.Mutex
	files []passedFile
}

// passedFile is a descriptor with its name.
type passedFile struct {
	name string
	file *os.File
}

// Inherit takes the sockets that the environment names: LISTEN_FDS, LISTEN_PID and LISTEN_FDNAMES,
// which it removes. It may be called once.
func Inherit() *Passed {
	p := &Passed{}
	for _, f := range activation.Files(true) {
		p.files = append(p.files, passedFile{f.Name(), f})
	}
	return p
}

// Unused returns the names of the sockets that no address has named.
func (p *Passed) Unused() (names []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range p.files {
		names = append(names, f.name)
	}
	return names
}

// take returns the sockets with a name.
func (p *Passed) take(name string) (list []net.Listener, err error) {
	if p == nil {
		return nil, fmt.Errorf("systemd has passed no socket for systemd:%s", name)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.files = slices.DeleteFunc(p.files, func(f passedFile) bool {
		if f.name != name || err != nil {
			return false
		}
		var ln net.Listener
		if ln, err = net.FileListener(f.file); err != nil {
			err = fmt.Errorf("the socket %s of systemd: %w", name, err)
			return false
		}
		_ = f.file.Close() // ln has its own descriptor
		list = append(list, backlog.Shared(ln))
		return true
	})
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("systemd has passed no socket with FileDescriptorName=%s", name)
	}
	if err != nil {
		for _, ln := range list {
			_ = ln.Close()
		}
		return nil, err
	}
	return list, nil
}

// Manager is the service manager that has started the process, which is told how it is
// (sd_notify(3)). Without one nothing happens.
type Manager struct{}

// Ready says that requests are taken, or that a reload is over.
func (Manager) Ready() error { return notify(daemon.SdNotifyReady) }

// Reloading says that a reload has begun. Ready ends it.
func (Manager) Reloading() error {
	return notify(daemon.SdNotifyReloading + "\n" + daemon.SdNotifyMonotonicUsec())
}

// Stopping says that the process ends.
func (Manager) Stopping() error { return notify(daemon.SdNotifyStopping) }

func notify(state string) error {
	_, err := daemon.SdNotify(false, state)
	return err
}

// Watchdog tells the manager that the process is alive, twice in each WatchdogSec= of its unit, as
// long as alive reports so. It returns at once if the unit has none, and else when the context
// ends.
func (Manager) Watchdog(ctx context.Context, alive func() bool) error {
	interval, err := daemon.SdWatchdogEnabled(false)
	if err != nil || interval == 0 {
		return err
	}
	tick := time.NewTicker(interval / 2)
	defer tick.Stop()
	for {
		if alive() {
			if err := notify(daemon.SdNotifyWatchdog); err != nil {
				return err
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}
