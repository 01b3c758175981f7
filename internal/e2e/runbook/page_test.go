package runbook

import "testing"

func writePage(t *testing.T, known map[string]observation) {}
