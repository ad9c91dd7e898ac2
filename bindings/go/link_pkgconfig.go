//go:build !simpleagents_flags

package simpleagents

// #cgo pkg-config: simple-agents
import "C"
