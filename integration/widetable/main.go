// Command widetable writes a made-up wide table and its domain file.
//
//	go -C integration run ./widetable -columns 60 -people 1000000 -out out/wide
package main

import (
	"errors"
	"flag"
	"io"
	"log"
	"os"
	"path/filepath"

	"github.com/dapple-dp/dapple/internal/testkit/widetable"
)

func main() {
	var p widetable.Params
	flag.IntVar(&p.Columns, "columns", 60, "number of columns")
	flag.IntVar(&p.People, "people", 1_000_000, "number of rows")
	flag.Uint64Var(&p.Seed, "seed", 1, "of everything")
	flag.StringVar(&p.ID, "id", "", "name of a column of privacy IDs; empty: none")
	out := flag.String("out", "out/wide", "directory for table.csv and domain.yaml")
	flag.Parse()
	if err := run(p, *out); err != nil {
		log.Fatalf("widetable: %v", err)
	}
}

func run(p widetable.Params, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	t := widetable.New(p)
	return errors.Join(
		create(filepath.Join(dir, "domain.yaml"), t.WriteDomain),
		create(filepath.Join(dir, "table.csv"), t.WriteCSV))
}

func create(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
