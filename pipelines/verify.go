package pipelines

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/internal/buildinfo"
	"github.com/dapple-dp/dapple/internal/release/dirsink"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/internal/report"
	"github.com/dapple-dp/dapple/io/files"
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
		faults.add(c.Dir, plainError(err), "name the directory of the rows, or the one with _manifest.json")
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
// the SHA-256 of every file. The statement in turn holds those of the rows, of the model, of the
// marginals and of the report, so that neither can be exchanged alone. All differences are in the error.
//
// It finds accidents and partial changes. Who can write to the directories can write everything anew: only a
// digest that was kept elsewhere tells.
func Verify(ctx context.Context, r *VerifyRequest) (*Verified, error) {
	o, err := r.output, error(nil)
	if o == nil {
		if o, err = dirsink.Open(ctx, r.Dir); err != nil {
			return nil, altered(r.Dir, "", err)
		}
	}
	errs := []error{o.Verify(ctx)}
	if r.Digest != "" && r.Digest != o.SHA256 {
		errs = append(errs, fmt.Errorf("the digest is %s, and --digest another: something was changed, or this is the output of another run", o.SHA256))
	}
	v := &Verified{Output: o, Kept: r.Digest != ""}
	if errs[0] == nil && holds(o, publish.PrivacyFile) {
		p, err := released(ctx, o.Release)
		if err != nil {
			errs = append(errs, err)
		} else {
			v.Privacy = &p
			errs = append(errs, belongs(p, o.Manifest), ofModel(ctx, p, o))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, altered(r.Dir, o.Version, err)
	}
	return v, nil
}

// altered lists the differences of an output, one a line. A format of another version is no difference.
func altered(dir, version string, err error) error {
	list := eachError(err)
	head := "is not as a run has written it; do not use it, and ask for it again"
	if !slices.ContainsFunc(list, func(e error) bool { return !errors.As(e, new(*buildinfo.OtherFormat)) }) {
		head = "is of another version of dapple, and cannot be checked by this one"
	}
	lines := []string{dir + " " + head}
	for _, e := range list {
		lines = append(lines, "  "+plainError(e))
	}
	if by := buildinfo.Written(version); by != "" {
		lines = append(lines, "  "+by)
	}
	return errors.New(strings.Join(lines, "\n"))
}

func holds(o *dirsink.Output, name string) bool {
	for _, f := range o.Released {
		if f.Name == name {
			return true
		}
	}
	return false
}

// belongs compares what the statement says of the files with the manifest.
func belongs(p report.Privacy, m *dirsink.Manifest) error {
	var errs []error
	rows, others := publish.HashesOf(append(slices.Clip(m.Parts), m.Released...))
	if p.Hashes.Rows != rows || len(m.Parts) > 0 && p.Rows != m.Rows {
		errs = append(errs, fmt.Errorf("%s is the statement of other rows", publish.PrivacyFile))
	}
	for _, name := range []string{publish.ModelFile, publish.MarginalsFile, publish.ErrorsFile, publish.AnswersFile, publish.ReportFile} {
		if p.Hashes.Files[name] != others[name] {
			errs = append(errs, fmt.Errorf("%s is the statement of another %s", publish.PrivacyFile, name))
		}
	}
	return errors.Join(errs...)
}

// ofModel compares the statement with what the model says of itself.
func ofModel(ctx context.Context, p report.Privacy, o *dirsink.Output) error {
	f, _, err := readModelFile(ctx, files.Join(o.Release, publish.ModelFile))
	if err != nil {
		return err
	}
	if publish.Fingerprint(f.Model) != p.Hashes.Model {
		return fmt.Errorf("%s is the statement of another model than %s holds", publish.PrivacyFile, publish.ModelFile)
	}
	if stated := f.Guarantee; stated != p.Guarantee() {
		return fmt.Errorf("%s promises %q, and %s was made with %q", publish.PrivacyFile, p.Guarantee(), publish.ModelFile, stated)
	}
	return nil
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
		lines = append(lines, fmt.Sprintf("rows    %d%s in %s*, %d %s, as they were written and nothing else", o.Rows, of, at, len(o.Parts), plural(len(o.Parts), "file")))
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

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}
