package pipelines

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

const staysDomain = `privacy_id: who
columns:
  - {name: end, type: INT64, min: 0, max: 999, null: true}
  - {name: kind, type: STRING, values: [k, l], other: true}
  - {name: start, type: INT64, min: 0, max: 899, null: true}
constraints:
  - {order: [start, end]%s}
`

// Half of all stays take one to three days. With their own bins these are about half of the rows, and without far fewer; all
// rows are in order, though some records are not, and as many ends are NULL as in the table. Noise is a thousandth of a share.
func TestOrdersKeepGaps(t *testing.T) {
	for more, kept := range map[string]bool{"": true, ", gaps: false": false} {
		c := shop(t, 0)
		rng := rand.New(rand.NewPCG(5, 3))
		var b strings.Builder
		b.WriteString("who,kind,start,end\n")
		for i := range 4000 {
			start := rng.IntN(800)
			end := start + 1 + rng.IntN(3)
			if i%2 == 0 {
				end = start + 20 + rng.IntN(100)
			}
			from, to := strconv.Itoa(start), strconv.Itoa(end)
			switch i % 20 {
			case 0:
				to = ""
			case 1:
				from, to = "", strconv.Itoa(500+rng.IntN(3))
			case 2:
				to = strconv.Itoa(start - 5)
			}
			fmt.Fprintf(&b, "p%d,%s,%s,%s\n", i, "kl"[i%2:][:1], from, to)
		}
		put(t, c.Domain, fmt.Sprintf(staysDomain, more))
		put(t, c.Input, b.String())
		c.Format, c.Method, c.Delta, c.Epsilon, c.SampleSeed, c.HasSampleSeed = "csv", "rake", 1e-9, 20, 5, true
		mustRun(t, c)
		header, rows := readCSV(t, c.Output)
		must.Need(t, strings.Join(header, ",") == "kind,start,end", "columns %q", header)
		small, open, unknown := 0.0, 0.0, 0.0
		for _, row := range rows {
			start, err := strconv.Atoi(row[1])
			end, none := strconv.Atoi(row[2])
			switch {
			case none != nil:
				open++
			case err != nil:
				if end >= 495 && end <= 508 {
					unknown++
				}
			case end < start || end > 999:
				t.Fatalf("from %d to %d", start, end)
			case end-start <= 3:
				small++
			}
		}
		n := float64(len(rows))
		small, open, unknown = small/n, open/n, unknown/n
		must.Hold(t, (small > .4) == kept && math.Abs(open-.05) <= .02, "%q: %.3f of small gaps, want %v; %.3f of open ends, want .05", more, small, kept, open)
		must.Hold(t, !kept || small <= .6 && unknown >= .025, "%.3f of small gaps, want .5; %.3f of ends of an unknown start where .05 are", small, unknown)
		file := must.Value(schema.Parse("stays.yaml", []byte(fmt.Sprintf(staysDomain, more))))(t)
		must.Equal(t, file.Domain.GapNames("end") != nil, kept, "%q: gaps", more)
		_, err := ValidateSample(t.Context(), SampleConfig{Model: c.Output, Output: filepath.Join(t.TempDir(), "rows"), Where: "end > 5"})
		must.Hold(t, (err != nil && strings.Contains(err.Error(), "start and gap_end")) == kept, "%q: a condition on end: %v", more, err)
	}
}

// What others name stays a column of its own.
func TestNamedColumnsHaveNoGaps(t *testing.T) {
	for _, more := range []string{
		"workload: [{columns: [end, kind]}]\n", "workload: {target: end}\n", "workload: [{prefixes: end}]\n",
		"events: {rows: {max: 3}, usual: [end]}\n",
	} {
		text := fmt.Sprintf(staysDomain, "") + more
		file, err := schema.Parse("stays.yaml", []byte(text))
		must.Hold(t, err != nil || len(file.Domain.Gaps) <= 0, "%s: end has a gap in its place", more)
	}
	text := fmt.Sprintf(staysDomain, "") + "events: {rows: {max: 3}}\n"
	file := must.Value(schema.Parse("stays.yaml", []byte(text)))(t)
	must.Hold(t, len(file.Domain.Gaps) == 1 && file.Domain.Validate() == nil, "people: %d gaps, %v", len(file.Domain.Gaps), file.Domain.Validate())
}

// TestErrorOfAnOrderOfThree: the last column of an order of three is computed from three of the model's, which no table of two columns
// has; the stated error of such tables covers theirs, up to a factor of two.
func TestErrorOfAnOrderOfThree(t *testing.T) {
	for _, method := range []string{"rake", "dpam"} {
		c := shop(t, 0)
		rng := rand.New(rand.NewPCG(6, 3))
		columns := [3]string{"low", "middle", "high"}
		var b strings.Builder
		b.WriteString("who,low,middle,high\n")
		var real []string
		for i := range 4000 {
			low := int(18 * math.Pow(rng.Float64(), 1.5))
			middle := low + rng.IntN(4)
			real = append(real, fmt.Sprintf("%d,%d,%d", low, middle, middle+rng.IntN(4)))
			fmt.Fprintf(&b, "p%d,%s\n", i, real[i])
		}
		text := "privacy_id: who\nconstraints: [{order: [low, middle, high]}]\ncolumns:\n"
		for k, name := range columns {
			text += fmt.Sprintf("  - {name: %s, type: INT64, min: 0, max: %d, bins: %d, null: true}\n", name, 18+4*k, 19+4*k)
		}
		put(t, c.Domain, text)
		put(t, c.Input, b.String())
		c.Format, c.Method, c.Delta, c.Epsilon, c.SampleSeed, c.HasSampleSeed = "csv", method, 1e-9, 10, 5, true
		res := mustRun(t, c)
		_, rows := readCSV(t, c.Output)
		truth := 0.0
		for _, pair := range [][2]int{{0, 1}, {0, 2}, {1, 2}} {
			off := map[string]float64{}
			for _, r := range real {
				cells := strings.Split(r, ",")
				off[cells[pair[0]]+" "+cells[pair[1]]] -= 1 / float64(len(real))
			}
			for _, r := range rows {
				off[r[pair[0]]+" "+r[pair[1]]] += 1 / float64(len(rows))
			}
			for _, x := range off {
				truth += math.Abs(x) / 6
			}
		}
		said := res.Privacy.Error.AverageTV
		must.Hold(t, said/2 < truth && truth < 2*said, "%s: an error of %.4g is stated, and is %.4g", method, said, truth)
	}
}
