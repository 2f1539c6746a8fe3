package pipelines

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/dapple-dp/dapple/internal/beamrun/cause"
	"github.com/dapple-dp/dapple/internal/release/dirsink"
	"github.com/dapple-dp/dapple/internal/release/finished"
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
		faults.add(c.Dir, cause.Text(err), "name the directory of the rows, or the one with _manifest.json")
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
			return nil, finished.Altered(r.Dir, "", err)
		}
	}
	errs := []error{o.Verify(ctx)}
	if r.Digest != "" && r.Digest != o.SHA256 {
		errs = append(errs, fmt.Errorf("the digest is %s, and --digest another: something was changed, or this is the output of another run", o.SHA256))
	}
	v := &Verified{Output: o, Kept: r.Digest != ""}
	if errs[0] == nil && finished.Holds(o, publish.PrivacyFile) {
		p, err := finished.Statement(ctx, o.Release)
		if err != nil {
			errs = append(errs, err)
		} else {
			v.Privacy = &p
			errs = append(errs, finished.Check(ctx, p, o))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, finished.Altered(r.Dir, o.Version, err)
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
