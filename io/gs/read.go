package gs

import (
	"context"
	"io"

	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/remote"
)

// Open reads length bytes of an object from offset; a length below 0 means up to its end. It is an
// error, fs.ErrNotExist, if the object has been replaced or removed since o was looked at.
func (system) Open(ctx context.Context, o files.Info, offset, length int64) (io.ReadCloser, error) {
	h, err := object(ctx, o.Name)
	if err != nil {
		return nil, err
	}
	if o.Version != "" {
		h = h.Generation(generation(o))
	}
	r, err := remote.Open(ctx, func(ctx context.Context) (io.ReadCloser, error) { return h.NewRangeReader(ctx, offset, length) })
	if err != nil {
		return nil, fault(o.Name, err)
	}
	return r, nil
}
