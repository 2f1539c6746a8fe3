// Command constraints answers: how do I keep what belongs together? Its domain file says that no stay ends before it
// begins, that the total is the sum of two amounts, and that the hour follows from the time and the state from the city.
// Columns that follow from others take no budget, and no row that is written breaks a rule.
//
//	go run ./examples/constraints -input stays.csv -output out
package main

import (
	"context"
	_ "embed"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	beamlog "github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	_ "github.com/dapple-dp/dapple/io/csvio"
	"github.com/dapple-dp/dapple/pipelines"
)

//go:embed stays.yaml
var stays []byte

func main() {
	c := pipelines.Config{Epsilon: 1, Delta: 1e-9, Format: "csv"}
	flag.StringVar(&c.Input, "input", "stays.csv", "the private table")
	flag.StringVar(&c.Output, "output", "out", "directory for the rows")
	beamlog.LogLevel = "error"
	flag.Parse()
	beam.Init()
	if err := run(context.Background(), c, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run writes rows and then looks for rules that they break.
func run(ctx context.Context, c pipelines.Config, out io.Writer) error {
	dir, err := os.MkdirTemp("", "stays")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	c.Domain = filepath.Join(dir, "stays.yaml")
	if err := os.WriteFile(c.Domain, stays, 0o600); err != nil {
		return err
	}
	if _, err := pipelines.Synth(ctx, c); err != nil {
		return err
	}
	parts, err := filepath.Glob(filepath.Join(c.Output, "*.csv"))
	rows, broken := 0, map[string]int{}
	for _, name := range parts {
		err = errors.Join(err, count(name, &rows, broken))
	}
	fmt.Fprintf(out, "%d rows; broken: %d orders, %d sums, %d hours, %d states\n", rows, broken["order"], broken["sum"], broken["hour"], broken["state"])
	return err
}

// count adds up what the rows of a file break.
func count(name string, rows *int, broken map[string]int) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close() // only read from
	list, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return err
	}
	at := map[string]int{}
	for i, column := range list[0] {
		at[column] = i
	}
	for _, row := range list[1:] {
		cell := func(column string) string { return row[at[column]] }
		number := func(column string) float64 { v, _ := strconv.ParseFloat(cell(column), 64); return v }
		*rows++
		for rule, kept := range map[string]bool{
			"order": cell("start") <= cell("end"), // dates in this form are in order as texts
			"sum":   math.Abs(number("total")-number("net")-number("tax")) < 1e-6,
			"hour":  number("hour") == math.Floor(number("time")/100),
			"state": cell("state") == map[string]string{"Austin": "TX", "Dallas": "TX", "Boston": "MA"}[cell("city")],
		} {
			if !kept {
				broken[rule]++
			}
		}
	}
	return nil
}
