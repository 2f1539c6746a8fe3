package counts

import (
	"encoding/binary"
	"errors"
	"math"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/dapple-dp/dapple/internal/kit/wire"
	"github.com/dapple-dp/dapple/internal/transforms/internal/dofn"
	"github.com/dapple-dp/dapple/internal/transforms/internal/records"
)

const (
	// pieceCells is the most cells of a piece: with at most 150 kB, some hundreds of them are no large message, and Beam's
	// runners in Java pass on all values of a key in one.
	pieceCells = 1 << 14
	// FirstSums is how many sums of bundles the first level makes of a piece, which the second adds up. Engines make some hundred bundles,
	// or at most 16,384, one of each shard of people: each would do best with the square root.
	FirstSums = 1 << 5
)

// Piece is a run of the cells of a Table's tables, in the order of its cliques. The first one has the weight of all units.
type Piece struct {
	at     int
	weight int64
	cells  []int64
}

func init() {
	beam.RegisterCoder(reflect.TypeFor[*Piece](), encodePiece, decodePiece)
	dofn.Register[countPiecesFn](
		dofn.Method1x1("StartBundle", (*countPiecesFn).StartBundle),
		dofn.Method2x1("ProcessElement", (*countPiecesFn).ProcessElement),
		dofn.Method1x1("FinishBundle", (*countPiecesFn).FinishBundle),
	)
	register.Emitter2[int, *Piece]()
	register.Function2x2(mergePieces)
	register.Function2x2(regroup)
}

// countPieces counts units into pieces. Each is the sum over all bundles.
func countPieces(s beam.Scope, shape Shape, units beam.PCollection) beam.PCollection {
	grouped := beam.CombinePerKey(s, mergePieces, beam.ParDo(s, &countPiecesFn{Shape: shape}, units))
	return beam.DropKey(s, beam.CombinePerKey(s, mergePieces, beam.ParDo(s, regroup, grouped)))
}

// countPiecesFn is countFn for pieces of tables, each under the key of its group and place.
type countPiecesFn struct {
	Shape Shape

	table *Table
}

func (f *countPiecesFn) StartBundle(func(int, *Piece)) error {
	f.table = NewTable(f.Shape)
	return nil
}

func (f *countPiecesFn) ProcessElement(b *records.Batch, _ func(int, *Piece)) error {
	f.table.add(b.Rows)
	return nil
}

// FinishBundle takes the group from what was counted. An engine that runs a bundle again finds the same one, whatever
// order its records have then: under another key they would be lost or counted twice where only some of the first
// output is replaced.
func (f *countPiecesFn) FinishBundle(emit func(int, *Piece)) error {
	digest, pieces := f.table.Digest(), f.table.Pieces()
	group := int(digest[0]) % FirstSums
	for _, p := range pieces {
		emit(group*len(pieces)+p.at, p)
	}
	f.table = nil
	return nil
}

// regroup drops the group from the key.
func regroup(_ int, p *Piece) (int, *Piece) { return p.at, p }

// Pieces divides the counts of t, which is added to no more.
func (t *Table) Pieces() []*Piece {
	t.settle()
	all := []*Piece{{weight: t.weight}}
	for _, table := range t.tables {
		for len(table) > 0 {
			last := all[len(all)-1]
			if len(last.cells) == pieceCells {
				last = &Piece{at: len(all)}
				all = append(all, last)
			}
			n := min(len(table), pieceCells-len(last.cells))
			last.cells = append(last.cells, table[:n]...)
			table = table[n:]
		}
	}
	return all
}

// mergePieces is a CombineFn.
func mergePieces(a, b *Piece) (*Piece, error) {
	if a.at != b.at || len(a.cells) != len(b.cells) {
		return nil, errPieces
	}
	if a.weight > math.MaxInt64-b.weight {
		return nil, errOverflow
	}
	a.weight += b.weight
	for c, n := range b.cells {
		a.cells[c] += n
	}
	return a, nil
}

// errPieces does not say which, or of how many.
var errPieces = errors.New("counts: pieces of a table are missing, or are there twice: the runner lost or repeated some")

// Assemble puts the pieces of a table of shape s together; of none it makes the counts of no units.
func Assemble(s Shape, pieces func(**Piece) bool) (*Table, error) {
	t := NewTable(s)
	want := t.Pieces()
	seen := make([]bool, len(want))
	n := 0
	for p := (*Piece)(nil); pieces(&p); p = nil {
		if p.at >= len(want) || seen[p.at] || len(p.cells) != len(want[p.at].cells) {
			return nil, errPieces
		}
		seen[p.at], want[p.at], n = true, p, n+1
	}
	if n == 0 {
		return t, nil
	}
	if n < len(want) {
		return nil, errPieces
	}
	t.weight = want[0].weight
	at := 0
	for _, table := range t.tables {
		for i := 0; i < len(table); {
			k := copy(table[i:], want[at/pieceCells].cells[at%pieceCells:])
			i, at = i+k, at+k
		}
	}
	return t, nil
}

func encodePiece(p *Piece) []byte {
	b := binary.AppendUvarint(nil, uint64(p.at))
	b = binary.AppendUvarint(b, uint64(p.weight))
	b = binary.AppendUvarint(b, uint64(len(p.cells)))
	return appendCounts(b, p.cells)
}

func decodePiece(b []byte) (*Piece, error) {
	r := wire.Reader{Rest: b}
	at, weight, n := r.Count(), r.Count(), r.Count()
	if r.Bad || at > maxCells/pieceCells || n > pieceCells {
		return nil, errMalformed
	}
	p := &Piece{at: int(at), weight: weight, cells: make([]int64, n)}
	if readCounts(&r, p.cells); !r.Done() {
		return nil, errMalformed
	}
	return p, nil
}
