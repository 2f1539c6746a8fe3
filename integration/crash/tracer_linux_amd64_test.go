package crash

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// plan says what happens to a process.
type plan struct {
	At     int    // the number of the operation, from 1
	Do     string // kill, errno, short or signal; else nothing
	Code   int    // error or signal
	Within string // operations on paths with this text are counted
	Log    string // file to which the operations are written
	Draws  string // file to which the marks that noise is drawn are added as they are made; empty: none
}

const (
	role     = "DAPPLE_CRASH_ROLE"
	planText = "DAPPLE_CRASH_PLAN"
)

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "tracer":
		os.Exit(trace(os.Args[1:]))
	case "traced":
		fmt.Fprintln(os.Stderr, "crash: the program could not be started:", become(os.Args[1:]))
		os.Exit(125)
	}
	os.Exit(m.Run())
}

func canTrace() string { return "" }

// Numbers of the kernel that package syscall does not name.
const (
	sysSeccomp     = 317
	sysRenameat2   = 316
	noNewPrivs     = 38         // PR_SET_NO_NEW_PRIVS
	setFilter      = 1          // SECCOMP_SET_MODE_FILTER
	allThreads     = 1          // SECCOMP_FILTER_FLAG_TSYNC
	retTrace       = 0x7ff00000 // SECCOMP_RET_TRACE
	retAllow       = 0x7fff0000 // SECCOMP_RET_ALLOW
	eventSeccomp   = 7          // PTRACE_EVENT_SECCOMP
	optionSeccomp  = 1 << eventSeccomp
	optionExitKill = 1 << 20
)

// operations are those that change files. The number says which argument is a path, or an open file: 0 to 2, negative
// for a file descriptor in the first.
var operations = map[uint64]struct {
	name string
	path int
}{
	syscall.SYS_OPENAT: {"openat", 1}, syscall.SYS_WRITE: {"write", -1}, syscall.SYS_PWRITE64: {"pwrite", -1},
	syscall.SYS_RENAME: {"rename", 0}, syscall.SYS_RENAMEAT: {"renameat", 1}, sysRenameat2: {"renameat2", 1},
	syscall.SYS_LINK: {"link", 0}, syscall.SYS_LINKAT: {"linkat", 1}, syscall.SYS_UNLINK: {"unlink", 0}, syscall.SYS_UNLINKAT: {"unlinkat", 1},
	syscall.SYS_MKDIR: {"mkdir", 0}, syscall.SYS_MKDIRAT: {"mkdirat", 1}, syscall.SYS_RMDIR: {"rmdir", 0},
	syscall.SYS_FSYNC: {"fsync", -1}, syscall.SYS_FDATASYNC: {"fdatasync", -1}, syscall.SYS_FTRUNCATE: {"ftruncate", -1},
	syscall.SYS_CHMOD: {"chmod", 0}, syscall.SYS_FCHMODAT: {"fchmodat", 1},
}

// become asks the kernel to stop at every operation, and becomes the program.
func become(args []string) error {
	runtime.LockOSThread()
	type step struct { // struct sock_filter
		code     uint16
		jt, jf   uint8
		constant uint32
	}
	const load, jumpEqual, give = 0x20, 0x15, 0x06
	program := []step{{load, 0, 0, 0}} // the number of the system call
	for nr := range operations {
		program = append(program, step{jumpEqual, 0, 1, uint32(nr)}, step{give, 0, 0, retTrace})
	}
	program = append(program, step{give, 0, 0, retAllow})
	filter := struct { // struct sock_fprog
		length uint16
		_      [6]byte
		first  *step
	}{length: uint16(len(program)), first: &program[0]}
	if err := os.Unsetenv(role); err != nil {
		return err
	}
	if _, _, e := syscall.RawSyscall6(syscall.SYS_PRCTL, noNewPrivs, 1, 0, 0, 0, 0); e != 0 {
		return e
	}
	if _, _, e := syscall.RawSyscall(sysSeccomp, setFilter, allThreads, uintptr(unsafe.Pointer(&filter))); e != 0 {
		return e
	}
	return syscall.Exec(args[0], args, os.Environ())
}

// tracer follows one process and its threads.
type tracer struct {
	plan
	pid   int
	n     int
	log   *os.File
	last  string
	again int
}

// trace runs a program by a plan and returns its exit status, 128 and more for a signal.
func trace(args []string) int {
	runtime.LockOSThread() // only this thread may trace
	t := &tracer{}
	if err := json.Unmarshal([]byte(os.Getenv(planText)), &t.plan); err != nil {
		fmt.Fprintln(os.Stderr, "crash:", err)
		return 125
	}
	var err error
	if t.log, err = os.Create(t.Log); err != nil {
		fmt.Fprintln(os.Stderr, "crash:", err)
		return 125
	}
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), role+"=traced")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, "crash:", err)
		return 125
	}
	t.pid = cmd.Process.Pid
	return t.follow()
}

func (t *tracer) follow() int {
	status, known := 125, false
	for {
		var ws syscall.WaitStatus
		tid, err := syscall.Wait4(-1, &ws, syscall.WALL, nil)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return status
		}
		switch {
		case ws.Exited() && tid == t.pid:
			status = ws.ExitStatus()
		case ws.Signaled() && tid == t.pid:
			status = 128 + int(ws.Signal())
		case ws.Stopped() && !known:
			known = true
			err = syscall.PtraceSetOptions(tid, optionSeccomp|optionExitKill|syscall.PTRACE_O_TRACECLONE|syscall.PTRACE_O_TRACEFORK|syscall.PTRACE_O_TRACEVFORK|syscall.PTRACE_O_TRACEEXEC)
			if err != nil {
				fmt.Fprintln(os.Stderr, "crash:", err)
				_ = syscall.Kill(t.pid, syscall.SIGKILL)
			}
			_ = syscall.PtraceCont(tid, 0)
		case ws.Stopped():
			signal := int(ws.StopSignal())
			event := int(ws) >> 16
			if event == eventSeccomp {
				t.operation(tid)
			}
			if event != 0 || signal == int(syscall.SIGSTOP) || signal == int(syscall.SIGTRAP) {
				signal = 0
			}
			_ = syscall.PtraceCont(tid, signal) // a thread that has gone is waited for no more
		}
	}
}

// operation counts an operation, and does what is planned for it.
func (t *tracer) operation(tid int) {
	var r syscall.PtraceRegs
	if syscall.PtraceGetRegs(tid, &r) != nil {
		return
	}
	op, path := operations[r.Orig_rax], t.pathOf(tid, &r)
	const writing = syscall.O_WRONLY | syscall.O_RDWR | syscall.O_CREAT | syscall.O_TRUNC
	if !strings.Contains(path, t.Within) || r.Orig_rax == syscall.SYS_OPENAT && r.Rdx&writing == 0 {
		return
	}
	if line := op.name + "\t" + path; strings.HasSuffix(op.name, "write") && line == t.last {
		if t.again++; t.again > 1 {
			return // of many writes to one file two are as good
		}
	} else {
		t.last, t.again = line, 0
	}
	t.n++
	fmt.Fprintf(t.log, "%d\t%s\t%s\n", t.n, op.name, path)
	if t.n != t.At || t.Do != "kill" && t.Do != "errno" { // else the operation is not done
		t.drawn(tid, &r)
	}
	if t.n != t.At {
		return
	}
	switch t.Do {
	case "kill":
		_ = syscall.Kill(t.pid, syscall.SIGKILL)
	case "signal":
		_ = syscall.Kill(t.pid, syscall.Signal(t.Code))
	case "errno":
		r.Orig_rax, r.Rax = ^uint64(0), uint64(-int64(t.Code))
		_ = syscall.PtraceSetRegs(tid, &r)
	case "short":
		if strings.HasSuffix(op.name, "write") && r.Rdx > 1 {
			r.Rdx /= 2
			_ = syscall.PtraceSetRegs(tid, &r)
		}
	}
}

// drawn notes the mark of a run or a finding that is about to draw noise: a link to a file that says so.
func (t *tracer) drawn(tid int, r *syscall.PtraceRegs) {
	if t.Draws == "" || r.Orig_rax != syscall.SYS_LINKAT {
		return
	}
	mark := pathAt(tid, r.Rdx, r.R10)
	text, err := os.ReadFile(pathAt(tid, r.Rdi, r.Rsi))
	if _, there := os.Lstat(mark); err != nil || there == nil || !strings.HasSuffix(mark, ".drawn") || !bytes.HasPrefix(text, []byte("noise is drawn")) {
		return
	}
	f, err := os.OpenFile(t.Draws, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = fmt.Fprintln(f, mark)
		_ = f.Close() // it was written to
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "crash:", err)
	}
}

// pathOf returns the path that an operation is about.
func (t *tracer) pathOf(tid int, r *syscall.PtraceRegs) string {
	switch operations[r.Orig_rax].path {
	case -1:
		to, _ := os.Readlink("/proc/" + strconv.Itoa(tid) + "/fd/" + strconv.Itoa(int(r.Rdi)))
		return to
	case 1:
		return pathAt(tid, r.Rdi, r.Rsi)
	}
	return pathAt(tid, ^uint64(0), r.Rdi)
}

// pathAt returns the path at an address of a process, seen from an open directory.
func pathAt(tid int, dir, at uint64) string {
	of := func(fd uint64) string {
		if int32(fd) < 0 { // AT_FDCWD
			to, _ := os.Readlink(fmt.Sprintf("/proc/%d/cwd", tid))
			return to
		}
		to, _ := os.Readlink("/proc/" + strconv.Itoa(tid) + "/fd/" + strconv.Itoa(int(fd)))
		return to
	}
	var text [1024]byte
	mem, err := os.Open(fmt.Sprintf("/proc/%d/mem", tid))
	if err != nil {
		return ""
	}
	defer mem.Close() // only read from
	n, _ := mem.ReadAt(text[:], int64(at))
	path, _, _ := bytes.Cut(text[:n], []byte{0})
	if len(path) > 0 && path[0] == '/' {
		return string(path)
	}
	return of(dir) + "/" + string(path)
}
