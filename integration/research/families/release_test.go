package families_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/integration/research/families"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestEveryReleaseBecomesRows: whatever small or empty table is read at whatever ε, what was released fits the domain and
// becomes rows. A run that ended there would have spent its budget for nothing. It takes some 10 seconds.
func TestEveryReleaseBecomesRows(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time for thirty fits, ten seconds; make nightly runs it")
	}
	for trial := range uint64(trials) {
		rng := rand.New(rand.NewPCG(trial, 3))
		x := madeUp(t, rng)
		ask := families.Request{Method: "auto", Epsilon: []dp.Epsilon{.01, .1, 1, 10, 100}[rng.IntN(5)], Delta: 1e-9,
			Neighbouring: []dp.Neighbouring{dp.AddRemove, dp.Replace}[rng.IntN(2)]}
		s, err := families.Solve(x, ask, families.Fixed(trial))
		if err != nil {
			t.Errorf("trial %d: %v", trial, err)
			continue
		}
		binned, err := x.Domain.WithBins(s.Bins)
		if err != nil {
			t.Errorf("trial %d: the release does not fit the domain: %v", trial, err)
			continue
		}
		const n = 100
		codes, word := make([]domain.Code, n*x.Domain.Len()), rand.New(rand.NewPCG(trial, 4))
		population.NewRows(s.Model, s.Problem.Workload.Maximal().Cliques(), n, trial).Read(0, codes)
		var chunk domain.Chunk
		domain.NewDecoder(binned).Decode(&chunk, codes, func(int, int) uint64 { return word.Uint64() })
		must.Hold(t, chunk.Rows == n, "trial %d: %d rows, want %d", trial, chunk.Rows, n)
	}
}

const trials = 30

// madeUp returns a table of up to 9 columns and 3,000 rows: numbers without bins, many of them with one value most of
// the time, following another column or lying at one end, and categories.
func madeUp(t *testing.T, rng *rand.Rand) *families.Table {
	t.Helper()
	text := "privacy_id: none\ncolumns:\n"
	columns := 1 + rng.IntN(9)
	for a := range columns {
		null := []string{", null: true", ", other: true"}[rng.IntN(2)]
		switch rng.IntN(4) {
		case 0:
			text += fmt.Sprintf("  - {name: c%d, type: STRING, values: [%s]%s}\n", a, strings.Join(strings.Split("abcdefgh"[:2+rng.IntN(6)], ""), ", "), null)
		case 1:
			text += fmt.Sprintf("  - {name: c%d, type: NUMERIC, min: -5, max: %d, resolution: 0.01, null: true}\n", a, 1+rng.IntN(2000))
		default:
			text += fmt.Sprintf("  - {name: c%d, type: INT64, min: 0, max: %d, null: true}\n", a, 100+rng.IntN(1<<(8+rng.IntN(10))))
		}
	}
	file := must.Value(schema.Parse("made-up.yaml", []byte(text)))(t)
	rows := []int{0, 1, 5, 40, 300, 3000}[rng.IntN(6)]
	codes := make([][]domain.Code, columns)
	for a, size := range file.Domain.Sizes() {
		kind, usual := rng.IntN(5), rng.IntN(size)
		codes[a] = make([]domain.Code, rows)
		for r := range codes[a] {
			v := rng.IntN(size)
			switch {
			case kind == 0 && rng.IntN(20) > 0:
				v = usual
			case kind == 1:
				v = int(float64(size-1) * rng.Float64() * rng.Float64() * rng.Float64() * rng.Float64())
			case kind == 2 && a > 0:
				v = int(codes[a-1][r]) * size / file.Domain.Sizes()[a-1]
			case kind == 3:
				v = min(rng.IntN(3), size-1)
			}
			codes[a][r] = domain.Code(v)
		}
	}
	return families.NewTable("made-up", file.Domain, codes)
}
