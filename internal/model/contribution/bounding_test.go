package contribution

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

func TestLayoutRoundTrip(t *testing.T) {
	l := NewLayout([]int{2, 300, 256, 70})
	must.Need(t, l.Width() == 5, "width %d, want 5", l.Width())
	in := []domain.Code{0, 299, 255, 69, 1, 256, 0, 1, 1, 3, 7, 2}
	columns := make([][]domain.Code, 4)
	for a := range columns {
		columns[a] = make([]domain.Code, 3)
	}
	l.Unpack(columns, l.Pack(nil, in))
	for i, want := range in {
		must.Equal(t, columns[i%4][i/4], want, "record %d, attribute %d", i/4, i%4)
	}
}

// Transposed rows hold every attribute in one piece, across blocks and in two bytes where it is wide.
func TestTranspose(t *testing.T) {
	sizes := []int{2, 300, 256, 70}
	l := NewLayout(sizes)
	for _, n := range []int{0, 1, transposeRows, 2*transposeRows + 3} {
		codes := make([]domain.Code, n*len(sizes))
		for i := range codes {
			codes[i] = domain.Code(i * 31 % sizes[i%len(sizes)])
		}
		rows := l.Pack(nil, codes)
		columns := l.Transpose(make([]byte, len(rows)), rows)
		for a := range sizes {
			for _, from := range []int{0, n / 3} {
				got := make([]domain.Code, n-from)
				l.Column(got, columns, a, n, from)
				for i, v := range got {
					want := codes[(from+i)*len(sizes)+a]
					must.Need(t, v == want, "%d records, record %d, attribute %d: %d, want %d", n, from+i, a, v, want)
				}
			}
		}
	}
}

// The rank is the last block of what CBC makes of the text that Ranker names, and different for two units with one row,
// and for two equal rows.
func TestRankIsPinned(t *testing.T) {
	key := []byte("a key of 16 byte")
	block := must.Value(aes.NewCipher(key))(t)
	r, seen := NewRanker(key), map[[RankSize]byte]bool{}
	fill := func(b []byte) []byte { return append(b, make([]byte, (RankSize-len(b)%RankSize)%RankSize)...) }
	for _, id := range []string{"p1", "p2", "an ID of 16 bytes", "and one that takes two blocks"} {
		for _, row := range []string{"\x01\x02", "\x01\x03", "columns", "8 of them", "nine of it", "fifteen columns", "sixteen columns.", "more than sixteen columns"} {
			for before := range uint64(3) {
				text := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, before), uint64(len(id)))
				text = append(append(text, fill([]byte(id))...), fill([]byte(row))...)
				cipher.NewCBCEncrypter(block, make([]byte, RankSize)).CryptBlocks(text, text)
				want := [RankSize]byte(text[len(text)-RankSize:])
				got := r.Rank([]byte(id), []byte(row), before)
				must.Hold(t, got == want && !seen[got], "rank of %q, %q and %d before: %x, want %x, and no other's", id, row, before, got, want)
				seen[want] = true
			}
		}
	}
}

// The chosen row has the least rank of all records, which a second way of counting finds.
func TestLeastSeesEveryRecord(t *testing.T) {
	r := NewRanker(make([]byte, RunKeySize))
	rows, times := []byte{0, 1, 2}, []uint64{5, 1, 300}
	for u := range 200 {
		id := fmt.Appendf(nil, "u%d", u)
		var least [RankSize]byte
		want := -1
		for i := range rows {
			for before := range times[i] {
				if rank := r.Rank(id, rows[i:i+1], before); want < 0 || string(rank[:]) < string(least[:]) {
					least, want = rank, i
				}
			}
		}
		got := r.Least(id, rows, times)
		must.Need(t, got == want, "unit %d: row %d, want %d", u, got, want)
	}
}
