package service

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/rtbwire/rtbwire/inspect/reload"
)

// Follow watches what is read from files until stop is called. hangup is called at each SIGHUP.
func Follow(sources []reload.Source, hangup func()) (stop func()) {
	watcher := reload.Watch(reload.Options{}, sources...)
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-hangups:
				hangup()
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(hangups)
		close(done)
		watcher.Close()
	}
}
