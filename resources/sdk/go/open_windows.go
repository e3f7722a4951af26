package platform

import (
	"fmt"
	"os"
)

// openPlain opens a file for reading that is no link.
func openPlain(path string) (*os.File, error) {
	if found, err := os.Lstat(path); err == nil && found.Mode()&os.ModeSymlink != 0 {
		return nil, fmt.Errorf("%s is a link", path)
	}
	return os.Open(path)
}
