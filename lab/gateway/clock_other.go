//go:build !linux

package gateway

import (
	"errors"
	"time"
)

func processorTime(int) (time.Duration, error) {
	return 0, errors.New("the comparison of gateways needs Linux")
}

func ownTime() time.Duration { return 0 }
