package records

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/internal/model/contribution"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

func BenchmarkAddBatch(b *testing.B) {
	const batches = 256
	rng := rand.New(rand.NewPCG(5, 6))
	in := make([]*Batch, batches)
	for k := range in {
		in[k] = &Batch{N: BatchRows, Rows: make([]byte, 8*BatchRows), HasID: true}
		for i := range BatchRows {
			in[k].Rows[8*i] = byte(rng.IntN(4))
			in[k].AddID(fmt.Appendf(nil, "p%08d", rng.IntN(batches*BatchRows/3)))
		}
	}
	set := NewSet(8, 1<<20)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		set.AddBatch(in[i%batches], 0)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/BatchRows, "ns/record")
}

func BenchmarkFlush(b *testing.B) {
	const n = 1 << 18
	b.ReportAllocs()
	for b.Loop() {
		set := NewSet(8, 1<<20)
		row := make([]byte, 8)
		for i := range n {
			set.Add(fmt.Appendf(nil, "p%08d", i), row)
		}
		set.Flush(256, func(int, *Units) {})
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/unit")
}

// BenchmarkOne bounds shards of people of five records each, in ten bundles.
func BenchmarkOne(b *testing.B) {
	const bundles, people, shards = 10, 1 << 14, 5
	rng := rand.New(rand.NewPCG(7, 8))
	var sent [shards][][]byte
	for range bundles {
		set, row := NewSet(14, 1<<20), make([]byte, 14)
		for range 5 * people / bundles {
			for a := range row {
				row[a] = byte(rng.IntN(2 + 2*a))
			}
			set.Add(fmt.Appendf(nil, "%07d", rng.IntN(people)), row)
		}
		set.Flush(shards, func(shard int, u *Units) { sent[shard] = append(sent[shard], u.Encode(nil)) })
	}
	rank := contribution.NewRanker(testKey)
	b.ReportAllocs()
	for b.Loop() {
		for _, parts := range sent {
			var lists []*Units
			for _, part := range parts {
				u := must.Value(DecodeUnits(part))(b)
				lists = append(lists, u)
			}
			One(lists, rank)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(5*people), "ns/record")
}
