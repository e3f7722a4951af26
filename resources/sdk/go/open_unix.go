//go:build !windows

package platform

import (
	"os"
	"syscall"
)

// openPlain opens a file for reading without following a link at its end.
func openPlain(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW, 0)
}
