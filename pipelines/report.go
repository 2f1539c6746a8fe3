package pipelines

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/dirsink"
	"github.com/dapple-dp/dapple/internal/report"
	"github.com/dapple-dp/dapple/io/files"
	"github.com/dapple-dp/dapple/io/parquetio"
)

// ReportConfig is one request to draw the report of a finished run again, from its released files alone.
type ReportConfig struct {
	Dir  string // directory of the rows or of everything else; required
	HTML string // file to write, local or gs://, replaced if it is there; default: report.html
}

// ReportRequest is a ReportConfig without fault.
type ReportRequest struct {
	ReportConfig
	output *dirsink.Output
}

// ValidateReport finds the output whose report is drawn, and reads its manifest alone.
func ValidateReport(ctx context.Context, c ReportConfig) (*ReportRequest, error) {
	c.HTML = orDefault(c.HTML, "report.html")
	r := &ReportRequest{ReportConfig: c}
	var faults Faults
	if err := files.CheckName(c.HTML); err != nil {
		faults.add("--html", err.Error(), "")
	}
	if c.Dir == "" {
		return r, faults.Err() // where words are read it is said that the directory is missing
	}
	var err error
	if r.output, err = dirsink.Open(ctx, c.Dir); err != nil {
		fix := "ask for the release again"
		if errors.Is(err, fs.ErrNotExist) {
			fix = "name the directory of the rows, or the one with _manifest.json"
		}
		faults.add(c.Dir, plainError(err), fix)
		return r, faults.Err()
	}
	if !holds(r.output, privacyFile) {
		faults.add(c.Dir, "holds rows of a model that was released elsewhere", "name the output of synth")
	}
	if files.Clean(c.HTML) == files.Clean(files.Join(r.output.Release, reportFile)) {
		faults.add("--html", fmt.Sprintf("got %s, a released file that `dapple verify` compares", c.HTML), "write the report elsewhere")
	}
	return r, faults.Err()
}

// Report reads the released files of an output, compares them with each other and its manifest, and writes the page.
func Report(ctx context.Context, r *ReportRequest, out io.Writer) error {
	p, err := readPage(ctx, r.output)
	if err != nil {
		return altered(r.Dir, err)
	}
	var b bytes.Buffer
	if err := report.WriteHTML(&b, p); err != nil {
		return err
	}
	if err := files.Replace(ctx, r.HTML, b.Bytes()); err != nil {
		return fmt.Errorf("pipelines: %w", err)
	}
	_, err = fmt.Fprintf(out, "report  %s\n", r.HTML)
	return err
}

// readPage reads what the report is drawn from. All differences between the files are in the error.
func readPage(ctx context.Context, o *dirsink.Output) (page report.Page, err error) {
	var errs []error
	for _, name := range []string{privacyFile, modelFile, marginalsFile} {
		errs = append(errs, o.CheckReleased(ctx, name))
	}
	if err := errors.Join(errs...); err != nil {
		return page, err
	}
	if page.Privacy, err = released(ctx, o.Release); err != nil {
		return page, err
	}
	if err := errors.Join(belongs(page.Privacy, o.Manifest), ofModel(ctx, page.Privacy, o)); err != nil {
		return page, err
	}
	model, _, err := readModelFile(ctx, files.Join(o.Release, modelFile))
	if err != nil {
		return page, err
	}
	page.Domain = &model.Domain
	page.Marginals, err = readMarginals(ctx, files.Join(o.Release, marginalsFile), page.Domain)
	return page, err
}

// readMarginals reads the marginals of a domain.
func readMarginals(ctx context.Context, name string, d *domain.Domain) ([]report.Marginal, error) {
	src, _, err := files.OpenAt(ctx, files.Info{Name: name})
	if err != nil {
		return nil, fmt.Errorf("pipelines: %w", err)
	}
	defer src.Close() // only read from
	list, err := parquetio.ReadMarginals(src, name)
	if err != nil {
		return nil, err
	}
	cliques := make([]domain.Clique, len(list))
	for i, m := range list {
		attrs := make([]int, len(m.Names))
		for k, n := range m.Names {
			attrs[k] = d.Index(n)
		}
		if slices.Contains(attrs, -1) {
			return nil, fmt.Errorf("pipelines: %s: marginal %s is not of this domain", name, strings.Join(m.Names, ", "))
		}
		cliques[i] = domain.NewClique(attrs...)
		if cells, err := cliques[i].Cells(d.Sizes()); err != nil || cells != int64(len(m.Fitted)) {
			return nil, fmt.Errorf("pipelines: %s: marginal %s has %d cells, and the domain another number", name, strings.Join(m.Names, ", "), len(m.Fitted))
		}
	}
	return pageMarginals(cliques, list), nil
}
