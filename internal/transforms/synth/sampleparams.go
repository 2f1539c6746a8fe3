package synth

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/dapple-dp/dapple/internal/model/population"
)

// Rounding is the way in which whole rows are made from the weights of a model.
type Rounding uint8

const (
	// Refined rows match the tables of the workload as closely as a local search can, if it fits in memory; otherwise
	// they are systematic.
	Refined Rounding = iota
	// Systematic rows need the least memory and time.
	Systematic
)

// SampleParams configures Sample and SamplePeople. Zero fields mean their defaults.
type SampleParams struct {
	Rows     int64    // how many, with events how many people; default: the released number of units
	Shards   int      // blocks of rows that workers make independently; default 8; 1..10000. The rows do not depend on it
	Branches int      // parallel branches of the graph; default 1; PrismBranches for chunks on prism
	Seed     uint64   // repeats the sampling; the rows are a function of the model and this; 0 is a seed like any other
	Rounding Rounding // default Refined
	// Where selects rows as SQL does: comparisons of columns with values, IN, BETWEEN, IS NULL, joined by AND, OR, NOT and
	// parentheses, such as "age >= 65 AND (sex = Female OR city IN (Rome, 'New York'))". Rows is then how many of them are
	// made; by default the share of the released number that meets it. With events people are selected, by their own columns.
	// Default: all rows.
	Where string
	// As is the struct type of the rows, or a pointer to one; default *domain.Chunk.
	As reflect.Type
}

// write returns the part of p that does not concern the type of rows.
func (p SampleParams) write() WriteParams {
	return WriteParams{Rows: p.Rows, Shards: p.Shards, Branches: p.Branches, Seed: p.Seed, Rounding: p.Rounding, Where: p.Where}
}

// Validate lists all faults of p.
func (p SampleParams) Validate() error { return p.write().Validate() }

// WriteParams configures Write. Zero fields mean their defaults; Sink has none. The fields that SampleParams has too mean the
// same there.
type WriteParams struct {
	Rows     int64
	Shards   int
	Branches int
	Seed     uint64
	Rounding Rounding
	Where    string

	Tables  bool    // people and their rows as two tables, for a domain with events; shards of people come first
	MinRows int64   // if shards would have fewer rows than this, there are fewer shards; default 0
	Sink    SinkRef // where rows go; package tables has one for directories and tables
}

func (p WriteParams) withDefaults() WriteParams {
	if p.Shards == 0 {
		p.Shards = 8
	}
	if p.Branches == 0 {
		p.Branches = 1
	}
	p.Branches = min(p.Branches, max(p.Shards, 1))
	return p
}

// shards returns the number of shards of a table of n rows.
func (p WriteParams) shards(n int64) int {
	if p.MinRows == 0 {
		return p.Shards
	}
	return int(max(1, min(int64(p.Shards), n/p.MinRows)))
}

// tables returns how many tables are written.
func (p WriteParams) tables() int {
	if p.Tables {
		return 2
	}
	return 1
}

// rows returns the number of rows of a release of the given number of units.
func (p WriteParams) rows(units float64) int64 {
	if p.Rows == 0 {
		return releasedRows(units)
	}
	return p.Rows
}

// Validate lists all faults of p.
func (p WriteParams) Validate() error {
	p = p.withDefaults()
	var errs []error
	if p.Rows < 0 || p.Rows > population.MaxRows {
		errs = append(errs, fmt.Errorf("synth: %d rows: want 0 to 2^40", p.Rows))
	}
	if p.Shards < 1 || p.Shards > 10_000 {
		errs = append(errs, fmt.Errorf("synth: %d shards: want 1 to 10000", p.Shards))
	}
	if p.MinRows < 0 {
		errs = append(errs, fmt.Errorf("synth: at least %d rows a shard: want at least 0", p.MinRows))
	}
	if p.Branches < 1 {
		errs = append(errs, fmt.Errorf("synth: %d branches: want at least 1", p.Branches))
	}
	if p.Rounding > Systematic {
		errs = append(errs, fmt.Errorf("synth: rounding %d: want Refined or Systematic", p.Rounding))
	}
	if p.Sink.Kind != "" {
		errs = append(errs, sinks.Known(p.Sink.Kind))
	}
	return errors.Join(errs...)
}
