package dirsink

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dapple-dp/dapple/internal/io/dirsink/internal/layout"
)

// Publish makes the parts and the released files the content of the directories. refs holds each shard
// once, in any order. schema describes the parts in the manifest: anything that JSON can hold, or nil.
//
// If there is this run's manifest already, Publish returns it and changes nothing. After an error
// Publish may be called again, with the same parts.
func (d Dir) Publish(ctx context.Context, refs []FileRef, files []Released, schema any) (*Manifest, error) {
	own := d.in(ctx)
	m, err := own.Plan(refs, files, schema)
	if err != nil {
		return nil, err
	}
	done, err := protocolOf(own).Publish(m, refs, files)
	if _, refused := errors.AsType[*NotFree](err); err != nil && !refused && !strings.HasPrefix(err.Error(), "sink: ") {
		err = fmt.Errorf("sink: publishing to %s: %w", layout.Show(own.Dirs()[0]), err)
	}
	if err != nil {
		return nil, err
	}
	return done, nil
}
