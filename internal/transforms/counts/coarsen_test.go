package counts

import (
	"bytes"
	"crypto/sha256"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestCoarsen: marginals of coarsened records equal the marginals by brute force, as tables and as records, and the
// encoding of records that are to be coarsened is read again.
func TestCoarsen(t *testing.T) {
	sizes, coarse := []int{1 << 20, 3, 700}, []int{4, 3, 5}
	rng := rand.New(rand.NewPCG(1, 2))
	codes := query.Recoding{make([]domain.Code, sizes[0]), nil, make([]domain.Code, sizes[2])}
	for a, k := range coarse {
		for v := range codes[a] {
			codes[a][v] = domain.Code(v % k)
		}
	}
	for _, p := range []Params{{}, {MaxCells: 1}} {
		shape := NewShape(query.AllMarginals(coarse, 3, 1000), p)
		table := NewTable(Shape{Sizes: sizes, Records: true, Coarse: &shape})
		want := make([]int64, 4*3*5)
		for range 3*blockRows + 17 {
			r := []domain.Code{domain.Code(rng.IntN(sizes[0])), domain.Code(rng.IntN(3)), domain.Code(rng.IntN(700))}
			table.add(table.layout.Pack(nil, r))
			want[int(r[0]%4)*15+int(r[1])*5+int(r[2]%5)]++
		}
		again, err := DecodeTable(table.Encode())
		must.Need(t, err == nil && bytes.Equal(again.Encode(), table.Encode()), "the encoding is not read again: %v", err)
		must.Hold(t, table.Digest() == sha256.Sum256(table.Encode()) && again.Coarsen(codes).Digest() == sha256.Sum256(again.Coarsen(codes).Encode()),
			"the digest differs from the encoding's")
		got := table.Marginal(domain.Clique{0})
		must.Need(t, len(got) == 1<<20, "%d codes of records, want 2^20", len(got))
		must.List(t, again.Coarsen(codes).Marginal(domain.Clique{0, 1, 2}), want, "records kept %v: coarsened counts", shape.Records)
	}
}
