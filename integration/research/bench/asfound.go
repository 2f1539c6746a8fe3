package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/integration/research/families"
	"github.com/dapple-dp/dapple/internal/request/evaluate"
)

// atomShare is the least share of a value that counts among the atoms of a column.
const atomShare = .02

// quality is what a run makes of a table that is not coded.
type quality struct {
	shapes, pairs  float64
	floor          float64 // pairs of the table's own rows, drawn with replacement
	atoms          float64 // largest difference of shares of zeros and other atoms
	mean           float64 // largest distance of means of a column, in standard deviations
	sd, sdOff      float64 // ratio of standard deviations that is furthest from 1, and its distance in octaves
	weekday, month float64 // largest difference of the share of one, of any column of dates
	cpu            float64
	where          [3]string // columns of atoms, mean and sd
}

// asFound prints what runs at ε = 1 make of tables as people have them: the made-up ones and the CSV files given.
func asFound(out *tabwriter.Writer, only string, seeds int, files []string) error {
	fmt.Fprintln(out, "\ntable as found, domain as inferred\trows\tcolumns\tColumn Shapes\tPair Trends\tPair Trends of the table's own rows, resampled\tzeros and atoms, points\tmean, sd\tsd ratio\tdays of the week, points\tmonths, points\tsolve CPU s")
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, t := range families.AllAsFound() {
		if ok, _ := path.Match(only, "found/"+t.Name); !ok && only != "" {
			continue
		}
		name, err := written(dir, t)
		if err != nil {
			return err
		}
		if err := found(out, name, seeds); err != nil {
			return err
		}
	}
	for _, name := range files {
		if err := found(out, name, seeds); err != nil {
			return err
		}
	}
	return nil
}

// found prints the line of one file.
func found(out *tabwriter.Writer, file string, seeds int) error {
	ctx := context.Background()
	t, err := families.Read(ctx, strings.TrimSuffix(filepath.Base(file), ".csv"), file)
	if err != nil {
		return err
	}
	var mean quality
	for i := range seeds {
		start := cpu()
		s, err := families.Solve(t, families.Request{Method: "auto", Neighbouring: dp.AddRemove, Epsilon: 1, Delta: madeUpDelta}, families.Fixed(uint64(i)))
		if err != nil {
			return err
		}
		seconds := cpu() - start
		rows, err := t.Draw(s)
		if err != nil {
			return err
		}
		v, err := t.Compare(ctx, rows)
		if err != nil {
			return err
		}
		again, err := t.Compare(ctx, t.Again(uint64(i)))
		if err != nil {
			return err
		}
		q := newQuality(v)
		n := float64(seeds)
		weekday, month := t.Calendar(rows)
		mean.cpu, mean.weekday, mean.month = mean.cpu+seconds/n, mean.weekday+weekday/n, mean.month+month/n
		mean.floor += float64(again.Trends.Average) / n
		mean.shapes, mean.pairs = mean.shapes+q.shapes/n, mean.pairs+q.pairs/n
		mean.atoms, mean.mean, mean.sd, mean.where = mean.atoms+q.atoms/n, mean.mean+q.mean/n, mean.sd+q.sd/n, q.where
	}
	fmt.Fprintf(out, "%s\t%d\t%d\t%.4f\t%.4f\t%.4f\t%.2f (%s)\t%.3f (%s)\t%.2f (%s)\t%.2f\t%.2f\t%.1f\n", t.Name, t.Units(), t.Domain.Len(),
		mean.shapes, mean.pairs, mean.floor, 100*mean.atoms, mean.where[0], mean.mean, mean.where[1], mean.sd, mean.where[2],
		100*mean.weekday, 100*mean.month, mean.cpu)
	return out.Flush()
}

func newQuality(v *evaluate.Values) quality {
	q := quality{shapes: float64(v.Shapes.Average), pairs: float64(v.Trends.Average), sd: 1}
	for _, c := range v.Columns {
		for _, f := range c.Frequent {
			if x := math.Abs(f.Real - f.Synthetic); f.Real >= atomShare && x > q.atoms {
				q.atoms, q.where[0] = x, c.Name
			}
		}
		if !c.Real.SD.Defined() || c.Real.SD == 0 {
			continue
		}
		if x := math.Abs(float64((c.Real.Mean - c.Synthetic.Mean) / c.Real.SD)); x > q.mean {
			q.mean, q.where[1] = x, c.Name
		}
		ratio := float64(c.Synthetic.SD / c.Real.SD)
		if x := math.Abs(math.Log2(ratio)); x > q.sdOff {
			q.sd, q.sdOff, q.where[2] = ratio, x, c.Name
		}
	}
	return q
}

// written writes a made-up table to a file in a directory, and returns its name.
func written(dir string, t families.AsFound) (string, error) {
	name := filepath.Join(dir, t.Name+".csv")
	f, err := os.Create(name)
	if err != nil {
		return "", err
	}
	return name, errors.Join(t.Write(f, 1), f.Close())
}
