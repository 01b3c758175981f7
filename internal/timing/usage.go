package timing

import "time"

// Usage is what the processors of the machine have done since it was started.
type Usage struct {
	At     time.Time
	Busy   time.Duration // of all processes
	Own    time.Duration // of this process and those that it started, once they have ended
	Stolen time.Duration // of other virtual machines, while this one wanted to run
}

// Others returns how many cores other processes and other virtual machines kept busy between two
// readings, on average.
func (u Usage) Others(before Usage) float64 {
	elapsed := u.At.Sub(before.At)
	if elapsed <= 0 {
		return 0
	}
	others := (u.Busy - before.Busy) - (u.Own - before.Own) + (u.Stolen - before.Stolen)
	return max(0, others.Seconds()/elapsed.Seconds())
}

// StolenShare returns what other virtual machines took between two readings, as a share of the
// processor time that programs of this one asked for.
func (u Usage) StolenShare(before Usage) float64 {
	stolen := u.Stolen - before.Stolen
	asked := u.Busy - before.Busy + stolen
	if asked <= 0 {
		return 0
	}
	return max(0, stolen.Seconds()/asked.Seconds())
}
