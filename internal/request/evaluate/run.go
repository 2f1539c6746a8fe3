package evaluate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/release/workload"
	"github.com/dapple-dp/dapple/internal/request/rules"
)

// Config is one request to evaluate. Zero fields mean their defaults; fields without a default are
// required.
type Config struct {
	Domain    string // domain file; required
	Input     string // the true table; required
	People    string // the true table of people, if some have no rows; default: none
	Synthetic string // the synthetic table; required
	Holdout   string // true rows that the synthesis never saw; default: none
	Marginals int    // widest marginal compared; default 3
	MaxCells  int64  // largest marginal compared, in cells; default 10,000
	JSON      string // file for the figures as JSON, local or gs://, replaced if it is there, or Stdout; default: none
	// Released is the domain with the bins that the run learned which made the synthetic table; nil: not known.
	Released *domain.Domain
	HTML     string // file for the figures and pictures as one page; default: none
	Services table.Options
}

// Run opens the tables of c and compares them: Open, then Request.Run.
func Run(ctx context.Context, c Config, out io.Writer) error {
	r, err := Open(ctx, c)
	if err != nil {
		return err
	}
	return r.Run(ctx, out)
}

// Run reads the tables, compares them and writes the text form to out. The workload is the domain
// file's, if it declares one.
func (r *Request) Run(ctx context.Context, out io.Writer) (err error) {
	search, err := rules.New(r.truth.domain, r.events)
	if err != nil {
		return fmt.Errorf("evaluate: %w", err)
	}
	t := Tables{}
	if t.Real, err = r.truth.read(ctx, search); err == nil {
		t.Synthetic, err = r.synthetic.read(ctx, nil)
	}
	if err == nil && r.holdout != nil {
		t.Holdout, err = r.holdout.read(ctx, nil)
	}
	if err != nil {
		return err
	}
	report, err := Compare(ctx, t, r.workload, r.domain)
	if err != nil {
		return err
	}
	if r.events != nil {
		report.Real.People = comparePeople(t.Real, t.Synthetic, r.domain, r.events)
	}
	if r.truth.parents == nil {
		for _, rule := range search.Found() {
			if rule.Map != "" {
				report.Follows = append(report.Follows, Follows{"{" + rule.Entry + "}", rule.Holds()})
			}
		}
	}
	// The figures go first: a file that cannot be written takes none with it.
	if r.json == Stdout {
		return errors.Join(report.WriteJSON(out), written(ctx, io.Discard, r.html, "", report.WriteHTML))
	}
	if err := report.WriteText(out); err != nil {
		return err
	}
	if r.html == "" {
		if _, err := fmt.Fprintln(out, "\nnext: --html=FILE writes the page with pictures and all figures"); err != nil {
			return err
		}
	}
	return errors.Join(written(ctx, out, r.json, "figures", report.WriteJSON), written(ctx, out, r.html, "pictures, on a page for a browser", report.WriteHTML))
}

// Stdout in place of a file's name asks for JSON where the text would go, which is left out.
const Stdout = "-"

// written writes a form of the report to a file, and says so; an empty name is none.
func written(ctx context.Context, out io.Writer, name, what string, form func(io.Writer) error) error {
	if name == "" {
		return nil
	}
	var b bytes.Buffer
	if err := form(&b); err != nil {
		return err
	}
	if err := files.Replace(ctx, name, b.Bytes()); err != nil {
		return fmt.Errorf("evaluate: %w", err)
	}
	_, err := fmt.Fprintf(out, "\nwrote %s: %s; NOT private\n", name, what)
	return err
}

// maxDomain is the largest domain file that is read, in bytes.
const maxDomain = 256 << 20

// maxMarginals is the largest number of marginals compared.
const maxMarginals = 250_000

// toCompare returns what the domain file declares, with all marginals of up to width columns and maxCells cells if it
// declares none.
func toCompare(f *schema.File, width int, maxCells int64) (query.Workload, error) {
	w, err := workload.Listed(f)
	if err != nil {
		return w, err
	}
	if len(w.Tables().Marginals) == 0 {
		switch n := query.CountMarginals(w.Sizes, width, maxCells, maxMarginals); {
		case n == 0:
			return w, fmt.Errorf("no column has at most %d cells; raise --max_cells", maxCells)
		case n > maxMarginals:
			return w, fmt.Errorf("%d columns have more than %d marginals of up to %d columns; compare narrower ones with --marginals",
				len(w.Sizes), maxMarginals, width)
		}
		w.Marginals = append(w.Marginals, query.AllMarginals(w.Sizes, width, maxCells).Marginals...)
	}
	for _, m := range w.Marginals {
		if cells, err := m.Clique.Cells(w.Sizes); err != nil || cells > maxCounted {
			return w, fmt.Errorf("marginal %v has more than %d cells; leave it out of the workload",
				m.Clique.Names(f.Domain), maxCounted)
		}
	}
	return w, nil
}
