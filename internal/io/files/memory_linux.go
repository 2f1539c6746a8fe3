package files

import (
	"path/filepath"
	"syscall"
)

// InMemory reports whether a directory of this machine, which is there or is to be made, is on a file system that is
// gone after a power cut.
func InMemory(dir string) bool {
	const tmpfs, ramfs = 0x01021994, 0x858458f6 // linux/magic.h
	for {
		var f syscall.Statfs_t
		if err := syscall.Statfs(dir, &f); err == nil {
			return f.Type == tmpfs || f.Type == ramfs
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return false
		}
		dir = parent
	}
}
