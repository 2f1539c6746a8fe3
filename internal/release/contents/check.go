package contents

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/internal/io/dirsink"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/kit/buildinfo"
	"github.com/dapple-dp/dapple/internal/kit/errtext"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/internal/release/report"
)

// Altered lists the differences of an output, one a line. A format of another version is no difference.
func Altered(dir, version string, err error) error {
	list := errtext.Each(err)
	head := "is not as a run has written it; do not use it, and ask for it again"
	if !slices.ContainsFunc(list, func(e error) bool { return !errors.As(e, new(*buildinfo.OtherFormat)) }) {
		head = "is of another version of dapple, and cannot be checked by this one"
	}
	lines := []string{dir + " " + head}
	for _, e := range list {
		lines = append(lines, "  "+errtext.Text(e))
	}
	if by := buildinfo.Written(version); by != "" {
		lines = append(lines, "  "+by)
	}
	return errors.New(strings.Join(lines, "\n"))
}

// Holds reports whether an output has a released file.
func Holds(o *dirsink.Output, name string) bool {
	for _, f := range o.Released {
		if f.Name == name {
			return true
		}
	}
	return false
}

// Check compares what the statement says of the files with the manifest and the model.
func Check(ctx context.Context, p report.Privacy, o *dirsink.Output) error {
	return errors.Join(belongs(p, o.Manifest), ofModel(ctx, p, o))
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
	f, _, err := ReadModel(ctx, files.Join(o.Release, publish.ModelFile))
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
