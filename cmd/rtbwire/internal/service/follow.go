package service

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/rtbwire/rtbwire/internal/filewatch"
)

// Hangups returns a channel that gets each SIGHUP from now on, which would end the process
// otherwise. One that comes before [Follow] waits there.
func Hangups() chan os.Signal {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	return hangups
}

// Hangup is what has asked for a reload at SIGHUP.
const Hangup = "SIGHUP"

// Follow watches what is read from files until stop is called. hangup is called at each SIGHUP.
func Follow(sources []filewatch.Source, hangups chan os.Signal, hangup func()) (stop func()) {
	watcher := filewatch.Watch(filewatch.Options{}, sources...)
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
