//go:build simpleagents_flags

package simpleagents

// The compiler finds the header and the linker finds the folder of the library through CGO_CFLAGS and CGO_LDFLAGS,
// which come after these flags.

// #cgo LDFLAGS: -lsimple_agents
import "C"
