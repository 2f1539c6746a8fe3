package counts

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
	"github.com/dapple-dp/dapple/internal/transforms/internal/dofn"
	"github.com/dapple-dp/dapple/internal/transforms/internal/sensitive"
	"github.com/dapple-dp/dapple/internal/transforms/private"
)

func init() {
	dofn.Register[wideFn](dofn.Method2x1("ProcessElement", (*wideFn).ProcessElement))
	dofn.Register[keepTableFn](dofn.Method1x1("ProcessElement", (*keepTableFn).ProcessElement))
}

const (
	wideColumns = 60
	wideRows    = 4000 // of a chunk
	wideChunks  = 50
)

// wide is a domain of 60 columns with 2 to 9 values.
func wide() *domain.Domain {
	d := &domain.Domain{}
	for a := range wideColumns {
		at := domain.Attribute{Name: fmt.Sprint("c", a), Type: domain.String, Other: true, OtherValue: "?"}
		for v := range 1 + a%8 {
			at.Values = append(at.Values, fmt.Sprint("v", v))
		}
		d.Attributes = append(d.Attributes, at)
	}
	return d
}

// wideCodes are the codes of a chunk, row by row. The same chunk is the same in every process.
func wideCodes(chunk int) []uint8 {
	rng := rand.New(rand.NewPCG(uint64(chunk), 60))
	codes := make([]uint8, wideRows*wideColumns)
	for i := range codes {
		codes[i] = uint8(rng.IntN(1 + i%wideColumns%8))
	}
	return codes
}

// wideFn makes up the records of a chunk, on the worker.
type wideFn struct{}

func (*wideFn) ProcessElement(chunk int, emit func(*domain.Chunk)) error {
	codes, rows := wideCodes(chunk), make([][]string, wideRows)
	for i := range rows {
		for _, c := range codes[i*wideColumns : (i+1)*wideColumns] {
			rows[i] = append(rows[i], fmt.Sprint("v", c))
		}
	}
	emit(transformtest.Chunk(rows, nil))
	return nil
}

// keepTableFn writes a table to a directory.
type keepTableFn struct{ Dir string }

func (f *keepTableFn) ProcessElement(t *Table) error {
	return os.WriteFile(filepath.Join(f.Dir, fmt.Sprintf("%x", t.Digest())), t.Encode(), 0o600)
}

// 60 columns of 200,000 units are counted by workers in processes of their own: the one table that comes
// out of the shuffle holds every unit and the right pairs.
func TestWideTableAcrossProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time to build and start Beam's programs, and to count; make integration runs it")
	}
	d, dir := wide(), t.TempDir()
	p, s := beam.NewPipelineWithRoot()
	chunks := make([]int, wideChunks)
	for i := range chunks {
		chunks[i] = i
	}
	records := beam.ParDo(s, &wideFn{}, beam.Reshuffle(s, transformtest.Create(s, chunks...)))
	units := private.Bound(s, private.Encode(s, records, d, private.EncodeParams{}), private.BoundParams{})
	stats := Count(s, units, query.AllMarginals(d.Sizes(), 2, 10_000), Params{})
	beam.ParDo0(s, &keepTableFn{dir}, sensitive.Reveal(stats.Collection()))
	transformtest.RunInProcesses(t, p)

	kept, err := filepath.Glob(filepath.Join(dir, "*"))
	must.Need(t, err == nil && len(kept) == 1, "%d tables, want 1 (%v)", len(kept), err)
	b := must.Value(os.ReadFile(kept[0]))(t)
	got := must.Value(DecodeTable(b))(t)
	must.Hold(t, got.Units() == wideRows*wideChunks, "%d units, want %d", got.Units(), wideRows*wideChunks)
	for _, pair := range [][2]int{{0, 1}, {7, 15}, {23, 59}, {58, 59}} {
		n := d.Sizes()[pair[1]]
		want := make([]int64, d.Sizes()[pair[0]]*n)
		for _, chunk := range chunks {
			for row := range slices.Chunk(wideCodes(chunk), wideColumns) {
				want[int(row[pair[0]])*n+int(row[pair[1]])]++
			}
		}
		must.List(t, got.Marginal(domain.NewClique(pair[0], pair[1])), want, "columns %v", pair)
	}
}
