package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	beamlog "github.com/apache/beam/sdks/v2/go/pkg/beam/log"

	"github.com/dapple-dp/dapple/pipelines"
)

const people = `privacy_id: id
columns:
  - {name: colour, type: STRING, values: [red, green, blue], other: true}
  - {name: size, type: INT64, min: 1, max: 40, bins: 4, null: true}
`

func Example() {
	beamlog.LogLevel = "error"
	beam.Init()
	dir, err := os.MkdirTemp("", "csvtoparquet")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	table := "id,colour,size\n"
	for i := range 900 {
		table += fmt.Sprintf("p%d,%s,%d\n", i, []string{"red", "green", "blue"}[i%3], 1+i%40)
	}
	for name, content := range map[string]string{"people.yaml": people, "people.csv": table} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			fmt.Println(err)
			return
		}
	}
	c := pipelines.Config{
		Domain: filepath.Join(dir, "people.yaml"), Input: filepath.Join(dir, "people.csv"), Output: filepath.Join(dir, "out"),
		Epsilon: 1, Delta: 1e-9, Rows: 500, Method: "dpam",
	}
	var text strings.Builder
	if err := run(context.Background(), c, &text); err != nil {
		fmt.Println(err)
		return
	}
	parts, err := filepath.Glob(filepath.Join(dir, "out", "part-*.parquet"))
	fmt.Println("Parquet files:", len(parts), err)
	for line := range strings.Lines(text.String()) {
		if words := strings.Fields(line); strings.HasPrefix(line, "wrote") {
			fmt.Println(words[0], words[1], words[2])
		}
	}
	// Output:
	// Parquet files: 1 <nil>
	// wrote 500 rows
}
