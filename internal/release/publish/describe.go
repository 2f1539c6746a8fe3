package publish

import (
	"encoding/json"
	"io"
	"math"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/io/dirsink"
	"github.com/dapple-dp/dapple/internal/io/parquetio"
	"github.com/dapple-dp/dapple/internal/model/interval"
	"github.com/dapple-dp/dapple/internal/release/answer"
	"github.com/dapple-dp/dapple/internal/release/report"
	"github.com/dapple-dp/dapple/internal/release/workload"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
	"github.com/dapple-dp/dapple/solver"
)

// Names of released files.
const (
	PrivacyFile   = "_privacy.json"
	ModelFile     = "_model.arrow"
	MarginalsFile = "_marginals.parquet"
	ErrorsFile    = "_errors.json"
	AnswersFile   = "_answers.parquet" // if the workload has linear queries
	ReportFile    = "_report.html"
	DomainFile    = "_domain.yaml" // of a run that has found its domain
)

// Description holds what the files that go with the rows state in addition to the release. It is plain data.
type Description struct {
	Public    query.Frame
	RowsAsked int64
	Tables    bool // the rows of people are one table, and people another
	Describe  bool // write statement, model, marginals and report
	report.Told
	Criteria solver.Criteria
	Book     *report.Book

	Queries    []workload.Name `json:",omitempty"` // of the linear queries of Public, in its order; empty: they have none
	DomainText []byte          `json:",omitempty"` // the domain file, if the run has found the domain

	CriteriaWithin float64 // units by which noise shifts their check
}

// Files makes the files that go with the rows: statement, model, marginals, their errors, answers to its linear queries and report. They are functions of the
// release, so that a repeated publication writes the same bytes.
func (d *Description) Files(a *synth.Artifact, rows int64) ([]dirsink.Released, error) {
	binned, err := d.Public.Domain.WithBins(a.Result.Bins)
	if err != nil {
		return nil, err
	}
	cliques, marginals, summary := marginalsOf(binned, d.Public.Workload.Tables(), a.Result)
	asked := askedOf(binned, a.Result)
	privacy := statement(d, a, rows, summary, asked)
	answers := answersOf(binned, d.Public.Workload, d.Queries, a.Result)
	errors, err := json.Marshal(asked.Errors)
	if err != nil {
		return nil, err
	}
	var released []dirsink.Released
	if len(d.DomainText) > 0 {
		released = append(released, dirsink.Content(DomainFile, d.DomainText))
	}
	if answers != nil {
		released = append(released, dirsink.Released{Name: AnswersFile, Write: func(w io.Writer, _ []dirsink.File) error {
			_, err := parquetio.WriteFigures(w, answers)
			return err
		}})
	}
	return append(released,
		dirsink.Content(ModelFile, a.Model),
		dirsink.Released{Name: MarginalsFile, Write: func(w io.Writer, _ []dirsink.File) error {
			_, err := parquetio.WriteMarginals(w, marginals)
			return err
		}},
		dirsink.Content(ErrorsFile, errors),
		dirsink.Released{Name: ReportFile, Write: func(w io.Writer, _ []dirsink.File) error {
			return report.WriteHTML(w, report.Page{Privacy: privacy, Domain: binned, Marginals: PageMarginals(cliques, marginals), Asked: Asked(asked), Means: asked.Means(), Sums: asked.Sums(), Answers: pageAnswers(answers)})
		}},
		stated(privacy),
	), nil
}

// stated is the file of a statement, which names the files before it.
func stated(p report.Privacy) dirsink.Released {
	return dirsink.Released{Name: PrivacyFile, Write: func(w io.Writer, before []dirsink.File) error {
		p.Hashes.Rows, p.Hashes.Files = HashesOf(before)
		b, err := p.JSON()
		if err == nil {
			_, err = w.Write(b)
		}
		return err
	}}
}

// HashesOf returns the hashes in a statement of the files that it goes with: one SHA-256 of all parts, empty if there
// are none, and one of each other file.
func HashesOf(list []dirsink.File) (rows string, others map[string]string) {
	var parts []dirsink.File
	others = map[string]string{}
	for _, f := range list {
		switch {
		case dirsink.IsPart(f.Name):
			parts = append(parts, f)
		case f.Name != PrivacyFile:
			others[f.Name] = f.SHA256
		}
	}
	if len(parts) > 0 {
		rows = dirsink.Digest(parts)
	}
	return rows, others
}

// Statement returns the statement of a release whose rows are written elsewhere: without the hashes of files.
func (d *Description) Statement(a *synth.Artifact) (report.Privacy, error) {
	binned, err := d.Public.Domain.WithBins(a.Result.Bins)
	if err != nil {
		return report.Privacy{}, err
	}
	rows := d.RowsAsked
	if rows == 0 {
		rows = int64(max(0, a.Result.Total.Units))
	}
	_, _, summary := marginalsOf(binned, d.Public.Workload.Tables(), a.Result)
	return statement(d, a, rows, summary, askedOf(binned, a.Result)), nil
}

// askedOf is a release as questions are asked of it.
func askedOf(binned *domain.Domain, r *solver.Result) *answer.Release {
	return &answer.Release{Domain: binned, Model: r.Model, Units: math.Max(r.Total.Units, 1), Errors: interval.New(r)}
}

// bookOf is what the statement says of the budget book that has paid for a release: the run, or the step that drew it.
func (d *Description) bookOf(a *synth.Artifact) *report.Book {
	if b := a.Book; b != nil {
		return &report.Book{DataSet: b.DataSet, Epsilon: b.Epsilon, Delta: b.Delta, Entry: b.Entry, SHA256: b.SHA256}
	}
	return d.Book
}

func statement(d *Description, a *synth.Artifact, rows int64, m report.Marginals, asked *answer.Release) report.Privacy {
	noise := report.Gaussian
	if a.Statement.Accounting == dp.Pure.String() {
		noise = report.Laplace
	}
	_, cells, err := d.Public.Workload.Maximal().Cells()
	if err != nil {
		panic("publish: a workload that was counted can be counted")
	}
	r, tables := a.Result, []string(nil)
	if d.Tables {
		tables = dirsink.TableNames
	}
	fitted := report.Fitted{
		Model: r.Model, Measurements: r.Measurements, Answers: r.Answers, MaxError: r.MaxError, Cells: cells, Linear: int64(d.Public.Workload.Linear()),
		Total: r.Total, RMSE: r.RMSE, TV: r.TV, Noise: noise, Measured: r.Measured,
	}
	if r.Uncertainty != nil { // the bound covers one-way tables only
		fitted.Predicted, fitted.PredictedCells = m.LargestError, m.LookedAt
	}
	errors := report.FittedErrors(fitted)
	errors.Shares = m.Shares
	errors.Include(unmeasured(asked, d.Public.Workload))
	p := report.New(report.Run{
		Told: d.Told, Statement: a.Statement, Domain: &d.Public.Domain, Workload: d.Public.Workload, Method: a.Method, Status: r.Status, Fit: report.NewFit(r.Fit, &d.Public.Domain, r.Total.Units),
		Total: r.Total, Rows: rows, RowsSD: report.RowsSD(&d.Public.Domain, r.Model, r.Total.Units), Tables: tables, RowsAsked: d.RowsAsked > 0,
		Errors: errors, Marginals: m, ModelHash: r.Model.Fingerprint(), Book: d.bookOf(a),
	})
	p.Criteria = criteriaOf(d, a.Result.Accepted)
	return p
}

// criteriaOf returns the section on criteria of a statement; nil without criteria.
func criteriaOf(d *Description, met *bool) *report.Criteria {
	if met == nil {
		return nil
	}
	out := &report.Criteria{Met: *met, Share: d.Criteria.Share.Float(), Within: d.CriteriaWithin}
	for _, l := range d.Criteria.Limits {
		out.Limits = append(out.Limits, report.Limit{Columns: l.Clique.Names(&d.Public.Domain), Largest: l.Largest})
	}
	return out
}
