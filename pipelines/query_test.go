package pipelines

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"html"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/answer"
	"github.com/dapple-dp/dapple/internal/release/finished"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/io/parquetio"
)

// queried answers a question about a release.
func queried(c QueryConfig) (*Answered, error) {
	r, err := ValidateQuery(context.Background(), c)
	if err != nil {
		return nil, err
	}
	return Query(context.Background(), r)
}

// TestQuery: every method's release answers, from its files alone and in all forms alike; answers are those of the model, whose
// marginals are released too. An altered release answers nothing.
func TestQuery(t *testing.T) {
	for method, from := range map[string]string{"rake": "measured", "dpam": "measured", "dpfw": "modelled"} {
		c := shop(t, 4000)
		c.Method = method
		mustRun(t, c)
		for _, ends := range []string{".csv", ".parquet"} {
			file := filepath.Join(t.TempDir(), "answers"+ends)
			a, err := queried(QueryConfig{Dir: c.Output, SQL: "SELECT active, COUNT(*), AVG(age) FROM rows WHERE plan = pro GROUP BY active", Output: file})
			if err != nil {
				t.Fatal(err)
			}
			var said struct{ Answers []AnswerJSON }
			b, err := a.JSON()
			if err != nil || json.Unmarshal(b, &said) != nil || len(said.Answers) != 4 {
				t.Fatalf("%s: %s, %v", method, b, err)
			}
			first := said.Answers[0]
			if first.Group["active"] == "" || first.Column != "COUNT(*)" || first.From != from || !(*first.Low < *first.Value && *first.Value < *first.High && *first.StandardError > 0) {
				t.Errorf("%s: %s", method, b)
			}
			var text bytes.Buffer
			if err := a.WriteText(&text); err != nil || !strings.Contains(text.String(), "95 % interval") {
				t.Errorf("%s: %q, %v", method, text.String(), err)
			}
			if got := valuesOf(t, file); len(got) != 4 || math.Abs(got[0]-*first.Value) > 1e-9 {
				t.Errorf("%s: values in %s: %v", method, file, got)
			}
		}
		flipByte(t, filepath.Join(c.Output+".release", publish.ErrorsFile))
		if _, err := queried(QueryConfig{Dir: c.Output, SQL: "SELECT COUNT(*) FROM rows"}); err == nil || !strings.Contains(err.Error(), "_errors.json has changed") {
			t.Errorf("%s: an altered release: %v", method, err)
		}
	}
	_, err := queried(QueryConfig{Dir: t.TempDir(), SQL: "SELECT MAX(age) FROM rows", Output: "answers.txt"})
	for _, want := range []string{"QUANTILE", "--output", "holds no release"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("faults: %v; want one with %q too", err, want)
		}
	}
}

// valuesOf reads the column value of a file of answers.
func valuesOf(t *testing.T, file string) (list []float64) {
	t.Helper()
	if strings.HasSuffix(file, ".csv") {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(bytes.NewReader(b)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows[1:] {
			x, _ := domain.ParseFloat(r[2])
			list = append(list, x)
		}
		return list
	}
	d := &domain.Domain{Attributes: []domain.Attribute{{Name: "value", Type: domain.Float64, Null: true}}}
	r, err := parquetio.OpenFile(file, d, parquetio.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for chunk, err := range r.Chunks() {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, chunk.Columns[0].Floats...)
	}
	return list
}

// TestAsk: the page has a few questions with the answers that the command gives, and the command; drawn again it is the same.
// Of hardly anybody it says next to nothing.
func TestAsk(t *testing.T) {
	c := shop(t, 4000)
	mustRun(t, c)
	text, err := os.ReadFile(filepath.Join(c.Output+".release", publish.ReportFile))
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	release, err := finished.Open(t.Context(), c.Output)
	if err != nil {
		t.Fatal(err)
	}
	questions := answer.Questions(release.Domain)
	if len(questions) != 4 {
		t.Errorf("questions %q", questions)
	}
	for _, sql := range questions {
		a, err := queried(QueryConfig{Dir: c.Output, SQL: sql})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(page, ">"+html.EscapeString(sql)+"</pre>") {
			t.Errorf("the page does not ask %s", sql)
		}
		for i := range a.Answers {
			value, _, interval, hidden := a.Answers[i].Texts()
			if want := "<td>" + value + "</td><td>" + interval + "</td>"; hidden == "" && !strings.Contains(page, want) {
				t.Errorf("%s: the page has no %s", sql, want)
			}
		}
	}
	if want := html.EscapeString("dapple query " + filepath.Base(c.Output) + " 'SELECT …'"); !strings.Contains(page, want) {
		t.Errorf("the page has no command %s", want)
	}
	few := *release
	few.Units = 1
	if list := publish.Asked(&few); len(list) > 2 {
		t.Errorf("of one person it says %v", list)
	}
}
