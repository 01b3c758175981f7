package measure

import "github.com/rtbwire/rtbwire/internal/timing"

// What programs of the lab use of package timing.
type (
	Sample        = timing.Sample
	Usage         = timing.Usage
	ServiceTask   = timing.ServiceTask
	ServiceResult = timing.ServiceResult
)

// Functions of package timing, under the names that programs of the lab use.
var (
	CPUTime    = timing.CPUTime
	CPUTimeOf  = timing.CPUTimeOf
	IdlestCore = timing.IdlestCore
	OnCore     = timing.OnCore
	UsageNow   = timing.UsageNow
	Bound      = timing.Bound
	BucketOf   = timing.BucketOf
	Percentile = timing.Percentile
)
