package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func Example() {
	dir, err := os.MkdirTemp("", "addstage")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "visits.txt")
	if err := run(out); err != nil {
		fmt.Println(err)
		return
	}
	text, err := os.ReadFile(out)
	if err != nil {
		fmt.Println(err)
		return
	}
	wards := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		wards[strings.Fields(line)[0]] = true
	}
	fmt.Println(strings.Count(string(text), "\n"), "visits of", len(wards), "wards")
	// Output: 1000 visits of 3 wards
}
