package publish

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/io/parquetio"
	"github.com/dapple-dp/dapple/internal/model/interval"
	"github.com/dapple-dp/dapple/internal/release/answer"
	"github.com/dapple-dp/dapple/internal/release/report"
	"github.com/dapple-dp/dapple/internal/release/workload"
	"github.com/dapple-dp/dapple/solver"
)

// answersOf returns the answers of a model to the linear queries of its workload, as _answers.parquet has them: a row for each
// query, in people; nil without queries. Queries without a name have a number and the names of their columns.
func answersOf(d *domain.Domain, w query.Workload, names []workload.Name, r *solver.Result) []parquetio.Figures {
	list := interval.Asked(r, w)
	if len(list) == 0 {
		return nil
	}
	f := emptyAnswers()
	for _, m := range w.Marginals {
		if m.Queries == nil {
			continue
		}
		name := workload.Name{ID: strconv.Itoa(len(f[0].Words) + 1), Text: "query of " + strings.Join(m.Clique.Names(d), ", ")}
		if len(names) > 0 {
			name, names = names[0], names[1:]
		}
		for i := range m.Queries.Queries() {
			id, text := name.ID, name.Text
			if m.Queries.Queries() > 1 {
				id = fmt.Sprintf("%s.%d", name.ID, i+1)
			}
			if name.Column != "" {
				text += ", up to " + d.Attributes[m.Clique[0]].Label(domain.Code(i))
			}
			a := answer.Answer{Measured: list[0].Source == interval.Measured}
			f[0].Words, f[1].Words, f[6].Words = append(f[0].Words, id), append(f[1].Words, text), append(f[6].Words, a.From())
			for k, x := range []float64{list[0].Value, list[0].StandardError, list[0].Low(), list[0].High()} {
				f[2+k].Numbers = append(f[2+k].Numbers, x)
			}
			list = list[1:]
		}
	}
	return f
}

// emptyAnswers is _answers.parquet without rows.
func emptyAnswers() []parquetio.Figures {
	return []parquetio.Figures{
		{Name: "id", Words: []string{}}, {Name: "query", Words: []string{}}, {Name: "value", Numbers: []float64{}}, {Name: "standard_error", Numbers: []float64{}},
		{Name: "low", Numbers: []float64{}}, {Name: "high", Numbers: []float64{}}, {Name: "from", Words: []string{}},
	}
}

// ReadAnswers reads _answers.parquet for the report.
func ReadAnswers(src parquetio.Source, name string) (report.Answers, error) {
	f, err := parquetio.ReadFigures(src, name, emptyAnswers())
	if err != nil {
		return report.Answers{}, err
	}
	return pageAnswers(f), nil
}

// mostAnswers is how many answers the page shows.
const mostAnswers = 20

// pageAnswers returns the first answers as texts.
func pageAnswers(f []parquetio.Figures) report.Answers {
	if f == nil {
		return report.Answers{}
	}
	out := report.Answers{File: AnswersFile, Of: len(f[0].Words)}
	for i := range min(out.Of, mostAnswers) {
		a := answer.Answer{Value: f[2].Numbers[i], StandardError: f[3].Numbers[i], Low: f[4].Numbers[i], High: f[5].Numbers[i]}
		value, _, interval, _ := a.Texts()
		out.List = append(out.List, report.Answer{ID: f[0].Words[i], Query: f[1].Words[i], Value: value, Interval: interval, From: f[6].Words[i]})
	}
	return out
}

// Asked returns a few questions with their answers, for the report. One that noise leaves without any answer is left out.
func Asked(r *answer.Release) (list []report.Asked) {
	for _, sql := range answer.Questions(r.Domain) {
		q, err := answer.Parse(sql)
		if err != nil {
			continue
		}
		answers, err := r.Answer(q, answer.Options{})
		if err != nil {
			continue
		}
		asked := report.Asked{SQL: sql}
		for i := range answers {
			a := report.AskedAnswer{Group: strings.Join(answers[i].Group, ", "), Column: answers[i].Column}
			if from := answers[i].From(); !slices.Contains(asked.From, from) {
				asked.From = append(asked.From, from)
			}
			a.Value, _, a.Interval, a.Hidden = answers[i].Texts()
			asked.Answers = append(asked.Answers, a)
		}
		list = append(list, asked)
	}
	return list
}
