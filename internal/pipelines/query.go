package pipelines

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/parquetio"
	"github.com/dapple-dp/dapple/internal/kit/errtext"
	"github.com/dapple-dp/dapple/internal/release/answer"
	"github.com/dapple-dp/dapple/internal/release/contents"
)

// QueryConfig is a question about a finished run, answered from its released files alone, at no privacy cost.
type QueryConfig struct {
	Dir        string // directory of the rows or of everything else; required
	SQL        string // required; see package answer
	Population bool   // answers are about the population that the table's people are a random sample of
	Output     string // file for the answers, which ends in .csv or .parquet; empty: none
}

// QueryRequest is a QueryConfig without fault.
type QueryRequest struct {
	QueryConfig
	query   *answer.Query
	release *answer.Release
}

// ValidateQuery finds every fault of a question that shows before it is answered, and reads the release.
func ValidateQuery(ctx context.Context, c QueryConfig) (*QueryRequest, error) {
	r := &QueryRequest{QueryConfig: c}
	var faults Faults
	var err error
	if c.SQL != "" { // what is missing is reported when flags are read
		if r.query, err = answer.Parse(c.SQL); err != nil {
			faults = append(faults, ErrorFaults("query", err)...)
		}
	}
	if c.Output != "" && !strings.HasSuffix(c.Output, ".csv") && !strings.HasSuffix(c.Output, ".parquet") {
		faults.add("--output", fmt.Sprintf("got %s; want a file that ends in .csv or .parquet", c.Output), "")
	}
	if c.Dir != "" {
		if r.release, err = contents.Open(ctx, c.Dir); err != nil {
			faults.add(c.Dir, errtext.Text(err), "")
		}
	}
	return r, faults.Err()
}

// Answered are the answers to a question.
type Answered struct {
	Answers []answer.Answer
	keys    []string
}

// Query answers a question, and writes the file that was asked for.
func Query(ctx context.Context, r *QueryRequest) (*Answered, error) {
	list, err := r.release.Answer(r.query, answer.Options{Population: r.Population})
	if err != nil {
		return nil, ErrorFaults("query", err)
	}
	a := &Answered{Answers: list}
	for _, k := range r.query.Keys {
		a.keys = append(a.keys, k.Name)
	}
	if r.Output == "" {
		return a, nil
	}
	var b bytes.Buffer
	if strings.HasSuffix(r.Output, ".csv") {
		err = a.writeCSV(&b)
	} else {
		_, err = parquetio.WriteFigures(&b, a.columns())
	}
	if err != nil {
		return nil, err
	}
	return a, files.Replace(ctx, r.Output, b.Bytes())
}

// AnswerJSON is an answer as --json has it.
type AnswerJSON struct {
	Group         map[string]string `json:"group,omitempty"` // the label of each column that is grouped by
	Column        string            `json:"column"`          // as it is written in the query, or behind AS
	Value         *float64          `json:"value"`           // null: noise hides it
	StandardError *float64          `json:"standard_error"`  // of the value
	Low           *float64          `json:"low"`             // end of the 95 % interval
	High          *float64          `json:"high"`            // the other end
	From          string            `json:"from"`            // measured: all that the answer needs was; modelled; ", earlier version" is added if one made the release, and ", of values …" or ", with values of …" if values have become the ends of a range
	Note          string            `json:"note,omitempty"`  // why there is no value
}

// JSON returns the answers for programs.
func (a *Answered) JSON() ([]byte, error) {
	out := struct {
		Answers []AnswerJSON `json:"answers"`
	}{Answers: []AnswerJSON{}}
	number := func(x float64) *float64 {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil
		}
		return &x
	}
	for i := range a.Answers {
		x := &a.Answers[i]
		j := AnswerJSON{Column: x.Column, Value: number(x.Value), StandardError: number(x.StandardError), Low: number(x.Low), High: number(x.High), From: x.From()}
		_, _, _, j.Note = x.Texts()
		for k, name := range a.keys {
			if j.Group == nil {
				j.Group = map[string]string{}
			}
			j.Group[name] = x.Group[k]
		}
		out.Answers = append(out.Answers, j)
	}
	b, err := json.MarshalIndent(out, "", "  ")
	return append(b, '\n'), err
}

// WriteText writes a table for people.
func (a *Answered) WriteText(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, strings.Join(append(append([]string{}, a.keys...), "column", "value", "standard error", "95 % interval", "from"), "\t"))
	for i := range a.Answers {
		x := &a.Answers[i]
		cells := append(append([]string{}, x.Group...), x.Column)
		if value, s, interval, hidden := x.Texts(); hidden != "" {
			cells = append(cells, "–", "", hidden)
		} else {
			cells = append(cells, value, s, interval, x.From())
		}
		fmt.Fprintln(t, strings.Join(cells, "\t"))
	}
	return t.Flush()
}

// columns returns the answers as a table.
func (a *Answered) columns() []parquetio.Figures {
	var out []parquetio.Figures
	words := func(name string, of func(x *answer.Answer) string) {
		c := parquetio.Figures{Name: name}
		for i := range a.Answers {
			c.Words = append(c.Words, of(&a.Answers[i]))
		}
		out = append(out, c)
	}
	numbers := func(name string, of func(x *answer.Answer) float64) {
		c := parquetio.Figures{Name: name, Numbers: []float64{}}
		for i := range a.Answers {
			c.Numbers = append(c.Numbers, of(&a.Answers[i]))
		}
		out = append(out, c)
	}
	for k, name := range a.keys {
		words(name, func(x *answer.Answer) string { return x.Group[k] })
	}
	words("column", func(x *answer.Answer) string { return x.Column })
	numbers("value", func(x *answer.Answer) float64 { return x.Value })
	numbers("standard_error", func(x *answer.Answer) float64 { return x.StandardError })
	numbers("low", func(x *answer.Answer) float64 { return x.Low })
	numbers("high", func(x *answer.Answer) float64 { return x.High })
	words("from", (*answer.Answer).From)
	return out
}

func (a *Answered) writeCSV(w io.Writer) error {
	c, columns := csv.NewWriter(w), a.columns()
	for i := range len(a.Answers) + 1 {
		var row []string
		for _, col := range columns {
			switch {
			case i == 0:
				row = append(row, col.Name)
			case col.Words != nil:
				row = append(row, col.Words[i-1])
			case math.IsNaN(col.Numbers[i-1]):
				row = append(row, "")
			default:
				row = append(row, strconv.FormatFloat(col.Numbers[i-1], 'g', -1, 64))
			}
		}
		if err := c.Write(row); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}
