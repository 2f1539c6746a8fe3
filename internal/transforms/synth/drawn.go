package synth

import (
	"context"
	"errors"
	"fmt"

	"github.com/dapple-dp/dapple/internal/kit/runner"
)

// Suffixes of the names that a run keeps in its store, after its run ID.
const (
	// DrawnSuffix names the mark that is written before any noise is drawn: a run that has one and ends without a
	// release counts as spent, because the way it ended may depend on noisy answers.
	DrawnSuffix = ".drawn"
	// ReleaseSuffix names the encoded Artifact.
	ReleaseSuffix = ".release"
)

// mark writes the mark to the store. Without a store spent adds the same to an error.
func (f *solveFn) mark(ctx context.Context) error {
	if f.Params.Store.Kind == "" {
		return nil
	}
	store, err := f.Params.Store.Open()
	if err != nil {
		return err
	}
	name := f.Params.RunID + DrawnSuffix
	if _, _, err := store.CreateIfAbsent(ctx, name, []byte("noise is drawn from here on: the budget of the run counts as spent\n")); err != nil {
		return fmt.Errorf("synth: marking the run as spent: %w", err)
	}
	return nil
}

// spent adds to the error of a solve whether its budget is spent. With a store the mark says so, also of other attempts.
func (f *solveFn) spent(drawn bool, err error) error {
	switch {
	case f.Params.Store.Kind != "":
		return err
	case drawn:
		return fmt.Errorf("%w; noise had been drawn: count the privacy budget of the run as spent", err)
	}
	return fmt.Errorf("%w; no noise had been drawn, so nothing of the privacy budget is spent", err)
}

// complete returns an error if a bundle of this worker has failed, so that no noise is drawn for a part of a table.
func (f *solveFn) complete(ctx context.Context) error {
	if runner.Partial(ctx, f.Params.RunID, f.Params.Store.Kind != "") {
		return errors.New("synth: no release is made, since an earlier step of the job failed: see its error")
	}
	return nil
}
