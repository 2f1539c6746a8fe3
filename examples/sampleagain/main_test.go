package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	beamlog "github.com/apache/beam/sdks/v2/go/pkg/beam/log"

	"github.com/dapple-dp/dapple/pipelines"
)

const people = `privacy_id: none
columns:
  - {name: sex, type: STRING, values: [Female, Male], fallback: Female}
  - {name: age, type: INT64, edges: [0, 18, 65, 100], fallback: 30}
`

// release makes a model of 900 people and returns its file.
func release(dir string) (string, error) {
	table := "sex,age\n"
	for i := range 900 {
		table += fmt.Sprintf("%s,%d\n", []string{"Female", "Male"}[i%2], i%100)
	}
	for name, content := range map[string]string{"people.yaml": people, "people.csv": table} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			return "", err
		}
	}
	_, err := pipelines.Synth(context.Background(), pipelines.Config{
		Domain: filepath.Join(dir, "people.yaml"), Input: filepath.Join(dir, "people.csv"), Output: filepath.Join(dir, "out"),
		Epsilon: 1, Delta: 1e-9, Method: "dpam",
	})
	return filepath.Join(dir, "out.release", "_model.arrow"), err
}

func Example() {
	beamlog.LogLevel = "error"
	beam.Init()
	dir, err := os.MkdirTemp("", "sampleagain")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	model, err := release(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	c := pipelines.SampleConfig{
		Model: model, Output: filepath.Join(dir, "older"), Format: "csv", Shards: 1,
		Rows: 1000, Where: "age > 69 AND sex NOT IN (Male)",
	}
	if err := run(context.Background(), c, io.Discard); err != nil {
		fmt.Println(err)
		return
	}
	text, err := os.ReadFile(filepath.Join(dir, "older", "part-00000-of-00001.csv"))
	if err != nil {
		fmt.Println(err)
		return
	}
	met := 0
	for line := range strings.Lines(string(text)) {
		sex, years, _ := strings.Cut(strings.TrimSpace(line), ",")
		if age, err := strconv.Atoi(years); err == nil && sex == "Female" && age >= 70 {
			met++
		}
	}
	fmt.Println(met, "women of 70 and more")

	c.Where, c.Output = "age > 69 OR se = Male", filepath.Join(dir, "other")
	fmt.Println(run(context.Background(), c, io.Discard))
	// Output:
	// 1000 women of 70 and more
	// --where: character 13: no column is called "se"; the columns are sex, age
}
