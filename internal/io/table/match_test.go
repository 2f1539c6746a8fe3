package table

import (
	"context"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestTwoColumnsOfOneName: that a name is there twice is said once.
func TestTwoColumnsOfOneName(t *testing.T) {
	_, faults := Match([]string{"a", "b", "a"}, &domain.Domain{Attributes: []domain.Attribute{{Name: "a"}, {Name: "b"}, {Name: "a"}}})
	must.Equal(t, strings.TrimSpace(strings.Join(faults, " ")), `column "a": the file has several columns of this name; rename all but one`, "faults")
}

// TestIndexOfPandas: an index without a name is no column of the table, unless a domain declares it.
func TestIndexOfPandas(t *testing.T) {
	f := &Files{Files: []files.Info{{Name: "x"}}, format: &Format{Name: "x", Describe: func(context.Context, files.Info, schema.CSV) ([]Column, schema.CSV, error) {
		return []Column{{Name: "__index_level_0__"}, {Name: "index_level_0"}, {Name: "n"}}, schema.CSV{}, nil
	}}}
	columns, _, err := f.Describe(t.Context(), schema.CSV{})
	must.Hold(t, err == nil && len(columns) == 3 && strings.Contains(columns[0].Fault, "pandas") && columns[1].Fault == "" && columns[2].Fault == "",
		"columns %+v, %v", columns, err)
}
