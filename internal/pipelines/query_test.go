package pipelines

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"html"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/parquetio"
	"github.com/dapple-dp/dapple/internal/release/answer"
	"github.com/dapple-dp/dapple/internal/release/contents"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// queried answers a question about a release.
func queried(c QueryConfig) (*Answered, error) {
	r, err := ValidateQuery(context.Background(), c)
	if err != nil {
		return nil, err
	}
	return Query(context.Background(), r)
}

// TestQuery: every method's release answers, from its files alone and in all forms alike; answers are the model's, whose
// marginals are released too. An altered release answers nothing.
func TestQuery(t *testing.T) {
	for method, from := range map[string]string{"rake": "measured", "dpam": "measured", "dpfw": "modelled"} {
		c := shop(t, 4000)
		c.Method = method
		mustRun(t, c)
		for _, ends := range []string{".csv", ".parquet"} {
			file := filepath.Join(t.TempDir(), "answers"+ends)
			a := must.Value(queried(QueryConfig{Dir: c.Output, SQL: "SELECT active, COUNT(*), AVG(age) FROM rows WHERE plan = pro GROUP BY active", Output: file}))(t)
			var said struct{ Answers []AnswerJSON }
			b, err := a.JSON()
			must.Need(t, err == nil && json.Unmarshal(b, &said) == nil && len(said.Answers) == 4, "%s: %s, %v", method, b, err)
			first := said.Answers[0]
			must.Hold(t, first.Group["active"] != "" && first.Column == "COUNT(*)" && first.From == from && *first.Low < *first.Value && *first.Value < *first.High && *first.StandardError > 0,
				"%s: %s", method, b)
			var text bytes.Buffer
			err = a.WriteText(&text)
			must.Hold(t, err == nil && strings.Contains(text.String(), "95 % interval"), "%s: %q, %v", method, text.String(), err)
			got := valuesOf(t, file)
			must.Hold(t, len(got) == 4 && math.Abs(got[0]-*first.Value) <= 1e-9, "%s: values in %s: %v", method, file, got)
		}
		flipByte(t, filepath.Join(c.Output+".release", publish.ErrorsFile))
		must.Fails(queried(QueryConfig{Dir: c.Output, SQL: "SELECT COUNT(*) FROM rows"}))(t, "_errors.json has changed", "%s: an altered release", method)
	}
	_, err := queried(QueryConfig{Dir: t.TempDir(), SQL: "SELECT MAX(age) FROM rows", Output: "answers.txt"})
	for _, want := range []string{"QUANTILE", "--output", "holds no release"} {
		must.Fail(t, err, want)
	}
}

// valuesOf reads the column value of a file of answers.
func valuesOf(t *testing.T, file string) (list []float64) {
	t.Helper()
	if strings.HasSuffix(file, ".csv") {
		b := must.Value(os.ReadFile(file))(t)
		rows := must.Value(csv.NewReader(bytes.NewReader(b)).ReadAll())(t)
		for _, r := range rows[1:] {
			x, _ := domain.ParseFloat(r[2])
			list = append(list, x)
		}
		return list
	}
	d := &domain.Domain{Attributes: []domain.Attribute{{Name: "value", Type: domain.Float64, Null: true}}}
	r := must.Value(parquetio.OpenFile(file, d, parquetio.ReadOptions{}))(t)
	for chunk, err := range r.Chunks() {
		must.Do(t, err)
		list = append(list, chunk.Columns[0].Floats...)
	}
	return list
}

// TestAsk: the page has a few questions with the answers that the command gives, and the command; drawn again it is the same.
// Of hardly anybody it says next to nothing.
func TestAsk(t *testing.T) {
	c := shop(t, 4000)
	mustRun(t, c)
	text := must.Value(os.ReadFile(filepath.Join(c.Output+".release", publish.ReportFile)))(t)
	page := string(text)
	release := must.Value(contents.Open(t.Context(), c.Output))(t)
	questions := answer.Questions(release.Domain)
	must.Hold(t, len(questions) == 4, "questions %q", questions)
	for _, sql := range questions {
		a := must.Value(queried(QueryConfig{Dir: c.Output, SQL: sql}))(t)
		must.Hold(t, strings.Contains(page, ">"+html.EscapeString(sql)+"</pre>"), "the page does not ask %s", sql)
		for i := range a.Answers {
			value, _, interval, hidden := a.Answers[i].Texts()
			_, table, _ := strings.Cut(page, ">"+html.EscapeString(sql)+"</pre>")
			_, from, _ := strings.Cut(table, "<p>from: ")
			from, _, _ = strings.Cut(from, "</p>")
			must.Hold(t, slices.Contains(strings.Split(from, "; "), html.EscapeString(a.Answers[i].From())), "%s: the page says from %q", sql, from)
			want := "<td>" + value + "</td><td>" + interval + "</td>"
			must.Hold(t, hidden != "" || strings.Contains(page, want), "%s: the page has no %s", sql, want)
		}
	}
	want := html.EscapeString("dapple query " + filepath.Base(c.Output) + " 'SELECT …'")
	must.Hold(t, strings.Contains(page, want), "the page has no command %s", want)
	few := *release
	few.Units = 1
	list := publish.Asked(&few)
	must.Hold(t, len(list) <= 2, "of one person it says %v", list)
}

// TestPageMeans: the page states the mean of every kind of column of numbers as the command answers it, and the truth is inside.
func TestPageMeans(t *testing.T) {
	const people = 4000
	rng := rand.New(rand.NewPCG(3, 4))
	var columns, header strings.Builder
	kinds := []struct {
		column string
		value  func() float64
	}{
		{"type: INT64, min: 0, max: 1", func() float64 { return float64(b2i(rng.Float64() < .1)) }},
		{"type: BOOL", func() float64 { return float64(b2i(rng.Float64() < .3)) }},
		{"type: INT64, min: -3, max: 6", func() float64 { return float64(rng.IntN(10) - 3) }},
		{"type: INT64, min: 0, max: 9000, resolution: 1000", func() float64 { return 1000 * float64(rng.IntN(10)) }},
		{"type: NUMERIC, min: 0, max: 1.5, resolution: 0.25", func() float64 { return .25 * float64(rng.IntN(7)) }},
		{"type: FLOAT64, min: 0, max: 7, resolution: 1", func() float64 { return float64(rng.IntN(8)) }},
		{"type: INT64, min: 0, max: 99, bins: 10", func() float64 { return float64(rng.IntN(100)) }},
		{"type: INT64, values: [1, 5, 70]", func() float64 { return []float64{1, 5, 70}[rng.IntN(3)] }},
	}
	rows := make([]strings.Builder, people)
	truth := make([]float64, len(kinds))
	for k, kind := range kinds {
		fmt.Fprintf(&columns, "  - {name: c%d, %s, null: true}\n", k, kind.column)
		fmt.Fprintf(&header, ",c%d", k)
		for i := range rows {
			x := kind.value()
			truth[k] += x / people
			text := strconv.FormatFloat(x, 'f', -1, 64)
			if kind.column == "type: BOOL" {
				text = strconv.FormatBool(x == 1)
			}
			rows[i].WriteString("," + text)
		}
	}
	c := shop(t, 1)
	var table strings.Builder
	fmt.Fprintf(&table, "customer%s\n", header.String())
	for i := range rows {
		fmt.Fprintf(&table, "%d%s\n", i, rows[i].String())
	}
	for path, text := range map[string]string{c.Domain: "privacy_id: customer\ncolumns:\n" + columns.String(), c.Input: table.String()} {
		must.Do(t, os.WriteFile(path, []byte(text), 0o666))
	}
	c.Epsilon, c.Method = 3, "rake"
	mustRun(t, c)
	text := must.Value(os.ReadFile(filepath.Join(c.Output+".release", publish.ReportFile)))(t)
	for k, kind := range kinds {
		_, card, _ := strings.Cut(string(text), fmt.Sprintf(">c%d<", k))
		found := regexp.MustCompile(`mean (-?[0-9.]+) ± ([0-9.]+)`).FindStringSubmatch(card)
		must.Need(t, found != nil, "%s: the page has no mean", kind.column)
		mean, _ := strconv.ParseFloat(found[1], 64)
		half, _ := strconv.ParseFloat(found[2], 64)
		// 5.9 standard errors
		must.Hold(t, math.Abs(mean-truth[k]) <= 3*half, "%s: the page says %g ± %g, and the truth is %g", kind.column, mean, half, truth[k])
		a := must.Value(queried(QueryConfig{Dir: c.Output, SQL: fmt.Sprintf("SELECT AVG(c%d) FROM rows", k)}))(t)
		must.Hold(t, math.Abs(mean-a.Answers[0].Value) <= .1*half+1e-9, "%s: the page says %g ± %g, and query %g", kind.column, mean, half, a.Answers[0].Value)
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
