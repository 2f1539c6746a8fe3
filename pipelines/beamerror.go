package pipelines

import (
	"errors"
	"fmt"
	"strings"
)

// ErrRunner marks an error in which no message of dapple's packages was found: the runner itself, or
// the machine, has failed, and its log says more.
var ErrRunner = errors.New("the runner failed")

// prefixes begin the messages of dapple's packages.
var prefixes = []string{
	"csv: ", "parquet: ", "sink: ", "store: ", "private: ", "counts: ", "synth: ", "pipelines: ", "report: ",
	"table: ", "bigquery: ", "infer: ", "evaluate: ", "domain: ", "mechanism: ", "accountant: ", "noise: ", "model: ",
}

// rootCause finds our own message in an error of a runner. Runners put the text of a DoFn's error at the
// end of a chain of bundles, stages and jobs, whose links end in "caused by:" or "failed:"; the error of
// a panic goes on with a stack.
func rootCause(err error) error {
	if err == nil {
		return nil
	}
	text, _, _ := strings.Cut(err.Error(), "\nFull error:")
	for _, mark := range []string{"caused by:\n", "Caused by:\n", "] failed:\n"} {
		if i := strings.LastIndex(text, mark); i >= 0 {
			text = text[i+len(mark):]
		}
	}
	text = strings.TrimSpace(text)
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
	return fmt.Errorf("%w: %s", ErrRunner, line)
}
