// Package service is what verbs that run until they are stopped have in common: the log, the memory
// limit of the container, the port of administration, and configurations that are loaded again.
//
//	memory.go  the memory limit of the container
//	admin.go   the port of administration
//	follow.go  signals and changes of files
//	health.go  --health: is a service that runs here well?
package service
