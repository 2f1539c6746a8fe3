package report_test

import (
	"fmt"
	"os"

	"github.com/dapple-dp/dapple/internal/release/report"
)

// The last line of a command says where rows are and what they cost.
func ExampleWriteSampled() {
	out := report.Written{Wrote: report.Wrote{Output: "more", Format: "csv", Files: 2, Rows: 1000, Bytes: 43_210}}
	if err := report.WriteSampled(os.Stdout, 1000, false, out); err != nil {
		fmt.Println(err)
	}
	// Output: wrote   1,000 rows to more/*.csv (2 files, 43.2 kB) at no privacy cost
}
