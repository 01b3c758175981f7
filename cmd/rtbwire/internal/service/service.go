// Package service is the common part of long-running verbs: the log, the container's memory limit,
// the admin port, and reloads of the configuration.
//
//	memory.go     the memory limit of the container
//	admin.go      the port of administration
//	follow.go     signals and changes of files
//	candidate.go  a second configuration beside the live one
//	news.go       what the log is told of something that fails again and again
//	verdicts.go   where the log of verdicts goes
//	health.go     --health: is a service that runs here well?
package service
