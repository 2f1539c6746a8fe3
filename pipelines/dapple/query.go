package main

import (
	"context"
	"io"

	"github.com/dapple-dp/dapple/internal/pipelines"
)

func queryCommand() command {
	c := &pipelines.QueryConfig{}
	var req *pipelines.QueryRequest
	json := ""
	return command{
		name:    "query",
		group:   groupJudge,
		words:   []string{"dir", "sql"},
		summary: "answer a question in SQL from a release, with 95 % intervals, at no privacy cost",
		example: "dapple query out 'SELECT sex, COUNT(*) FROM rows WHERE age >= 40 GROUP BY sex'",
		options: []option{
			{name: "dir", group: groupWhat, word: true, value: "DIR", usage: "the output of synth", required: true, set: text(&c.Dir)},
			{name: "sql", group: groupWhat, word: true, value: "QUERY", usage: "SELECT … FROM rows, with WHERE, GROUP BY, HAVING, ORDER BY and LIMIT", required: true, set: text(&c.SQL)},
			{name: "population", group: groupWhat, usage: "answer for the population that the table's people are a random sample of", set: toggle(&c.Population)},
			{name: "output", group: groupOutput, value: "FILE", usage: "also write the answers to this .csv or .parquet file", set: text(&c.Output)},
			jsonOption(&json),
		},
		check: func(ctx context.Context) (err error) {
			req, err = pipelines.ValidateQuery(ctx, *c)
			return withPlace(ctx, err, "--json", json)
		},
		run: func(ctx context.Context, out io.Writer) error {
			a, err := pipelines.Query(ctx, req)
			if err != nil {
				return err
			}
			return writeResult(ctx, out, json, a)
		},
	}
}
