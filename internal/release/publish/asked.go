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

// Means returns the mean of each column of numbers, for the report, as a question in SQL has it.
func Means(r *answer.Release) []report.Mean {
	list := make([]report.Mean, r.Domain.Len())
	for i := range list {
		if a, ok := r.Mean(i); ok {
			list[i] = report.Mean{Known: true, Value: a.Value, Half: (a.High - a.Low) / 2}
		}
	}
	return list
}

// Sums returns the columns that gaps stand for, as questions about them are answered.
func Sums(r *answer.Release) (list []report.Sum) {
	for i := range r.Domain.Gaps {
		s, ok := r.Sum(i)
		if !ok {
			continue
		}
		sum := report.Sum{Gap: i, Column: s.Column, Shares: s.Shares, Halves: s.Halves}
		if s.HasMean {
			sum.Mean = report.Mean{Known: true, Value: s.Mean.Value, Half: (s.Mean.High - s.Mean.Low) / 2}
		}
		list = append(list, sum)
	}
	return list
}
