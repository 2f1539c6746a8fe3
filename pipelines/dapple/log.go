package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/pipelines"
)

// runnerLog keeps the end of what a runner logs. A runner logs bundles and ports, and
// repeats every error several times with its whole chain: a user needs none of it if the error is one of
// ours, and all of it if the runner itself has failed.
type runnerLog struct {
	mu   sync.Mutex
	kept [][]byte
}

// keptLines is how many lines of the log are kept.
const keptLines = 20

// startBeam makes Beam ready to run pipelines in this process: quiet, and with a temporary directory of
// its own, since it leaves a file there in every run. Call end when the command is over.
func startBeam() (l *runnerLog, end func(), err error) {
	temp, err := os.MkdirTemp("", pipelines.BeamPrefix)
	if err != nil {
		return nil, nil, tempFault(err)
	}
	before, was := os.LookupEnv("TMPDIR")
	release, err := files.Hold(temp)
	if err == nil {
		err = os.Setenv("TMPDIR", temp)
	}
	if err != nil {
		return nil, nil, errors.Join(err, os.Remove(temp))
	}
	beam.Init() // it sets the default logger: ours comes after it
	l = &runnerLog{}
	slog.SetDefault(slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelWarn})))
	return l, func() {
		os.RemoveAll(temp)
		release()
		if was {
			_ = os.Setenv("TMPDIR", before) // the name has been set before
		} else {
			_ = os.Unsetenv("TMPDIR")
		}
	}, nil
}

// tempFault says what chooses the directory for temporary files, which no flag of the command names.
func tempFault(err error) error {
	return pipelines.Faults{{
		Where: "TMPDIR", What: fmt.Sprintf("%s cannot be written to: %v", os.TempDir(), errors.Unwrap(err)),
		Fix: "set TMPDIR to a directory of this machine that can be",
	}}
}

// Write keeps one line; the handler writes each with one call.
func (l *runnerLog) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept = append(l.kept, append([]byte(nil), line...))
	l.kept = l.kept[max(0, len(l.kept)-keptLines):]
	return len(line), nil
}

// print writes the kept lines.
func (l *runnerLog) print(w io.Writer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.kept {
		_, _ = w.Write(line) // to standard error: there is nowhere to report a failure
	}
}
