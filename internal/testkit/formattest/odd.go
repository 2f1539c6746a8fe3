package formattest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/table"
)

// OddDomain has a privacy ID, texts and numbers. Ordinary records of OddRecords are "p0", "x", 0, then "p1", "x", 1, and so on.
var OddDomain = &domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{
	{Name: "s", Type: domain.String, Values: []string{"x"}, Other: true, OtherValue: "?", Null: true},
	{Name: "n", Type: domain.Int64, Cuts: []int64{0, 9}, Resolution: 1, Null: true},
}}

// LongText begins the names of odd records whose text is longer than a record may be. Its cell is NULL in every format.
const LongText = "a long text"

// OddRecords puts an odd record at every place of a file of nine ordinary ones, the first place too. The file must be read
// without an error, whole and in parts, and all other records must be as they are without it. LongText is among them.
func OddRecords[R any](t *testing.T, format string, form schema.CSV, ordinary func(i int) R, odd map[string]R, file func(records []R) []byte) {
	t.Helper()
	const ordinaries = 9
	long := 0
	var plain []R
	var want []string
	for i := range ordinaries {
		plain = append(plain, ordinary(i))
		want = append(want, fmt.Sprintf("%q %q %q ", fmt.Sprint("p", i), "x", fmt.Sprint(i)))
	}
	name := filepath.Join(t.TempDir(), "odd."+format)
	read := func(what string, records []R, at int) {
		if err := os.WriteFile(name, file(records), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, of := range []int{1, 3} {
			got, err := readParts(format, name, form, of)
			if strings.HasPrefix(what, LongText) && err == nil {
				if long++; len(got) != ordinaries+1 || strings.Fields(got[at])[1] != `"NULL"` {
					t.Errorf("%s at place %d, in %d parts: it is no NULL", what, at, of)
				}
			}
			if len(got) > len(plain) {
				got = slices.Delete(got, at, at+1)
			}
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%s at place %d, in %d parts: %.300q, %v", what, at, of, got, err)
			}
		}
	}
	read("nothing odd", plain, 0)
	for what, record := range odd {
		for _, at := range []int{0, 1, ordinaries} {
			read(what, slices.Insert(slices.Clone(plain), at, record), at)
		}
	}
	if long == 0 {
		t.Errorf("%s: no record of a long text was read", format)
	}
}

// readParts checks and reads a file of OddDomain in parts.
func readParts(format, name string, form schema.CSV, of int) (rows []string, err error) {
	ctx := context.Background()
	f, _ := table.FormatOf(format)
	info, err := files.Stat(ctx, name)
	if err != nil {
		return nil, err
	}
	if err := f.Check(ctx, []files.Info{info}, OddDomain, form); err != nil {
		return nil, err
	}
	collect := func(c *domain.Chunk) error {
		for i := range c.Rows {
			row := ""
			for k, col := range []*domain.Column{&c.ID, &c.Columns[0], &c.Columns[1]} {
				a := &domain.Attribute{}
				if k > 0 {
					a = &OddDomain.Attributes[k-1]
				}
				row += fmt.Sprintf("%.99q ", Cell(a, col, i))
			}
			rows = append(rows, row)
		}
		return nil
	}
	if f.EachPart == nil {
		err := f.Each(ctx, info, OddDomain, form, collect)
		return rows, err
	}
	for part := range of {
		if err := f.EachPart(ctx, info, part, of, OddDomain, form, collect); err != nil {
			return rows, err
		}
	}
	return rows, nil
}

// LongIDs writes records with IDs that are longer than a record may be, two of them one. None may be NULL, since records
// without an ID are a person each.
func LongIDs[R any](t *testing.T, format string, of func(id string) R, file func([]R) []byte) {
	t.Helper()
	long := strings.Repeat("q", 17<<20)
	name := filepath.Join(t.TempDir(), "ids."+format)
	if err := os.WriteFile(name, file([]R{of(long), of("short"), of(long + "r"), of(long)}), 0o600); err != nil {
		t.Fatal(err)
	}
	var ids []string
	f, _ := table.FormatOf(format)
	err := f.Each(context.Background(), files.Info{Name: name}, OddDomain, schema.CSV{}, func(c *domain.Chunk) error {
		for i := range c.Rows {
			ids = append(ids, Cell(&domain.Attribute{}, &c.ID, i))
		}
		return nil
	})
	if err != nil || len(ids) != 4 || ids[0] == "NULL" || ids[0] != ids[3] || ids[1] != "short" || ids[2] == ids[0] || ids[2] == "NULL" {
		t.Errorf("IDs %.40q, %v", ids, err)
	}
}
