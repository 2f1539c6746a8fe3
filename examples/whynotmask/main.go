// Command whynotmask answers: why not just remove the names? It makes up a clinic's table, masks it with care, and
// attacks it with what a colleague knows of a person: sex, age, region, and when they were away.
//
//	go run ./examples/whynotmask -people 3000
package main

import (
	"bytes"
	"encoding/csv"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"

	"github.com/dapple-dp/dapple/examples/visits/generate"
)

func main() {
	people := flag.Int("people", 3000, "number of people in the table")
	flag.Parse()
	if err := run(*people, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "whynotmask:", err)
		os.Exit(1)
	}
}

// masked is what the masked table shows of a person: no name, no exact age or day, and a number that is made up.
type masked struct {
	sex, decade, region string
	months              []string // of the visits, sorted
	departments         []string // what nobody should learn
}

// months is how many visits the colleague knows of.
const months = 5

func run(people int, out io.Writer) error {
	var table bytes.Buffer
	if err := generate.Write(&table, generate.Params{People: people, Seed: 1}); err != nil {
		return err
	}
	released, err := mask(&table)
	if err != nil {
		return err
	}
	targets, found, learned := attack(released)
	fmt.Fprintf(out, "masked table: %s people, names removed, ages in decades, dates as months\n", thousands(len(released)))
	fmt.Fprintf(out, "the colleague knows sex, decade and region, and the months of five visits\n")
	fmt.Fprintf(out, "of %s people with five visits or more, %s fit one record alone: %.0f %%\n", thousands(targets), thousands(found), 100*float64(found)/float64(targets))
	fmt.Fprintf(out, "departments that the colleague now knows, and never asked about: %s\n", thousands(learned))
	return nil
}

// mask reads the table of visits and returns one masked person for each person_id, in the order of the table.
func mask(table io.Reader) ([]masked, error) {
	r := csv.NewReader(table)
	head, err := r.Read()
	if err != nil {
		return nil, err
	}
	column := func(name string) int { return slices.Index(head, name) }
	id, sex, age, region, visited, department := column("person_id"), column("sex"), column("age"), column("region"), column("visited"), column("department")
	var all []masked
	last := ""
	for {
		row, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if row[id] != last {
			all, last = append(all, masked{sex: row[sex], decade: decade(row[age]), region: row[region]}), row[id]
		}
		m := &all[len(all)-1]
		m.months = append(m.months, month(row[visited]))
		m.departments = append(m.departments, row[department])
	}
	for i := range all {
		slices.Sort(all[i].months)
	}
	return all, nil
}

func decade(age string) string {
	if len(age) < 2 {
		return "0"
	}
	return age[:len(age)-1] + "0"
}

// month cuts the day off a date.
func month(date string) string { return date[:min(7, len(date))] }

// attack counts the people with enough visits, those whose first five months of visits, with sex, decade and region, fit
// one record alone, and the visits of these.
func attack(released []masked) (targets, found, learned int) {
	for _, target := range released {
		if len(target.months) < months {
			continue
		}
		targets++
		fits := 0
		for _, m := range released {
			if m.sex == target.sex && m.decade == target.decade && m.region == target.region && contains(m.months, target.months[:months]) {
				fits++
			}
		}
		if fits == 1 {
			found++
			learned += len(target.departments)
		}
	}
	return targets, found, learned
}

// contains reports whether sorted months hold the known ones, each as often.
func contains(all, known []string) bool {
	for _, k := range known {
		i, ok := slices.BinarySearch(all, k)
		if !ok {
			return false
		}
		all = all[i+1:]
	}
	return true
}

// thousands writes a number with marks.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
