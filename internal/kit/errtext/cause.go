// Package errtext makes of errors what people have to read: a list with an end, our own message inside a Beam runner's, no names
// of packages and system calls, and the name that somebody meant who wrote another one.
package errtext

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// ErrRunner marks an error in which no message of dapple's packages was found: the runner itself, or the machine, has
// failed, and the runner's log has the details.
var ErrRunner = errors.New("the runner failed")

// ErrPrism marks a fault of prism itself. It has some that strike by chance on a busy machine: another attempt goes on.
var ErrPrism = errors.New("prism has a fault")

// prismFault is the error of a fault of prism, by its place.
type prismFault string

func (p prismFault) Error() string {
	return "prism, a runner of Apache Beam, has a fault" + string(p) + " (message withheld: it may contain private data)"
}

func (p prismFault) Is(target error) bool { return target == ErrPrism }

// prefixes begin the messages of dapple's packages that run inside a pipeline.
var prefixes = []string{
	"accountant: ", "arrowio: ", "avroio: ", "bigquery: ", "bigqueryio: ", "book: ", "carry: ", "check: ", "columns: ", "contribution: ", "counts: ", "csv: ", "csvio: ", "dense: ",
	"discover: ", "dofn: ", "domain: ", "dp: ", "dpam: ", "dpfw: ", "evaluate: ", "expansion: ", "fields: ", "files: ", "infer: ", "interval: ", "ledger: ",
	"jsonio: ", "mechanism: ", "methods: ", "model: ", "modelio: ", "mrf: ", "noise: ", "page: ", "parquet: ", "parquetio: ", "pipelines: ", "plan: ",
	"population: ", "postgres: ", "private: ", "publish: ", "query: ", "rake: ", "records: ", "report: ", "rows: ", "schema: ", "sensitive: ", "sink: ",
	"solver: ", "store: ", "synth: ", "table: ", "tables: ",
}

// Of finds our own message in an error of a runner; ErrRunner, if the error has none. Runners put the text of a DoFn's error at
// the end of a chain of bundles, stages and jobs, whose links end in "caused by:" or "failed:"; the error of a panic goes on
// with a stack. A panic of prism itself has its text and stack too, and they say more than its log.
func Of(err error) error {
	if err == nil {
		return nil
	}
	whole := err.Error()
	if at := prismPanic.FindStringIndex(whole); at != nil {
		return prismError(whole[at[1]:])
	}
	text, _, _ := strings.Cut(whole, "\nFull error:")
	if own := inStep.FindStringSubmatch(text); own != nil {
		return errors.New(own[1])
	}
	for _, mark := range []string{"caused by:\n", "Caused by:\n", " failed:\n"} {
		if i := strings.LastIndex(text, mark); i >= 0 {
			text = text[i+len(mark):]
		}
	}
	text = strings.TrimSpace(text)
	if _, message, panicked := strings.Cut("\n"+text, "\npanic: "); panicked {
		return panicError(message, whole)
	}
	first := len(text)
	for _, prefix := range prefixes {
		if i := strings.Index(text, prefix); i >= 0 && (i == 0 || strings.ContainsRune(" \n", rune(text[i-1]))) {
			first = min(first, i)
		}
	}
	if first < len(text) {
		return errors.New(text[first:])
	}
	line, _, _ := strings.Cut(text, "\n")
	for _, known := range usual {
		if found := known.text.FindString(whole); found != "" {
			return fmt.Errorf("%w: %s; %s", ErrRunner, strings.TrimSpace(found), known.fix)
		}
	}
	return fmt.Errorf("%w: %s", ErrRunner, line)
}

// ours is what a function of dapple's is called by in the text of an error that Beam makes of a step's.
const ours = "Name: github.com/dapple-dp/dapple/"

// inStep finds what InStep has made of the error of a step.
var inStep = regexp.MustCompile(`(?s)(?:^|[ :\n])dapple: (.*)`)

// InStep returns the text of the error that a worker reports of a step, without Beam's plan of the step around what a function has
// said. Functions of others keep theirs.
func InStep(text string) string {
	if i := strings.LastIndex(text, "DoFn[UID:"); i < 0 || !strings.Contains(strings.SplitN(text[i:], "\n", 2)[0], ours) {
		return text
	}
	own := Of(errors.New(text))
	if errors.Is(own, ErrRunner) {
		return text
	}
	return "dapple: " + own.Error()
}

// usual are errors of engines that have one cause, with their remedy.
var usual = []struct {
	text *regexp.Regexp
	fix  string
}{
	{regexp.MustCompile(`Insufficient number of network buffers[^\n]*`), "lower --parallelism, or raise taskmanager.memory.network.max of Flink"},
	{regexp.MustCompile(`(?:NoResourceAvailableException|Could not acquire the minimum required resources|TimeoutException: Timeout has occurred: )[^\n]*`), "no task manager has a free slot: start one, or lower --parallelism"},
	{regexp.MustCompile(`Record too large[^\n]*`), "raise taskmanager.memory.managed.size of Flink, or lower --parallelism"},
	{regexp.MustCompile(`OutOfMemoryError: Direct buffer memory`), "raise taskmanager.memory.framework.off-heap.size of Flink"},
	{regexp.MustCompile(`call is closed`), "a task manager has lost its worker, and its own log says why, often OutOfMemoryError: raise taskmanager.memory.framework.off-heap.size of Flink"},
	{regexp.MustCompile(`(?:java\.lang\.)?OutOfMemoryError[^\n]*`), "the engine needs more memory"},
	{regexp.MustCompile(`Process died with exit code (?:2|134|137|139)\b[^\n]*`), "a worker has ended, as a rule for want of memory: give its machine more"},
	{regexp.MustCompile(`Process died with exit code[^\n]*`), "a worker has ended: its own log says why; often its machine has another dapple, and --worker_binary names the right one"},
	{regexp.MustCompile(`(?:Cannot run program|error=2, No such file or directory)[^\n]*`), "the program of the workers has to be at the same place on every machine; --worker_binary says where"},
}

var (
	// stackBegins ends the text of a panic.
	stackBegins = regexp.MustCompile(`\s+goroutine \d+ \[`)
	// prismPanic begins the error of a panic inside prism.
	prismPanic = regexp.MustCompile(`(?:^|\n)(?:panic in (?:stage\.Execute|ElementManager\.)|pipeline panicked: )`)
	// beamFrame is a place in Beam in a stack.
	beamFrame = regexp.MustCompile(`/sdks/v2[^\s/]*/go/pkg/beam/([\w/]+\.go:\d+)`)
	// frame is a call of a function of dapple's in a stack, with its file and line.
	frame = regexp.MustCompile(`github\.com/dapple-dp/dapple/([\w/]+)\.[^\n]*\n[^\n]*/(\w+\.go:\d+)`)
)

// Panicked returns the error of a panic of this process, of its value and its stack, without what may depend on
// records.
func Panicked(text any, stack []byte) error { return panicError(fmt.Sprint(text), string(stack)) }

// panicError says that the program has a fault, and where. Our own texts are constants; texts of others may contain a
// length or an index that depends on records, and are not repeated.
func panicError(message, whole string) error {
	if end := stackBegins.FindStringIndex(message); end != nil {
		message = message[:end[0]]
	}
	if !slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(message, prefix) }) {
		message = "(message withheld: it may contain private data)"
	}
	place := ""
	if at := frame.FindStringSubmatch(whole); at != nil {
		place = " at " + at[1] + "/" + at[2]
	}
	return fmt.Errorf("the program has a fault%s, please report it: %s", place, message)
}

// prismError says that prism has a fault, and where. What it says may depend on records, as its stages and elements do.
func prismError(stack string) error {
	if i := strings.Index(stack, "\npanic("); i >= 0 {
		stack = stack[i:] // without the frames of recovering
	}
	place := ""
	if at := beamFrame.FindStringSubmatch(stack); at != nil {
		place = " at " + at[1]
	}
	return prismFault(place)
}

// Each takes joined errors apart.
func Each(err error) (all []error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			all = append(all, Each(e)...)
		}
		return all
	}
	if err == nil {
		return nil
	}
	return []error{err}
}

// Text is the text of an error without the names of our packages and of system calls before it.
func Text(err error) string {
	text := PathText(err)
	for again := true; again; {
		again = false
		for _, prefix := range prefixes {
			rest, found := strings.CutPrefix(text, prefix)
			text, again = rest, again || found
		}
	}
	return text
}

// PathText says "path: reason" without the system call's name.
func PathText(err error) string {
	if p, ok := errors.AsType[*os.PathError](err); ok {
		return fmt.Sprintf("%s: %v", p.Path, p.Err)
	}
	return err.Error()
}
