package publish

import (
	"strings"

	"github.com/dapple-dp/dapple/internal/release/answer"
	"github.com/dapple-dp/dapple/internal/release/report"
)

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
			a.Value, _, a.Interval, a.Hidden = answers[i].Texts()
			asked.Answers = append(asked.Answers, a)
		}
		list = append(list, asked)
	}
	return list
}
