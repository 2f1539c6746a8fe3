// Command paper measures what the paper on DPFW and DPAM states as bounds: the largest error of each method against the
// number of units, ε, the number of columns and the number of queries, on tables drawn from a known distribution, against
// the table and against the distribution.
//
//	go -C integration/research run ./paper -seeds 3
//	go -C integration/research run ./paper -draw
//
// Runs go to errors.csv in the directory. The pictures and the page, README.md, are made from that file alone; -draw makes
// them again without a run. All tables are made up, and errors are of the released weights.
//
// Reference: Micali, Lezane, Betken, arXiv:2411.00921, Table 1 and Theorems 3 and 5.
package main

import (
	"flag"
	"log"
	"os"
	"path/filepath"
)

func main() {
	log.SetFlags(0)
	dir := flag.String("dir", "paper", "where errors.csv, the pictures and the page go")
	seeds := flag.Int("seeds", 3, "tables and runs of each setting")
	draw := flag.Bool("draw", false, "make pictures and page from errors.csv, without runs")
	flag.Parse()
	file := filepath.Join(*dir, "errors.csv")
	if !*draw {
		runs, err := measure(settings(), *seeds)
		if err != nil {
			log.Fatal(err)
		}
		if err := write(file, runs); err != nil {
			log.Fatal(err)
		}
	}
	if err := page(file, *dir); err != nil {
		log.Fatal(err)
	}
}

// page makes the pictures and the page of a file of runs.
func page(file, dir string) error {
	runs, err := read(file)
	if err != nil {
		return err
	}
	for _, axis := range axes {
		if err := os.WriteFile(filepath.Join(dir, axis.name+".svg"), picture(runs, axis), 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, "README.md"), text(runs), 0o644)
}
