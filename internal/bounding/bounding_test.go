package bounding

import (
	"fmt"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
)

func TestLayoutRoundTrip(t *testing.T) {
	l := NewLayout([]int{2, 300, 256, 70})
	if l.Width() != 5 {
		t.Fatalf("width %d, want 5", l.Width())
	}
	in := []domain.Code{0, 299, 255, 69, 1, 256, 0, 1, 1, 3, 7, 2}
	columns := make([][]domain.Code, 4)
	for a := range columns {
		columns[a] = make([]domain.Code, 3)
	}
	l.Unpack(columns, l.Pack(nil, in))
	for i, want := range in {
		if got := columns[i%4][i/4]; got != want {
			t.Errorf("record %d, attribute %d: %d, want %d", i/4, i%4, got, want)
		}
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
					if want := codes[(from+i)*len(sizes)+a]; v != want {
						t.Fatalf("%d records, record %d, attribute %d: %d, want %d", n, from+i, a, v, want)
					}
				}
			}
		}
	}
}

// The rank is that of the package comment, and different for two units with one row, and for two equal rows.
func TestRankIsPinned(t *testing.T) {
	r := NewRanker(make([]byte, RunKeySize))
	for id, want := range map[string]string{"p1": "3c0a0a362fd4", "p2": "f51e55d9c084"} {
		got := r.Rank([]byte(id), []byte{1, 2}, 0)
		if text := fmt.Sprintf("%x", got[:6]); text != want {
			t.Errorf("rank of %s begins with %s, want %s", id, text, want)
		}
	}
}

// The chosen row is that of the least rank of all records, which a second way of counting finds.
func TestLeastSeesEveryRecord(t *testing.T) {
	r := NewRanker(make([]byte, RunKeySize))
	rows, times := []byte{0, 1, 2}, []uint64{5, 1, 300}
	for u := range 200 {
		id := fmt.Appendf(nil, "u%d", u)
		var least [32]byte
		want := -1
		for i := range rows {
			for before := range times[i] {
				if rank := r.Rank(id, rows[i:i+1], before); want < 0 || string(rank[:]) < string(least[:]) {
					least, want = rank, i
				}
			}
		}
		if got := r.Least(id, rows, times); got != want {
			t.Fatalf("unit %d: row %d, want %d", u, got, want)
		}
	}
}
