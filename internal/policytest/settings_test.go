package policytest

// The settings of these packages are in the files of tests.
import (
	_ "github.com/rtbwire/rtbwire/gateway"
	_ "github.com/rtbwire/rtbwire/internal/serving/admin"
	_ "github.com/rtbwire/rtbwire/internal/serving/logs"
	_ "github.com/rtbwire/rtbwire/internal/serving/transport"
)
