package runbook

var streamFaults, kafkaFaults []fault
