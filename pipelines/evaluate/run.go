package evaluate

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/io/files"
	"github.com/dapple-dp/dapple/io/schema"
	"github.com/dapple-dp/dapple/io/table"
)

// Config is one request to evaluate. Zero fields mean their defaults; fields without a default are
// required.
type Config struct {
	Domain    string // domain file; required
	Input     string // the true table; required
	Synthetic string // the synthetic table; required
	Holdout   string // true rows that the synthesis never saw; default: none
	Marginals int    // widest marginal compared; default 3
	MaxCells  int64  // largest marginal compared, in cells; default 10,000
	JSON      string // file for the figures as JSON, local or gs://, replaced where it is there; default: none
	Services  table.Options
}

// Check says what is wrong with the marginals that c asks for. It reads the domain file and nothing else.
func Check(ctx context.Context, c Config) error {
	_, _, err := c.asked(ctx)
	return err
}

// asked reads the domain file and returns the marginals to compare.
func (c Config) asked(ctx context.Context) (*schema.File, query.Workload, error) {
	data, err := files.ReadAll(ctx, c.Domain, maxDomain)
	if err != nil {
		return nil, query.Workload{}, fmt.Errorf("evaluate: %w", err)
	}
	file, err := schema.Parse(c.Domain, data)
	if err != nil {
		return nil, query.Workload{}, err
	}
	w, err := workload(file, cmp.Or(c.Marginals, 3), cmp.Or(c.MaxCells, 10_000))
	return file, w, err
}

// Run reads the tables, compares them and writes the text form to out. The workload is the domain
// file's, where it declares one.
func Run(ctx context.Context, c Config, out io.Writer) error {
	file, w, err := c.asked(ctx)
	if err != nil {
		return err
	}
	var t Tables
	if t.Real, err = ReadTrue(ctx, c.Input, file, c.Services); err != nil {
		return err
	}
	if t.Synthetic, err = ReadSynthetic(ctx, c.Synthetic, file, c.Services); err != nil {
		return err
	}
	if c.Holdout != "" {
		if t.Holdout, err = ReadTrue(ctx, c.Holdout, file, c.Services); err != nil {
			return err
		}
	}
	report, err := Compare(ctx, t, w, file.Domain, Options{})
	if err != nil {
		return err
	}
	// The text goes first: a file that cannot be written takes no figures with it.
	if err := report.WriteText(out); err != nil || c.JSON == "" {
		return err
	}
	var b bytes.Buffer
	if err := report.WriteJSON(&b); err != nil {
		return err
	}
	if err := files.Replace(ctx, c.JSON, b.Bytes()); err != nil {
		return fmt.Errorf("evaluate: %w", err)
	}
	return nil
}

// maxDomain is the largest domain file that is read, in bytes.
const maxDomain = 256 << 20

// maxMarginals is the largest number of marginals compared.
const maxMarginals = 250_000

// workload returns the marginals that the domain file declares, else all of up to width columns and
// maxCells cells.
func workload(f *schema.File, width int, maxCells int64) (query.Workload, error) {
	w := query.Workload{Sizes: f.Domain.Sizes()}
	if len(f.Workload) == 0 {
		switch n := query.CountMarginals(w.Sizes, width, maxCells, maxMarginals); {
		case n == 0:
			return w, fmt.Errorf("evaluate: no column has at most %d cells; raise max_cells", maxCells)
		case n > maxMarginals:
			return w, fmt.Errorf("evaluate: %d columns have more than %d marginals of up to %d columns; compare narrower ones with --marginals",
				len(w.Sizes), maxMarginals, width)
		}
		w = query.AllMarginals(w.Sizes, width, maxCells)
	}
	for _, entry := range f.Workload {
		attrs := make([]int, len(entry.Columns))
		for i, name := range entry.Columns {
			attrs[i] = f.Domain.Index(name)
		}
		w.Marginals = append(w.Marginals, query.Marginal{Clique: domain.NewClique(attrs...), Weight: entry.Weight})
	}
	for _, m := range w.Marginals {
		if cells, err := m.Clique.Cells(w.Sizes); err != nil || cells > maxCounted {
			return w, fmt.Errorf("evaluate: marginal %v has more than %d cells; leave it out of the workload",
				m.Clique.Names(f.Domain), maxCounted)
		}
	}
	slices.SortStableFunc(w.Marginals, func(a, b query.Marginal) int { return a.Clique.Compare(b.Clique) })
	return w, nil
}
