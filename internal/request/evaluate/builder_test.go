package evaluate

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// wide is a domain whose second attribute needs two bytes a code.
func wide(id string) *domain.Domain {
	return &domain.Domain{PrivacyID: id, Attributes: []domain.Attribute{
		{Name: "n", Type: domain.Int64, Cuts: []int64{0, 1, 2, 3, 3}, Resolution: 1, Null: true},
		{Name: "m", Type: domain.Int64, Cuts: domain.EqualCuts(0, 999, 1000), Resolution: 1, HasFallback: true, Fallback: 7},
	}}
}

// chunk returns records with IDs as text; an empty ID is NULL in every other record.
func chunk(ids []string, n, m []int64) *domain.Chunk {
	c := &domain.Chunk{Rows: len(ids), Columns: []domain.Column{
		{Form: domain.Ints, Ints: n}, {Form: domain.Ints, Ints: m}}}
	c.ID = domain.Column{Form: domain.Text, Offsets: []uint32{0}, Nulls: make([]bool, len(ids))}
	for i, id := range ids {
		c.ID.Bytes = append(c.ID.Bytes, id...)
		c.ID.Offsets = append(c.ID.Offsets, uint32(len(c.ID.Bytes)))
		c.ID.Nulls[i] = id == "" && i%2 == 0
	}
	return c
}

func TestBuilderKeepsEveryRecordWithoutIDs(t *testing.T) {
	b := NewBuilder(wide(""))
	b.Add(chunk([]string{"a", "a", ""}, []int64{0, 3, 9}, []int64{1, 2, 999}))
	b.Add(chunk([]string{"a"}, []int64{-5}, []int64{300}))
	got := b.Table()
	want := [][]domain.Code{{0, 3, 3, 0}, {1, 2, 999, 300}}
	must.Hold(t, got.Rows == 4 && reflect.DeepEqual(got.Columns, want), "got %d rows %v, want 4 rows %v", got.Rows, got.Columns, want)
}

// TestBuilderKeepsLeastRank computes ranks by their definition: how often the unit had that row before and the length of
// the ID, the ID, one byte of the first code and two of the second, by AES in CBC mode under a key of zeros.
func TestBuilderKeepsLeastRank(t *testing.T) {
	block := must.Value(aes.NewCipher(make([]byte, 16)))(t)
	r := rand.New(rand.NewPCG(1, 2))
	b := NewBuilder(wide("id"))
	type kept struct {
		rank string
		row  [2]domain.Code
	}
	want, order, times := map[string]kept{}, []string{}, map[string]int{}
	for range 20 {
		var ids []string
		var n, m []int64
		for range 50 {
			id := fmt.Sprint("person ", r.IntN(90))
			if r.IntN(10) == 0 {
				id = ""
			}
			ids, n, m = append(ids, id), append(n, r.Int64N(4)), append(m, 300*r.Int64N(3))
			if id == "" {
				continue
			}
			row := [2]domain.Code{domain.Code(n[len(n)-1]), domain.Code(m[len(m)-1])}
			packed := string([]byte{byte(row[0]), byte(row[1]), byte(row[1] >> 8)})
			of := id + " " + packed
			text := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, uint64(times[of])), uint64(len(id)))
			text = append(append(text, id+string(make([]byte, 16-len(id)))...), packed+string(make([]byte, 13))...)
			times[of]++
			cipher.NewCBCEncrypter(block, make([]byte, 16)).CryptBlocks(text, text)
			rank := string(text[len(text)-16:])
			old, seen := want[id]
			if !seen {
				order = append(order, id)
			}
			if !seen || rank < old.rank {
				want[id] = kept{rank, row}
			}
		}
		b.Add(chunk(ids, n, m))
	}
	got := b.Table()
	must.Need(t, got.Rows == len(order), "%d rows, want %d", got.Rows, len(order))
	for i, id := range order {
		row := [2]domain.Code{got.Columns[0][i], got.Columns[1][i]}
		must.Hold(t, row == want[id].row, "%s keeps %v, want %v", id, row, want[id].row)
	}
}

// The same ID is one unit in whatever form it comes.
func TestBuilderReadsEveryFormOfID(t *testing.T) {
	columns := []domain.Column{{Form: domain.Ints, Ints: []int64{1}}, {Form: domain.Ints, Ints: []int64{5}}}
	b := NewBuilder(wide("id"))
	for _, id := range []domain.Column{
		{Form: domain.Text, Bytes: []byte("x12"), Offsets: []uint32{1, 3}},
		{Form: domain.Ints, Ints: []int64{12}},
		{Form: domain.Floats, Floats: []float64{12}},
		{Form: domain.Dictionary, Dict: []string{"11", "12"}, Ints: []int64{1}},
		{Form: domain.Absent},
		{Form: domain.Ints, Ints: []int64{13}, Nulls: []bool{true}},
	} {
		b.Add(&domain.Chunk{Rows: 1, ID: id, Columns: columns})
	}
	must.Equal(t, b.Table().Rows, 1, "units")
}
