package dirsink

import (
	"context"

	"github.com/dapple-dp/dapple/internal/io/files"
)

// Abandon removes what this run left without finishing: its staging and, if Publish was cut off, the
// parts and the released files that it had put in place. It changes nothing if the run has
// published. No attempt of the run may follow, and none may still be writing.
func (d Dir) Abandon(ctx context.Context, releasedNames ...string) error {
	if err := d.Validate(); err != nil {
		return err
	}
	return protocolOf(d.in(ctx)).Abandon(releasedNames)
}

// Hold tells others that this run is at work in directories that have been prepared, until release is called
// or the process ends. On gs:// nothing can tell.
func (d Dir) Hold() (release func(), err error) {
	release = func() {}
	own := d.in(context.Background())
	if own.Remote() {
		return release, nil
	}
	for _, stage := range protocolOf(own).Stages() {
		leave, err := files.Hold(stage)
		if err != nil {
			release()
			return nil, err
		}
		before := release
		release = func() { before(); leave() }
	}
	return release, nil
}

// Leftovers lists what other runs have staged here, in order of their IDs.
func (d Dir) Leftovers(ctx context.Context) ([]Leftover, error) {
	return protocolOf(d.in(ctx)).Leftovers(false)
}

// RemoveLeftovers removes what dead runs have staged beside an output of this machine, and returns it. A publication
// that was cut off is finished first.
func (d Dir) RemoveLeftovers(ctx context.Context) (removed []Leftover, err error) {
	return protocolOf(d.in(ctx)).Leftovers(true)
}
