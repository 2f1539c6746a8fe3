package csvio_test

import (
	"fmt"
	"strings"
	"testing"

	_ "github.com/dapple-dp/dapple/internal/io/csvio"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/testkit/formattest"
)

// TestOddRecords: no record decides how a file is read, the first one neither, with a header line or without.
func TestOddRecords(t *testing.T) {
	line := func(i int) string { return fmt.Sprintf("p%d,x,%d", i, i) }
	odd := map[string]string{
		"gzip": "\x1f\x8b\x08\x00abc", "Zstandard": "\x28\xb5\x2f\xfdabc", "zip": "PK\x03\x04", "Parquet": "PAR1", "Arrow": "ARROW1\x00\x00", "Avro": "Obj\x01",
		"zeros": strings.Repeat("\x00", 3000), "UTF-16": "\xff\xfei\x00d\x00", "a mark": "\ufeffq,x,1", "two marks": "\ufeff\ufeffq,x,1", "a mark alone": "\ufeff",
		"a mark inside": "q,\ufeffx,1", "JSON": `{"id": "q"}`, "a list": "[1]", "HTML": "<html>", "a header": "id,s,n", "Excel's separator": "sep=;", "a comment": "# q",
		"semicolons": "q;x;1", "tabs": "q\tx\t1", "one cell": "q", "commas": ",,", "many cells": strings.Repeat("q,", 5000), "a blank line": "",
		"a quote in a cell": `q,a"b,1`, "text behind quotes": `q,"a"b,1`, "quotes alone": `"""",x,1`, "a line end in quotes": "q,\"a\nb\",1", "a return": "q,a\rb,1\r",
		formattest.LongText: "q," + strings.Repeat("x", 17<<20) + ",1", formattest.LongText + " in quotes": `q,"` + strings.Repeat("x\n", 9<<20) + `",1`,
		"a long ID": strings.Repeat("q", 17<<20) + ",x,1", "a huge number": "q,x,1e999999999", "Latin-1": "q,Gr\xf6\xdfe,1",
	}
	for _, form := range []schema.CSV{{}, {Columns: []string{"id", "s", "n"}}} {
		file := func(records []string) []byte {
			head := "id,s,n\n"
			if form.Columns != nil {
				head = ""
			}
			return []byte(head + strings.Join(records, "\n") + "\n")
		}
		formattest.OddRecords(t, "csv", form, line, odd, file)
		if form.Columns == nil {
			formattest.LongIDs(t, "csv", func(id string) string { return id + ",x,1" }, file)
		}
	}
}
