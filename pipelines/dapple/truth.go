package main

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/dapple-dp/dapple/internal/pipelines"
	"github.com/dapple-dp/dapple/internal/request/evaluate"
)

// Commands that read the true table: their results are not private.

func evaluateCommand() command {
	c := &evaluate.Config{}
	var req *evaluate.Request
	return command{
		name:    "evaluate",
		group:   groupJudge,
		words:   []string{"domain", "input", "synthetic"},
		summary: "compare a synthetic table with the TRUE one: its output is NOT private",
		example: "dapple evaluate people.yaml people.csv out --html=errors.html",
		options: append([]option{
			{name: "domain", group: groupWhat, value: "FILE", usage: "the domain file", required: true, set: text(&c.Domain)},
			{name: "input", group: groupWhat, value: "TABLE", usage: "the true table: files, a pattern, or a bq:// table", required: true, set: text(&c.Input)},
			{name: "people_input", group: groupWhat, value: "TABLE", usage: "the true table of all people, if some have no rows", set: text(&c.People)},
			{name: "synthetic", group: groupWhat, value: "DIR", usage: "the synthetic table: a released directory or files", required: true, set: text(&c.Synthetic)},
			{name: "holdout", group: groupWhat, value: "FILES", usage: "true rows that the synthesis never saw", set: text(&c.Holdout)},
			marginalsOption(&c.Marginals), cellsOption(&c.MaxCells),
			jsonOption(&c.JSON),
			{name: "html", group: groupOutput, value: "FILE", usage: "write pictures, real beside synthetic, as one page: NOT private", set: text(&c.HTML)},
		}, readingServices(&c.Services)...),
		check: func(ctx context.Context) (err error) { req, err = openTables(ctx, *c); return err },
		run:   func(ctx context.Context, out io.Writer) error { return req.Run(ctx, out) },
	}
}

// openTables finds every fault of a request to compare tables.
func openTables(ctx context.Context, c evaluate.Config) (*evaluate.Request, error) {
	var faults pipelines.Faults
	if c.Domain != "" {
		faults = pipelines.DomainFaults(ctx, c.Domain)
	}
	faults = append(faults, placeFaults(ctx, "--json", c.JSON)...)
	faults = append(faults, placeFaults(ctx, "--html", c.HTML)...)
	if len(faults) == 0 {
		c.Released = pipelines.LearnedDomain(ctx, c.Synthetic)
	}
	req, err := evaluate.Open(ctx, c)
	return req, append(faults, fieldFaults(err)...).Err()
}

// fieldFaults finds the faults of a request to read the true table, but for the faults of the domain file and of
// flags that are missing.
func fieldFaults(err error) (faults pipelines.Faults) {
	var fields evaluate.FieldErrors
	errors.As(err, &fields)
	for _, f := range fields {
		flag := "--" + strings.ToLower(f.Field)
		if f.Field == "People" {
			flag = "--people_input"
		}
		if f.Field != "Domain" && !errors.Is(f.Err, evaluate.ErrMissing) { // said elsewhere
			faults = append(faults, pipelines.ErrorFaults(flag, f.Err)...)
		}
	}
	return faults
}

func checkCommand() command {
	c := &evaluate.CheckConfig{}
	var req *evaluate.CheckRequest
	return command{
		name:    "check",
		group:   groupJudge,
		words:   []string{"domain", "input"},
		summary: "count the cells of the TRUE table that do not fit the domain: its output is NOT private",
		example: "dapple check people.yaml people.csv",
		options: append([]option{
			{name: "domain", group: groupWhat, value: "FILE", usage: "the domain file", required: true, set: text(&c.Domain)},
			{name: "input", group: groupWhat, value: "TABLE", usage: "the true table; default: none, and --json writes the domain file as JSON", set: text(&c.Input)},
			{name: "people_input", group: groupWhat, value: "TABLE", usage: "the true table of all people, if some have no rows", set: text(&c.People)},
			jsonOption(&c.JSON),
		}, readingServices(&c.Services)...),
		check: func(ctx context.Context) (err error) {
			var faults pipelines.Faults
			if c.Domain != "" {
				faults = pipelines.DomainFaults(ctx, c.Domain)
			}
			faults = append(faults, placeFaults(ctx, "--json", c.JSON)...)
			req, err = evaluate.OpenCheck(ctx, *c)
			return append(faults, fieldFaults(err)...).Err()
		},
		run: func(ctx context.Context, out io.Writer) error { return req.Run(ctx, out) },
	}
}
