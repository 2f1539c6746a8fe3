package pipelines

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/io/files"
	"github.com/dapple-dp/dapple/io/schema"
	"github.com/dapple-dp/dapple/io/table"
	"github.com/dapple-dp/dapple/solver"
)

// mostPublic is the largest number of possible records of a domain that a public table is read for: beyond it no
// method that uses one has the memory.
const mostPublic = 1e9

// checkPublic reads the table that the request declares public, before anything of the private table is opened.
func checkPublic(ctx context.Context, r *Request, f *Faults) {
	if r.Public == "" {
		return
	}
	var err error
	r.public, err = readPublic(ctx, r.Public, r.File, r.Services, r.isInput)
	*f = append(*f, ErrorFaults("--public", err)...)
}

// ReadPublic reads a table that anybody may see, for synth.Params.Public. It has the form of the private table; a privacy
// ID is not read, and every row counts. The error is Faults.
func ReadPublic(ctx context.Context, name string, f *schema.File, o table.Options) (*solver.Public, error) {
	t, err := readPublic(ctx, name, f, o, func(table.Source) bool { return false })
	if err != nil {
		return nil, ErrorFaults("public", err)
	}
	return t, nil
}

// readPublic refuses a table that is private, and one with a cell that the domain has no place for: a run says nothing of
// such cells of the private table, and of a public one it can.
func readPublic(ctx context.Context, name string, f *schema.File, o table.Options, private func(table.Source) bool) (*solver.Public, error) {
	d := *f.Domain
	switch _, cells, _ := d.Universe(); {
	case d.Events != nil:
		return nil, errors.New("the domain has events, and no method uses a public table of those; leave one of them out")
	case d.Learns():
		return nil, errors.New("the bins of some columns are to be learned, and a public table needs them declared; give these columns bins, edges or values, or leave it out")
	case !(cells <= mostPublic):
		return nil, fmt.Errorf("is used by methods that list all possible records, and this domain has %.3g; leave it out, or give columns fewer values or bins", cells)
	}
	source, err := table.Find(ctx, name, o)
	if err == nil && private(source) {
		return nil, errors.New("is the private table; name a table that anybody may see")
	}
	d.PrivacyID = ""
	if err == nil {
		err = source.Check(ctx, &d, f.CSV)
	}
	if err != nil {
		return nil, err
	}
	b, encoder := solver.NewPublicBuilder(d.Sizes()), domain.NewEncoder(&d)
	var codes []domain.Code
	before := 0 // rows of the chunks so far
	err = source.Each(ctx, &d, f.CSV, func(c *domain.Chunk) error {
		if n := c.Rows * d.Len(); n > len(codes) {
			codes = make([]domain.Code, n)
		}
		if row, a, ok := encoder.EncodeStrict(c, codes[:c.Rows*d.Len()]); !ok {
			return fmt.Errorf("column %q of row %d is nothing that the domain declares; leave the row out, or change it or the domain", d.Attributes[a].Name, before+row+1)
		}
		b.Add(codes[:c.Rows*d.Len()])
		before += c.Rows
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	return b.Table()
}

// publicName returns the name of the table for the statement: of a local one without its directory.
func publicName(name string) string {
	if isTable(name) || files.Remote(name) {
		return name
	}
	return filepath.Base(name)
}

// isInput reports whether a table is the private one, as far as names and states of files tell.
func (r *Request) isInput(t table.Source) bool {
	if absolute(r.Public) == absolute(r.Input) {
		return true
	}
	if r.source == nil {
		return false
	}
	a, known := r.source.Identity()
	b, also := t.Identity()
	return known && also && a == b
}
