package publish

import (
	"context"
	"math"

	"github.com/dapple-dp/dapple/internal/io/dirsink"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/release/report"
)

// restated returns the released files of a directory for other rows of its model: the statement names them, and all else stays.
func restated(dir string, rows int64) (list []dirsink.Released, err error) {
	ctx := context.Background() // a publication that has begun goes to its end
	o, err := dirsink.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	for _, f := range o.Released {
		if err := o.CheckReleased(ctx, f.Name); err != nil {
			return nil, err
		}
		text, err := files.ReadAll(ctx, files.Join(o.Release, f.Name), math.MaxInt64-1)
		if err != nil {
			return nil, err
		}
		if f.Name != PrivacyFile {
			list = append(list, dirsink.Content(f.Name, text))
			continue
		}
		p, err := report.ParsePrivacy(text)
		if err != nil {
			return nil, err
		}
		p.Rows = rows
		list = append(list, stated(p))
	}
	return list, nil
}
