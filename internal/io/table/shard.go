package table

import (
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/dirsink"
)

// NewShard returns a shard that writes a part of a directory by a writer of rows.
func NewShard(part *dirsink.Part, rows RowWriter) Shard { return &partShard{part: part, rows: rows} }

// partShard counts the rows of one part.
type partShard struct {
	part *dirsink.Part
	rows RowWriter
	n    int64
}

func (s *partShard) Write(c *domain.Chunk) error {
	s.n += int64(c.Rows)
	return s.rows.Write(c)
}

func (s *partShard) Commit() (dirsink.FileRef, error) {
	if err := s.rows.Close(); err != nil {
		_ = s.part.Abort() // the failure that led to it is the one to report
		return dirsink.FileRef{}, err
	}
	return s.part.Commit(s.n)
}

func (s *partShard) Abort() { _ = s.part.Abort() }
