package runbook

import (
	_ "github.com/prometheus/prometheus/model/rulefmt"
	_ "github.com/prometheus/prometheus/promql"
	_ "github.com/prometheus/prometheus/storage"
	_ "github.com/rtbwire/rtbwire/internal/testkit/running"
)
