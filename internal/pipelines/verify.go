package pipelines

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"strings"

	"github.com/dapple-dp/dapple/internal/io/dirsink"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/kit/buildinfo"
	"github.com/dapple-dp/dapple/internal/kit/errtext"
	"github.com/dapple-dp/dapple/internal/release/contents"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/internal/release/report"
	"github.com/dapple-dp/dapple/internal/release/report/page"
)

// VerifyConfig is one request to check the output of a finished run.
type VerifyConfig struct {
	Dir    string // directory of the rows or of everything else; required
	Digest string // SHA-256 of the manifest, from the last lines of the run; empty: not compared
}

// VerifyRequest is a VerifyConfig without fault.
type VerifyRequest struct {
	VerifyConfig
	output *dirsink.Output
}

// ValidateVerify finds the output that is to be checked, and reads its manifest alone.
func ValidateVerify(ctx context.Context, c VerifyConfig) (*VerifyRequest, error) {
	var faults Faults
	r := &VerifyRequest{VerifyConfig: c}
	r.Digest = strings.ToLower(strings.TrimPrefix(c.Digest, "sha256:"))
	if b, err := hex.DecodeString(r.Digest); c.Digest != "" && (err != nil || len(b) != 32) {
		faults.add("--digest", fmt.Sprintf("got %q; want 64 hexadecimal digits", c.Digest), "copy it from the last lines of the run")
	}
	if c.Dir == "" {
		return r, faults.Err() // where words are read it is said that the directory is missing
	}
	var err error
	if r.output, err = dirsink.Open(ctx, c.Dir); errors.Is(err, fs.ErrNotExist) {
		faults.add(c.Dir, errtext.Text(err), "name the directory of the rows, or the one with _manifest.json")
	}
	return r, faults.Err()
}

// Verified is what was found to belong together.
type Verified struct {
	Output  *dirsink.Output
	Privacy *report.Privacy // nil: rows of a model that was released elsewhere
	Kept    bool            // the digest was compared with one that had been kept
}

// Verify reads all files of an output and compares them with each other. The manifest is the root: it holds
// the SHA-256 of every file. The statement in turn holds the sums of the rows, of the model, of the
// marginals and of the report, so that neither can be exchanged alone. All differences are in the error.
//
// It finds accidents and partial changes. Who can write to the directories can write everything anew: only a
// digest that was kept elsewhere tells.
func Verify(ctx context.Context, r *VerifyRequest) (*Verified, error) {
	o, err := r.output, error(nil)
	if o == nil {
		if o, err = dirsink.Open(ctx, r.Dir); err != nil {
			return nil, contents.Altered(r.Dir, "", err)
		}
	}
	errs := []error{o.Verify(ctx)}
	if r.Digest != "" && r.Digest != o.SHA256 {
		errs = append(errs, fmt.Errorf("the digest is %s, and --digest another: something was changed, or this is the output of another run", o.SHA256))
	}
	v := &Verified{Output: o, Kept: r.Digest != ""}
	if errs[0] == nil && contents.Holds(o, publish.PrivacyFile) {
		p, err := contents.Statement(ctx, o.Release)
		if err != nil {
			errs = append(errs, err)
		} else {
			v.Privacy = &p
			errs = append(errs, contents.Check(ctx, p, o))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, contents.Altered(r.Dir, o.Version, err)
	}
	return v, nil
}

// JSON returns what was found for programs.
func (v *Verified) JSON() ([]byte, error) {
	o := v.Output
	r := report.VerifyResult{Format: 1, Verified: true, Digest: o.SHA256, Compared: v.Kept}
	if o.Path != "" {
		r.Wrote = &report.Wrote{Output: o.Path, Files: len(o.Parts), Rows: o.Rows, Digest: o.SHA256}
		if o.OfPeople() > 0 {
			r.Wrote.People = o.People
		}
	}
	if v.Privacy != nil {
		r.Guarantee, r.Release = v.Privacy.Guarantee(), o.Release
	}
	return report.JSON(r)
}

// WriteText writes what was found.
func (v *Verified) WriteText(w io.Writer) error {
	o := v.Output
	var lines []string
	if o.Path != "" {
		of, at := "", files.Join(o.Path, "part-")
		if o.OfPeople() > 0 {
			of, at = fmt.Sprintf(" of %d people", o.People), files.Join(o.Path, "*", "part-")
		}
		lines = append(lines, fmt.Sprintf("rows    %d%s in %s*, %d %s, as they were written and nothing else", o.Rows, of, at, len(o.Parts), page.Plural(len(o.Parts), "file")))
	}
	if v.Privacy != nil {
		lines = append(lines, fmt.Sprintf("privacy %s; statement, model, marginals and report in %s belong to them", v.Privacy.Guarantee(), o.Release))
	}
	digest := "digest  " + o.SHA256
	if v.Kept {
		digest += ": the one that was kept"
	}
	lines = append(lines, digest)
	if !v.Kept {
		lines = append(lines, "note    accidents and partial changes would show; who can write to these directories could write all of it anew: compare the digest with one kept elsewhere, by --digest")
	}
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}

// ReportConfig is a request to draw the report of a finished run again, from its released files alone.
type ReportConfig struct {
	Dir string // directory of the rows or of everything else; required
	// Files to write, local or gs://, replaced if they are there. HTML is report.html unless another is asked for.
	HTML, Registry, Croissant string

	About string // file of what only the curator knows; its keys come before the run's
}

// ReportRequest is a ReportConfig without fault.
type ReportRequest struct {
	ReportConfig
	output *dirsink.Output
	about  map[string]string
}

// ValidateReport finds the output whose report is drawn, and reads its manifest alone.
func ValidateReport(ctx context.Context, c ReportConfig) (*ReportRequest, error) {
	if c.HTML+c.Registry+c.Croissant == "" {
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
		faults.add(c.Dir, errtext.Text(err), fix)
		return r, faults.Err()
	}
	if !contents.Holds(r.output, publish.PrivacyFile) {
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
		p, err := contents.Statement(ctx, r.output.Release)
		if err != nil {
			return r, contents.Altered(c.Dir, r.output.Version, err)
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
	p, err := contents.Page(ctx, r.output)
	compared, rowsErr := r.output.CheckRows(ctx)
	if err := errors.Join(err, rowsErr); err != nil {
		return contents.Altered(r.Dir, r.output.Version, err)
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
			return fmt.Errorf("%s: %s", to.flag, errtext.PathText(err))
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
