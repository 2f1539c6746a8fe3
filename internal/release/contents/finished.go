// Package contents reads what a run has released, and compares its files with each other.
package contents

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/dirsink"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/parquetio"
	"github.com/dapple-dp/dapple/internal/kit/lists"
	"github.com/dapple-dp/dapple/internal/model/interval"
	"github.com/dapple-dp/dapple/internal/model/modelfile"
	"github.com/dapple-dp/dapple/internal/release/answer"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/internal/release/report"
)

// Statement reads the statement of a released directory.
func Statement(ctx context.Context, dir string) (report.Privacy, error) {
	b, err := files.ReadAll(ctx, files.Join(dir, publish.PrivacyFile), maxPublicFile)
	if err != nil {
		return report.Privacy{}, fmt.Errorf("pipelines: %w", err)
	}
	return report.ParsePrivacy(bytes.TrimSpace(b))
}

// maxPublicFile is the largest statement that is read, in bytes.
const maxPublicFile = 256 << 20

// Model reads the model of a finished run, by the name of one of its directories, or a model file. It
// checks model and statement against the manifest, if there is one.
func Model(ctx context.Context, path string) (*modelfile.File, []byte, error) {
	if path == "" {
		return nil, nil, nil
	}
	name, err := ModelName(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	return ReadModel(ctx, name)
}

// ModelName returns the name of the model file of a release, which may be named itself.
func ModelName(ctx context.Context, path string) (string, error) {
	isDir, err := files.IsDir(ctx, path)
	if err != nil {
		return "", err
	}
	dir := files.Dir(path)
	if isDir {
		dir = path
	}
	o, err := dirsink.Open(ctx, dir)
	switch {
	case err == nil && (isDir || files.Join(o.Release, publish.ModelFile) == files.Clean(path)):
		path = files.Join(o.Release, publish.ModelFile)
		if err := errors.Join(o.CheckReleased(ctx, publish.ModelFile), o.CheckReleased(ctx, publish.PrivacyFile)); err != nil {
			return "", err
		}
	case err != nil && isDir:
		return "", err
	}
	return path, nil
}

// ReadModel reads a model file, and returns its bytes too.
func ReadModel(ctx context.Context, name string) (*modelfile.File, []byte, error) {
	data, err := files.ReadAll(ctx, name, math.MaxInt64-1)
	if err != nil {
		return nil, nil, fmt.Errorf("model: %w", err)
	}
	f, err := modelfile.Decode(data)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	return f, data, nil
}

// Open reads what a run has released of its model and of the errors of that, and compares it with the manifest.
func Open(ctx context.Context, dir string) (*answer.Release, error) {
	o, err := dirsink.Open(ctx, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("holds no release; name the output of synth")
	}
	if err != nil {
		return nil, err
	}
	if !Holds(o, publish.PrivacyFile) {
		return nil, errors.New("holds rows of a model that was released elsewhere; name the output of synth")
	}
	if !Holds(o, publish.ErrorsFile) {
		return nil, fmt.Errorf("has no %s, since an earlier version of dapple made it; draw rows by `dapple sample`", publish.ErrorsFile)
	}
	for _, name := range []string{publish.ModelFile, publish.ErrorsFile} {
		err = errors.Join(err, o.CheckReleased(ctx, name))
	}
	if err != nil {
		return nil, Altered(dir, o.Version, err)
	}
	f, _, err := ReadModel(ctx, files.Join(o.Release, publish.ModelFile))
	if err != nil {
		return nil, err
	}
	return answering(ctx, o, f)
}

// answering reads what is known of the errors of a model, from the file beside it.
func answering(ctx context.Context, o *dirsink.Output, f *modelfile.File) (*answer.Release, error) {
	data, err := files.ReadAll(ctx, files.Join(o.Release, publish.ErrorsFile), math.MaxInt64-1)
	if err != nil {
		return nil, err
	}
	r := &answer.Release{Domain: &f.Domain, Model: f.Model, Units: math.Max(f.Units, 1)}
	r.Errors, err = interval.Restore(data, f.Model.Sizes)
	return r, err
}

// Page reads the content of the report. The error lists all differences between the files.
func Page(ctx context.Context, o *dirsink.Output) (page report.Page, err error) {
	var errs []error
	names, asks := []string{publish.PrivacyFile, publish.ModelFile, publish.MarginalsFile}, Holds(o, publish.ErrorsFile) // not of early versions
	if asks {
		names = append(names, publish.ErrorsFile)
	}
	answers := Holds(o, publish.AnswersFile) // of runs with linear queries
	if answers {
		names = append(names, publish.AnswersFile)
	}
	for _, name := range names {
		errs = append(errs, o.CheckReleased(ctx, name))
	}
	if err := errors.Join(errs...); err != nil {
		return page, err
	}
	if page.Privacy, err = Statement(ctx, o.Release); err != nil {
		return page, err
	}
	if err := Check(ctx, page.Privacy, o); err != nil {
		return page, err
	}
	model, _, err := ReadModel(ctx, files.Join(o.Release, publish.ModelFile))
	if err != nil {
		return page, err
	}
	page.Domain = &model.Domain
	page.Earlier = !asks
	if page.Marginals, err = readMarginals(ctx, files.Join(o.Release, publish.MarginalsFile), page.Domain); err != nil || !asks {
		return page, err
	}
	if answers {
		name := files.Join(o.Release, publish.AnswersFile)
		src, _, err := files.OpenAt(ctx, files.Info{Name: name})
		if err != nil {
			return page, fmt.Errorf("pipelines: %w", err)
		}
		defer src.Close() // only read from
		if page.Answers, err = publish.ReadAnswers(src, name); err != nil {
			return page, err
		}
	}
	r, err := answering(ctx, o, model)
	if err == nil {
		page.Asked, page.Means, page.Sums, page.Earlier = publish.Asked(r), r.Means(), r.Sums(), r.Errors.Earlier()
	}
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
		attrs := lists.Of(m.Names, d.Index)
		if slices.Contains(attrs, -1) {
			return nil, fmt.Errorf("pipelines: %s: marginal %s is not of this domain", name, strings.Join(m.Names, ", "))
		}
		cliques[i] = domain.NewClique(attrs...)
		if cells, err := cliques[i].Cells(d.Sizes()); err != nil || cells != int64(len(m.Fitted)) {
			return nil, fmt.Errorf("pipelines: %s: marginal %s has %d cells, and the domain another number", name, strings.Join(m.Names, ", "), len(m.Fitted))
		}
	}
	return publish.PageMarginals(cliques, list), nil
}
