// Command dapple turns a private table into a synthetic one. Run "dapple help".
package main

import (
	"context"
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

	_ "github.com/dapple-dp/dapple/internal/beamrun/jobs/dataflow"
	_ "github.com/dapple-dp/dapple/internal/beamrun/jobs/loopback"
	"github.com/dapple-dp/dapple/internal/report"
	_ "github.com/dapple-dp/dapple/io/bigqueryio"
	_ "github.com/dapple-dp/dapple/io/csvio"
	"github.com/dapple-dp/dapple/io/files"
	_ "github.com/dapple-dp/dapple/io/gs"
	_ "github.com/dapple-dp/dapple/io/parquetio"
	_ "github.com/dapple-dp/dapple/io/s3"
	"github.com/dapple-dp/dapple/io/schema"
	"github.com/dapple-dp/dapple/pipelines"
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
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run executes one command line and returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr *os.File) (status int) {
	defer func() {
		if text := recover(); text != nil {
			fmt.Fprintf(stderr, "dapple: %v\ncount the privacy budget of a run that had begun as spent\n", pipelines.Panicked(text, debug.Stack()))
			status = 1
		}
	}()
	cmds := commands(stderr, isTerminal(stderr))
	name, rest := "synth", args
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		name, rest = args[0], args[1:]
	}
	if len(args) > 0 && slices.Contains([]string{"version", "--version", "-version"}, args[0]) {
		v := report.ReadVersions()
		fmt.Fprintf(stdout, "dapple %s, %s, Beam %s\n", v.Dapple, v.Go, v.Beam)
		return 0
	}
	if len(args) == 0 || name == "help" || slices.Contains(rest, "--help") || slices.Contains(rest, "-h") {
		if name == "help" && len(rest) > 0 {
			name = rest[0]
		}
		return help(cmds, name, len(args) > 0, stdout, stderr)
	}
	k := slices.IndexFunc(cmds, func(c command) bool { return c.name == name })
	if k < 0 {
		fmt.Fprintf(stderr, "dapple: %q is no command; see dapple help\n", name)
		return 2
	}
	defer func() { _ = files.Close() }() // the process ends
	fmt.Fprint(stderr, emulatorNotes(rest))
	stop := sayIfSlow(stderr, patientFor, servicesOf(rest))
	var faults pipelines.Faults
	err := interruptible(ctx, func() error { faults = allFaults(ctx, rest, cmds[k]); return nil })
	stop()
	if err != nil || ctx.Err() != nil {
		say(stderr, errInterrupted, asJSON(rest))
		return 1
	}
	if len(faults) > 0 {
		say(stderr, faults, asJSON(rest))
		return exitStatus(faults)
	}
	err = execute(ctx, cmds[k], stdout, stderr)
	if err != nil {
		say(stderr, err, asJSON(rest))
	}
	return exitStatus(err)
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

// exitStatus says how the process ends: 0 done, 1 the run failed, 2 the request was wrong.
func exitStatus(err error) int {
	switch {
	case err == nil:
		return 0
	case pipelines.IsRequest(err):
		return 2
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

// allFaults joins the faults of the flags' text with those of what they name. A flag that could not be
// read is not complained about twice.
func allFaults(ctx context.Context, args []string, cmd command) pipelines.Faults {
	faults := parse(args, cmd.options)
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
	return faults
}

// listOptions prints the flags of a command that have a usage: those for runs elsewhere, or the others.
func listOptions(out io.Writer, options []option, elsewhere bool) {
	width := 22
	if elsewhere {
		width = 26
	}
	for _, o := range options {
		if o.usage == "" || o.elsewhere != elsewhere {
			continue
		}
		flagText := o.text()
		if o.value != "" && o.name != "" {
			flagText += "=" + o.value
		}
		note := ""
		if o.required {
			note = " (required)"
		}
		fmt.Fprintf(out, "  %-*s %s%s\n", width, flagText, o.usage, note)
	}
}

// filePages are the pages of help on files that people write.
var filePages = map[string]func(io.Writer) error{
	"domain": schema.WriteReference,
	"about":  schema.WriteAboutReference,
	"schema": func(out io.Writer) error {
		b, err := schema.JSONSchema()
		if err == nil {
			_, err = out.Write(b)
		}
		return err
	},
}

// help prints one command's flags, those for runs elsewhere, or the list of commands.
func help(cmds []command, name string, known bool, stdout, stderr io.Writer) int {
	k := slices.IndexFunc(cmds, func(c command) bool { return c.name == name })
	if k >= 0 && known {
		c := cmds[k]
		fmt.Fprintf(stdout, "dapple %s: %s\n", c.name, c.summary)
		listOptions(stdout, c.options, false)
		fmt.Fprintf(stdout, "\nexample: %s\n", c.example)
		return 0
	}
	if page := filePages[name]; page != nil {
		if err := page(stdout); err != nil {
			fmt.Fprintf(stderr, "dapple: %v\n", err)
			return 1
		}
		return 0
	}
	if name == "runners" {
		fmt.Fprint(stdout, "Flags of synth for runs on an engine; all but Dataflow take jobs through Beam's job servers.\n"+
			"  --runner=NAME              flink, spark, universal or prism with an --endpoint, or dataflow\n")
		for _, c := range cmds {
			if c.name == "synth" {
				listOptions(stdout, c.options, true)
			}
		}
		fmt.Fprint(stdout, "\nexample: dapple synth --domain=people.yaml --input=/shared/people.csv --output=/shared/out \\\n"+
			"           --epsilon=1 --delta=1e-9 --runner=flink --endpoint=localhost:8099\n")
		return 0
	}
	out, status := stdout, 0
	if known && name != "help" {
		fmt.Fprintf(stderr, "dapple: %q is no command\n", name)
		out, status = stderr, 2
	}
	fmt.Fprint(out, "dapple makes differentially private synthetic tables.\n\n")
	for _, c := range cmds {
		fmt.Fprintf(out, "  %-10s %s\n", c.name, c.summary)
	}
	fmt.Fprint(out, "\ndapple help COMMAND lists a command's flags. With flags and no command it is synth.\n"+
		"dapple help runners lists the flags for Flink, Spark, Dataflow and other engines.\n"+
		"dapple help domain explains the domain file; dapple help schema is its JSON Schema, for editors.\n"+
		"Begin with dapple infer --input=TABLE --from_data --output=domain.yaml; it names what is next.\n"+
		"dapple --version says what this program was built from. All commands take --quiet, and --log=json,\n"+
		"which writes progress and errors as JSON, an object a line.\n"+
		"Files and directories are local, gs:// or s3://bucket/path; tables are bq://project.dataset.table.\n")
	return status
}
