// Command dapple turns a private table into a synthetic one. Run "dapple help".
package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/direct"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/spf13/cobra"

	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/kit/errtext"
	"github.com/dapple-dp/dapple/internal/pipelines"
	"github.com/dapple-dp/dapple/internal/release/report"
	_ "github.com/dapple-dp/dapple/internal/request/jobs/dataflow"
	_ "github.com/dapple-dp/dapple/internal/request/jobs/loopback"
	_ "github.com/dapple-dp/dapple/io/arrowio"
	_ "github.com/dapple-dp/dapple/io/avroio"
	_ "github.com/dapple-dp/dapple/io/bigqueryio"
	_ "github.com/dapple-dp/dapple/io/csvio"
	_ "github.com/dapple-dp/dapple/io/gs"
	_ "github.com/dapple-dp/dapple/io/jsonio"
	_ "github.com/dapple-dp/dapple/io/parquetio"
	_ "github.com/dapple-dp/dapple/io/postgresio"
	_ "github.com/dapple-dp/dapple/io/s3"
)

func main() {
	if isWorker(os.Args[1:]) {
		if err := work(os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	signal.Ignore(syscall.SIGPIPE) // a run does not end because nobody reads its progress any more
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it, so that the run outlives its terminal
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), ends...)
	// A second signal ends the process at once. One that comes with the first is none: timeout and shells send
	// theirs to a process and to its group.
	context.AfterFunc(ctx, func() { time.Sleep(time.Second); stop() })
	stopProfiles := profile(os.Stderr)
	ctx, leave := owned(ctx, pipelines.Workspace(os.Getenv(workspaceVariable)), os.Stdin)
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	leave()
	stopProfiles()
	os.Exit(status)
}

// run executes one command line and returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr *os.File) (status int) {
	defer func() {
		if text := recover(); text != nil {
			fmt.Fprintf(stderr, "dapple: %v\n", errtext.Panicked(text, debug.Stack()))
			if draws(withCommand(args)) {
				fmt.Fprintln(stderr, "count the privacy budget of a run that had begun as spent")
			}
			status = 1
		}
	}()
	defer func() { _ = files.Close() }() // the process ends
	args = withCommand(args)
	var err error
	top := root(commands(stderr, isTerminal(stderr)), stdout, stderr, func(c command) error {
		if err = readRequest(ctx, args[1:], c, stderr); err == nil {
			err = execute(ctx, c, stdout, stderr)
		}
		return err
	})
	top.SetArgs(args)
	c, _, none := top.Find(args)
	switch {
	case slices.Contains(versionWords, args[0]):
		if slices.Contains(args[1:], "--json") {
			_ = json.NewEncoder(stdout).Encode(report.ReadVersions()) // of texts
		} else {
			fmt.Fprintln(stdout, version())
		}
		return 0
	case args[0] == licensesWord:
		fmt.Fprint(stdout, notices)
		return 0
	case completes(args[0]):
		return exitStatus(top.ExecuteContext(ctx))
	case none != nil:
		err = unknownCommand(top, args[0])
	case c.Runnable() && (slices.Contains(args, "--help") || slices.Contains(args, "-h")):
		c.InitDefaultHelpFlag()
		err = c.Help()
	default:
		err = top.ExecuteContext(ctx)
	}
	if err != nil {
		say(stderr, err, asJSON(args))
	}
	return exitStatus(err)
}

var versionWords = []string{"version", "--version", "-version", "-v"}

const licensesWord = "--licenses"

// notices are the licences of all modules that a program may be linked from: make notices.
//
//go:embed THIRD_PARTY_NOTICES
var notices string

// withCommand begins a command line with its command: flags alone belong to synth, as launchers of templates give them.
func withCommand(args []string) []string {
	switch {
	case len(args) == 0 || args[0] == "-h" || args[0] == "--help":
		return []string{"help"}
	case strings.HasPrefix(args[0], "-") && args[0] != licensesWord && !slices.Contains(versionWords, args[0]):
		return append([]string{"synth"}, args...)
	}
	return args
}

// draws reports whether a command line can spend a budget: others draw no noise.
func draws(args []string) bool {
	return args[0] == "synth" || args[0] == "expand" ||
		args[0] == "infer" && slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "--epsilon") })
}

// completes reports whether a shell asks for completions.
func completes(word string) bool {
	return word == cobra.ShellCompRequestCmd || word == cobra.ShellCompNoDescRequestCmd
}

// readRequest reads the flags of a command, and finds every fault of what they ask for.
func readRequest(ctx context.Context, args []string, c command, stderr io.Writer) error {
	fmt.Fprint(stderr, emulatorNotes(args))
	stop := sayIfSlow(stderr, patientFor, servicesOf(args))
	defer stop()
	var faults pipelines.Faults
	if err := interruptible(ctx, func() error { faults = allFaults(ctx, args, c); return nil }); err != nil || ctx.Err() != nil {
		return errInterrupted
	}
	return faults.Err()
}

// execute runs a command whose request is without fault.
func execute(ctx context.Context, c command, stdout, stderr io.Writer) error {
	if !c.beam {
		return interruptible(ctx, func() error { return c.run(ctx, stdout) })
	}
	if err := checkLimits(); err != nil {
		return err
	}
	log, end, err := startBeam()
	if err != nil {
		return err
	}
	defer end()
	err = c.run(ctx, stdout)
	if errors.Is(err, pipelines.ErrRunner) {
		log.print(stderr)
	}
	return err
}

// exitStatus says how the process ends: 0 done, 1 the run failed, 2 the request was wrong, 3 all is written and the criteria are
// not met, 4 the same command goes on with what was paid for.
func exitStatus(err error) int {
	switch {
	case err == nil:
		return 0
	case pipelines.IsRequest(err):
		return 2
	case errors.Is(err, pipelines.ErrCriteria):
		return 3
	case errors.Is(err, pipelines.ErrKept):
		return 4
	}
	return 1
}

// asJSON reports whether errors are asked for as JSON.
func asJSON(args []string) bool {
	k := slices.Index(args, "--log")
	return slices.Contains(args, "--log=json") || k >= 0 && k+1 < len(args) && args[k+1] == "json"
}

// sayJSON writes each fault of err, or err, as an object a line.
func sayJSON(w io.Writer, err error) {
	type line struct {
		Time   string `json:"time"`
		Level  string `json:"level"`
		Status int    `json:"exit_status"`
		Where  string `json:"where,omitempty"`
		What   string `json:"what"`
		Fix    string `json:"fix,omitempty"`
	}
	now, status := time.Now().UTC().Format(time.RFC3339), exitStatus(err)
	var faults pipelines.Faults
	if !errors.As(err, &faults) {
		faults = pipelines.Faults{{What: err.Error()}}
	}
	out := json.NewEncoder(w)
	for _, f := range faults {
		_ = out.Encode(line{now, "error", status, f.Where, f.What, f.Fix}) // to standard error: there is nowhere to report a failure
	}
}

// say prints err the way a person reads it: every fault on a line of its own; or as JSON.
func say(w io.Writer, err error, inJSON bool) {
	var faults pipelines.Faults
	switch {
	case inJSON:
		sayJSON(w, err)
		return
	case !errors.As(err, &faults):
		fmt.Fprintf(w, "dapple: %v\n", err)
		return
	case len(faults) == 1:
		fmt.Fprintln(w, "dapple: one problem; nothing was read or written")
	default:
		fmt.Fprintf(w, "dapple: %d problems; nothing was read or written\n", faults.Count())
	}
	for _, line := range faults.Lines() {
		fmt.Fprintf(w, "  %s\n", line)
	}
}

// allFaults joins the faults of the flags' text with the faults of what they name. A flag that could not be
// read is not complained about twice.
func allFaults(ctx context.Context, args []string, cmd command) pipelines.Faults {
	faults := parse(args, cmd.options, cmd.words...)
	reported := slices.Clone(faults)
	var more pipelines.Faults
	if err := cmd.check(ctx); errors.As(err, &more) {
		for _, f := range more {
			if !slices.ContainsFunc(reported, func(g pipelines.Fault) bool { return g.Where == f.Where }) {
				faults = append(faults, f)
			}
		}
	} else if err != nil {
		faults = append(faults, pipelines.Fault{Where: cmd.name, What: err.Error()})
	}
	for i := range faults {
		for _, o := range cmd.options {
			if faults[i].Where == o.text() {
				faults[i].Where += o.from
			}
		}
	}
	return faults
}
