package pipelines

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dapple-dp/dapple/internal/release/keep"
	"github.com/dapple-dp/dapple/transforms/synth"
)

// A run whose workers are in other processes is stopped through its store. Each step that matters begins with an
// object that is created unless it exists: the mark that noise is drawn, the release, the start of the publication.
// To stop the run, the missing ones are created with stopText as content. So each step either has happened or never
// will, whatever becomes of the workers, and what is reported about the run stays true.

var stopText = []byte("the run was stopped before this step\n")

// publishSuffix is of the object, behind the ID of a run, that is there once its publication has begun.
const publishSuffix = ".publishing"

var errGone = errors.New("pipelines: the staging of the run is not there: the run has ended, or this worker does not see the launcher's directories; it draws nothing")

// stop keeps a run from all steps that it has not begun. The run that publishes can be another one than that
// whose release it is.
func (s staging) stop(ctx context.Context, runID, publisher string) error {
	ctx, cancel := afterwards(ctx)
	defer cancel()
	var errs []error
	for _, name := range []string{runID + synth.DrawnSuffix, runID + synth.ReleaseSuffix, publisher + publishSuffix} {
		_, _, err := keep.Open(s.dir).CreateIfAbsent(ctx, name, stopText)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// has reports whether a run has done a step.
func has(ctx context.Context, store synth.Store, name string) (data []byte, done bool, err error) {
	data, found, err := store.Get(ctx, name)
	return data, found && !bytes.Equal(data, stopText), err
}

// releaseStore keeps the release of a run. A stopped run releases no more, and neither does one whose staging is
// gone: in an empty store it would draw its noise anew.
type releaseStore struct{ synth.Store }

func (s releaseStore) Get(ctx context.Context, name string) ([]byte, bool, error) {
	data, found, err := s.Store.Get(ctx, name)
	if bytes.Equal(data, stopText) {
		return nil, false, errStopped
	}
	return data, found, err
}

func (s releaseStore) CreateIfAbsent(ctx context.Context, name string, data []byte) ([]byte, bool, error) {
	runID, _, _ := strings.Cut(name, ".") // a run has one name and several objects
	done, err := mayPublish(ctx, runID, "")
	if err != nil {
		return nil, false, err
	}
	defer done()
	if _, found, err := s.Store.Get(ctx, noteName); err != nil {
		return nil, false, err
	} else if !found {
		return nil, false, errGone
	}
	current, created, err := s.Store.CreateIfAbsent(ctx, name, data)
	switch {
	case err != nil:
		return nil, false, fmt.Errorf("%w; every worker has to write there, and --temp_location names another place", err)
	case bytes.Equal(current, stopText):
		return nil, false, errStopped
	}
	return current, created, nil
}

// mayPublish takes the publish lock of a run for reading, if it is one of this process, and looks into the staging
// in stopDir for a stop, if there is one. The caller calls done when it has published. It returns errStopped if the
// run was stopped.
func mayPublish(ctx context.Context, runID, stopDir string) (done func(), err error) {
	if stopDir != "" {
		data, _, err := keep.Open(stopDir).Get(ctx, runID+publishSuffix)
		switch {
		case err != nil:
			return nil, fmt.Errorf("pipelines: looking whether the run was stopped: %w", err)
		case bytes.Equal(data, stopText):
			return nil, errStopped
		}
	}
	return lockedIn(runID)
}

// beginPublication is mayPublish for the last step: no stop comes after it.
func beginPublication(ctx context.Context, runID, stopDir string) (done func(), err error) {
	if stopDir != "" {
		_, _, err := releaseStore{keep.Open(stopDir)}.CreateIfAbsent(ctx, runID+publishSuffix, []byte("the publication has begun\n"))
		if err != nil {
			return nil, err
		}
	}
	return mayPublish(ctx, runID, stopDir)
}
