package synth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
	"github.com/dapple-dp/dapple/solver"
)

func TestMain(m *testing.M) { transformtest.Main(m) }

// The world of these tests: a small domain, a method that measures its whole universe, a store and a
// sink of local files. They are registered in init, so that workers in other processes have them.

func visits() *domain.Domain {
	return &domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{
		{Name: "sex", Type: domain.String, Values: []string{"F", "M"}, Other: true, OtherValue: "other"},
		{Name: "age", Type: domain.Int64, Cuts: []int64{0, 20, 40, 100}, Resolution: 1, Null: true},
		{Name: "day", Type: domain.Date, Cuts: []int64{18262, 18293, 18322}, Resolution: 1, HasFallback: true},
	}}
}

func workload() query.Workload { return query.AllMarginals(visits().Sizes(), 2, 1000) }

// fixedNoise is a method that fixes its noise itself.
const fixedNoise = "fixed-noise"

func init() {
	solver.Register(solver.Method{
		Name:       "universe",
		Accounting: func(dp.Epsilon, dp.Delta) dp.Accounting { return dp.ZCDP },
		Accesses: func(p solver.Problem) ([]solver.Access, error) {
			if len(p.Workload.Sizes) > 5 {
				return nil, errors.New("too many columns")
			}
			return []solver.Access{
				{Stage: "total", Kind: dp.DiscreteGaussian, Count: 1, Share: dp.ShareOf(1, 10)},
				{Stage: "measure", Kind: dp.DiscreteGaussian, Count: 1, Share: dp.ShareOf(9, 10), Cliques: []domain.Clique{wholeOf(p)}},
			}, nil
		},
		Solve: solveUniverse,
	})
	pair := []domain.Clique{domain.NewClique(0, 1)}
	const variance = 100
	solver.Register(solver.Method{
		Name:       fixedNoise,
		Accounting: func(dp.Epsilon, dp.Delta) dp.Accounting { return dp.ZCDP },
		Accesses: func(p solver.Problem) ([]solver.Access, error) {
			cells, err := pair[0].Cells(p.Workload.Sizes)
			return []solver.Access{{Stage: "measure", Kind: dp.DiscreteGaussian, Count: 1, Noise: variance, Marginals: 1, Cliques: pair, Coordinates: cells}}, err
		},
		Solve: func(_ context.Context, p solver.Problem, c solver.Curator) (*solver.Result, error) {
			_, err := c.(solver.Published).MeasureVariance("measure", 1, pair, variance)
			cells := 1
			for _, n := range p.Workload.Sizes {
				cells *= n
			}
			model := &population.Model{Sizes: p.Workload.Sizes, Weights: slices.Repeat([]float64{1}, cells)}
			return &solver.Result{Model: model, Total: query.Total{Units: float64(cells)}, RMSE: math.NaN()}, err
		},
	})
	RegisterStore("dir", func(dir string) (Store, error) { return dirStore{dir}, nil })
	RegisterSink("dir", func(dir string) (Sink, error) { return dirSink{dir}, nil })
}

// wholeOf is the clique of all columns.
func wholeOf(p solver.Problem) (whole domain.Clique) {
	for a := range p.Workload.Sizes {
		whole = append(whole, a)
	}
	return whole
}

func solveUniverse(_ context.Context, p solver.Problem, c solver.Curator) (*solver.Result, error) {
	total, err := c.Total("total", dp.ShareOf(1, 10))
	if err != nil {
		return nil, err
	}
	p.Progress.Report("measure", 0, 1)
	m, err := c.Measure("measure", 1, []domain.Clique{wholeOf(p)}, nil, dp.ShareOf(9, 10))
	if err != nil {
		return nil, err
	}
	p.Progress.Report("measure", 1, 1)
	model := &population.Model{Sizes: p.Workload.Sizes, Weights: make([]float64, len(m[0].Values))}
	for i, v := range m[0].Values {
		model.Weights[i] = max(v, 0) + 1e-9
	}
	return &solver.Result{Model: model, Total: total, Measurements: m, Status: solver.RoundsDone}, nil
}

// dirStore keeps objects as files of a directory.
type dirStore struct{ dir string }

func (s dirStore) Get(_ context.Context, name string) ([]byte, bool, error) {
	b, err := os.ReadFile(filepath.Join(s.dir, name))
	if errors.Is(err, os.ErrNotExist) {
		return nil, false, nil
	}
	return b, err == nil, err
}

func (s dirStore) CreateIfAbsent(ctx context.Context, name string, data []byte) ([]byte, bool, error) {
	tmp, err := os.CreateTemp(s.dir, "tmp")
	if err != nil {
		return nil, false, err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(data)
	if err := errors.Join(err, tmp.Close()); err != nil {
		return nil, false, err
	}
	path := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, false, err
	}
	if err := os.Link(tmp.Name(), path); err == nil {
		return data, true, nil
	}
	current, _, err := s.Get(ctx, name)
	return current, false, err
}

// dirSink writes a line of text for each row.
type dirSink struct{ dir string }

type dirWriter struct {
	*os.File
	ref FileRef
}

func (s dirSink) Create(_ context.Context, shard, shards int) (ShardWriter, error) {
	f, err := os.CreateTemp(s.dir, fmt.Sprintf("attempt-%d-of-%d-*", shard, shards))
	return &dirWriter{File: f}, err
}

func (w *dirWriter) Write(c *domain.Chunk) error {
	for _, line := range lines(c) {
		n, err := fmt.Fprintln(w.File, line)
		if err != nil {
			return err
		}
		w.ref.Rows++
		w.ref.Bytes += int64(n)
		w.ref.CRC32C = crc32.Update(w.ref.CRC32C, crc32.MakeTable(crc32.Castagnoli), append([]byte(line), '\n'))
	}
	return nil
}

func (w *dirWriter) Commit() (FileRef, error) {
	w.ref.URI = w.Name()
	return w.ref, w.Close()
}

func (w *dirWriter) Abort() {
	w.Close()
	os.Remove(w.Name())
}

func (s dirSink) Publish(_ context.Context, files []FileRef, release *Artifact) (Published, error) {
	m := Published{URI: s.dir, Files: len(files)}
	for _, f := range files {
		m.Rows, m.Bytes = m.Rows+f.Rows, m.Bytes+f.Bytes
		if err := os.Rename(f.URI, filepath.Join(s.dir, fmt.Sprintf("part-%d", f.Shard))); err != nil {
			return m, err
		}
	}
	text, err := json.Marshal(release.Statement)
	return m, errors.Join(err, os.WriteFile(filepath.Join(s.dir, "_privacy.json"), text, 0o644))
}

// lines formats the rows of a chunk.
func lines(c *domain.Chunk) []string {
	d := visits()
	out := make([]string, c.Rows)
	for i := range out {
		for a := range c.Columns {
			switch col := &c.Columns[a]; {
			case col.Null(i):
				out[i] += "NULL,"
			case col.Form == domain.Dictionary:
				out[i] += col.Dict[col.Ints[i]] + ","
			default:
				out[i] += string(d.Attributes[a].AppendNative(nil, col.Ints[i])) + ","
			}
		}
	}
	return out
}
