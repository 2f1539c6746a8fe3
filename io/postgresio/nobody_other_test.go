//go:build !unix

package postgresio_test

import "os/exec"

func asNobody(*exec.Cmd, string) {}
