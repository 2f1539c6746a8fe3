package pipelines

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"strings"

	"github.com/dapple-dp/dapple/internal/beamrun/cause"
	"github.com/dapple-dp/dapple/internal/buildinfo"
	"github.com/dapple-dp/dapple/internal/release/dirsink"
	"github.com/dapple-dp/dapple/internal/release/finished"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/internal/report"
	"github.com/dapple-dp/dapple/io/files"
)

// ReportConfig is a request to draw the report of a finished run again, from its released files alone.
type ReportConfig struct {
	Dir string // directory of the rows or of everything else; required
	// Files to write, local or gs://, replaced if they are there. HTML is report.html unless another is asked for.
	HTML, Registry, Croissant, Lineage string

	About string // file of what only the curator knows; its keys come before those of the run
}

// ReportRequest is a ReportConfig without fault.
type ReportRequest struct {
	ReportConfig
	output *dirsink.Output
	about  map[string]string
}

// ValidateReport finds the output whose report is drawn, and reads its manifest alone.
func ValidateReport(ctx context.Context, c ReportConfig) (*ReportRequest, error) {
	if c.HTML+c.Registry+c.Croissant+c.Lineage == "" {
		c.HTML = "report.html"
	}
	r := &ReportRequest{ReportConfig: c}
	var faults Faults
	r.about = checkAbout(ctx, c.About, &faults)
	for _, to := range r.files() {
		if err := files.CheckName(to.name); err != nil {
			faults.add(to.flag, err.Error(), "")
		}
	}
	if c.Dir == "" {
		return r, faults.Err() // a missing directory is reported when flags are read
	}
	var err error
	if r.output, err = dirsink.Open(ctx, c.Dir); err != nil {
		fix := "ask for the release again"
		switch {
		case errors.Is(err, fs.ErrNotExist):
			fix = "name the directory of the rows, or the one with _manifest.json"
		case errors.As(err, new(*buildinfo.OtherFormat)):
			fix = "" // the error says it
		}
		faults.add(c.Dir, cause.Text(err), fix)
		return r, faults.Err()
	}
	if !finished.Holds(r.output, publish.PrivacyFile) {
		faults.add(c.Dir, "holds rows of a model that was released elsewhere", "name the output of synth")
	}
	for _, to := range r.files() {
		for _, f := range r.output.Released {
			if files.Clean(to.name) == files.Clean(files.Join(r.output.Release, f.Name)) {
				faults.add(to.flag, fmt.Sprintf("got %s, a released file that `dapple verify` compares", to.name), "write it elsewhere")
			}
		}
	}
	if c.Registry != "" && len(faults) == 0 {
		p, err := finished.Statement(ctx, r.output.Release)
		if err != nil {
			return r, finished.Altered(c.Dir, r.output.Version, err)
		}
		if lacks := report.RegistryLacks(r.withAbout(p).About); len(lacks) > 0 {
			faults.add("--registry", fmt.Sprintf("needs %s, which only you know", strings.Join(lacks, ", ")), "write them into a file for --about; dapple help about lists all keys")
		}
	}
	return r, faults.Err()
}

// outputFile is a requested file.
type outputFile struct {
	flag, name, title string
	write             func(io.Writer, report.Page, []report.RowFile) error
}

// files returns the requested files.
func (r *ReportRequest) files() (list []outputFile) {
	for _, w := range []outputFile{
		{"--html", r.HTML, "report ", func(w io.Writer, p report.Page, _ []report.RowFile) error { return report.WriteHTML(w, p) }},
		{"--registry", r.Registry, "registry", func(w io.Writer, p report.Page, _ []report.RowFile) error {
			b, err := p.Privacy.Registry()
			return writeAll(w, b, err)
		}},
		{"--croissant", r.Croissant, "croissant", func(w io.Writer, p report.Page, rows []report.RowFile) error {
			b, err := p.Privacy.Croissant(rows)
			return writeAll(w, b, err)
		}},
		{"--openlineage", r.Lineage, "lineage", func(w io.Writer, p report.Page, _ []report.RowFile) error {
			b, err := p.Privacy.Lineage()
			return writeAll(w, b, err)
		}},
	} {
		if w.name != "" {
			list = append(list, w)
		}
	}
	return list
}

func writeAll(w io.Writer, b []byte, err error) error {
	if err == nil {
		_, err = w.Write(b)
	}
	return err
}

// withAbout returns a statement with later additions of the curator.
func (r *ReportRequest) withAbout(p report.Privacy) report.Privacy {
	about := maps.Clone(p.About)
	if about == nil {
		about = map[string]string{}
	}
	maps.Copy(about, r.about)
	p.About = about
	p.Process.Other, p.Process.Tuning = orDefault(r.about["other_releases"], p.Process.Other), orDefault(r.about["tuning"], p.Process.Tuning)
	return p
}

// Report reads the released files of an output, compares them, and its rows if they are there, with each other and its
// manifest, and writes the page.
func Report(ctx context.Context, r *ReportRequest, out io.Writer) error {
	p, err := finished.Page(ctx, r.output)
	compared, rowsErr := r.output.CheckRows(ctx)
	if err := errors.Join(err, rowsErr); err != nil {
		return finished.Altered(r.Dir, r.output.Version, err)
	}
	p.Privacy = r.withAbout(p.Privacy)
	var rows []report.RowFile
	for _, f := range r.output.Parts {
		rows = append(rows, report.RowFile{Name: f.Name, SHA256: f.SHA256})
	}
	var text strings.Builder
	for _, to := range r.files() {
		var b bytes.Buffer
		if err := to.write(&b, p, rows); err != nil {
			return err
		}
		if err := files.Replace(ctx, to.name, b.Bytes()); err != nil {
			return fmt.Errorf("%s: %s", to.flag, cause.PathText(err))
		}
		fmt.Fprintf(&text, "%-9s %s\n", to.title, to.name)
	}
	if !compared && len(r.output.Parts) > 0 {
		fmt.Fprintf(&text, "note      no rows are in %s: they were not compared with the statement\n", r.output.Path)
	}
	if _, err := io.WriteString(out, text.String()); err != nil {
		return fmt.Errorf("%w\nall files are written all the same", err)
	}
	return nil
}
