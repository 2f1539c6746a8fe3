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

func Example() {
	beamlog.LogLevel = "error"
	beam.Init()
	dir, err := os.MkdirTemp("", "constraints")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	table := "guest,start,end,time,city,net,tax\n"
	for i := range 2000 {
		table += fmt.Sprintf("g%d,2024-%02d-%02d,2024-%02d-%02d,%d,%s,%d.50,%d.25\n", i, i%12+1, i%14+1, i%12+1, i%14+1+i%9, i%24*100+i%60,
			[]string{"Austin", "Boston", "Dallas"}[i%3], i%900, i%150)
	}
	input := filepath.Join(dir, "stays.csv")
	if err := os.WriteFile(input, []byte(table), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	var text strings.Builder
	c := pipelines.Config{Input: input, Output: filepath.Join(dir, "out"), Epsilon: 1, Delta: 1e-9, Format: "csv", Rows: 1000}
	if err := run(context.Background(), c, &text); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(text.String())
	// Output:
	// 1000 rows; broken: 0 orders, 0 sums, 0 hours, 0 states
}
