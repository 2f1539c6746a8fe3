package discover

import (
	"fmt"
	"maps"
	"testing"

	"github.com/dapple-dp/dapple/internal/kit/summation"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// Every cell is counted once in each statistic, whether its text is remembered or one of too many that are no candidates; and
// every candidate once for each of its units. Nothing depends on bundles, on chunks or on the order of a table.
func TestTallyCountsAllTexts(t *testing.T) {
	const distinct = 3 * maxKnown
	var table rows
	want := map[string]int64{}
	for i := range 2 * distinct {
		city := fmt.Sprintf("city %d", i%7001)
		want[city]++
		table = append(table, []string{fmt.Sprint("p", i), fmt.Sprintf("%d.125", i%distinct), city})
	}
	for id, part := range map[string]int{"": 1, "id": 0} {
		p := params(id, "fee", "city")
		p.Shards = 1 // so that all people are in one bundle
		own := make(rows, len(table))
		for i := range table {
			own[i] = table[i][part:]
		}
		sum := counted(t, p, own[:distinct], own[distinct:])
		for s, cells := range sum.dense {
			n := summation.InOrder(cells)
			must.Hold(t, n == 2*distinct, "%q: statistic %d counts %d cells of %d records", id, s, n, 2*distinct)
		}
		must.Hold(t, len(sum.values[0]) == 0 && maps.Equal(sum.values[1], want), "%q: %d and %d values, want 0 and %d", id, len(sum.values[0]), len(sum.values[1]), len(want))
		must.Hold(t, counted(t, p, own).digest() == sum.digest(), "%q: another bundle counts otherwise", id)
	}
}

// BenchmarkCount counts a million cells with a hundred thousand different texts; rows of people and rows by themselves.
func BenchmarkCount(b *testing.B) {
	var table rows
	for i := range 200_000 {
		table = append(table, []string{fmt.Sprint("p", i), fmt.Sprint("name ", i*7919%100_000), fmt.Sprint(i % 90), fmt.Sprintf("%d.25", i), []string{"f", "m"}[i%2], "2024-01-31"})
	}
	for _, id := range []string{"none", "id"} {
		b.Run(id, func(b *testing.B) {
			p := params("", "name", "age", "income", "sex", "day")
			if id == "id" {
				p.PrivacyID = id
			}
			f, c := &readFn{Params: p.withDefaults(), MaxEntries: 1 << 18}, table.chunk(true)
			must.Do(b, f.Setup())
			b.ReportAllocs()
			for b.Loop() {
				_ = f.StartBundle(nil)
				must.Do(b, f.ProcessElement(c, func(int, []byte) {}))
			}
		})
	}
}
