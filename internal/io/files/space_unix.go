//go:build darwin || linux

package files

import (
	"os"
	"path/filepath"
	"syscall"
)

// Space says how much this user can write to the disk of a directory of this machine that is there or is to be
// made. known is false if the system does not tell.
func Space(dir string) (s Free, known bool) {
	for {
		var f syscall.Statfs_t
		info, err := os.Stat(dir)
		if err == nil && syscall.Statfs(dir, &f) == nil {
			disk, ok := info.Sys().(*syscall.Stat_t)
			if !ok {
				return s, false
			}
			s = Free{Disk: uint64(disk.Dev), Bytes: int64(f.Bavail) * int64(f.Bsize), Files: -1}
			if f.Files > 0 { // some file systems make room for names as they need it, and say 0
				s.Files = int64(f.Ffree)
			}
			return s, true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return s, false
		}
		dir = parent
	}
}
