// Package parts writes rows as a part of a directory.
package parts

import (
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/dirsink"
)

// New returns a shard that writes a part of a directory by a writer of rows.
func New(part *dirsink.Part, rows Writer) *Shard { return &Shard{part: part, rows: rows} }

// Writer puts rows into a file of a format.
type Writer interface {
	Write(c *domain.Chunk) error
	Close() error
}

// Shard counts the rows of one part. It is a table.Shard.
type Shard struct {
	part *dirsink.Part
	rows Writer
	n    int64
}

func (s *Shard) Write(c *domain.Chunk) error {
	s.n += int64(c.Rows)
	return s.rows.Write(c)
}

// Commit ends the shard, or returns why it cannot.
func (s *Shard) Commit() (dirsink.FileRef, error) {
	if err := s.rows.Close(); err != nil {
		_ = s.part.Abort() // the failure that led to it is the one to report
		return dirsink.FileRef{}, err
	}
	return s.part.Commit(s.n)
}

// Abort removes what was written of the shard.
func (s *Shard) Abort() { _ = s.part.Abort() }
