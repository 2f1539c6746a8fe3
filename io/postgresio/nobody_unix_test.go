//go:build unix

package postgresio_test

import (
	"os"
	"os/exec"
	"syscall"
)

// asNobody makes a command of another user, if it would be root's: PostgreSQL does not run as root.
func asNobody(cmd *exec.Cmd, dir string) {
	if os.Getuid() != 0 {
		return
	}
	const nobody = 65534
	_ = os.Chown(dir, nobody, nobody) // else the command fails
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
}
