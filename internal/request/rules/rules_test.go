package rules

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/csvio"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// found finds what holds in made-up records of columns that a domain file declares, and checks that the file can declare it.
func found(t *testing.T, keys string, records int, row func(i int) string) (list []string) {
	t.Helper()
	file, names := "privacy_id: none\ncolumns:\n", []string{}
	for _, column := range strings.Split(keys, "; ") {
		name, rest, _ := strings.Cut(column, " ")
		file, names = file+"  - {name: "+name+", "+rest+"}\n", append(names, name)
	}
	f := must.Value(schema.Parse("t.yaml", []byte(file)))(t)
	text := strings.Join(names, ";") + "\n"
	for i := range records {
		text += row(i) + "\n"
	}
	path := filepath.Join(t.TempDir(), "t.csv")
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	s := must.Value(New(f.Domain, nil))(t)
	must.Do(t, csvio.EachFile(path, f.Domain, schema.CSV{Comma: ';'}, func(c *domain.Chunk) error { s.Add(t.Context(), c); return nil }))
	for _, r := range s.Found() {
		list = append(list, r.String()+" "+r.Holds())
	}
	return list
}

// Each kind of rule is found where it holds, in the fewest columns, and not where one record in fifty breaks it; nor in fewer
// than leastSeen records.
func TestKinds(t *testing.T) {
	number := func(i, k, n int) int { return i * k % n }
	for name, c := range map[string]struct {
		keys string
		row  func(i int, wrong bool) string
		want string
	}{
		"order": {"a type: INT64, min: 0, max: 99, null: true; b type: INT64, min: 0, max: 99, null: true", func(i int, wrong bool) string {
			a := number(i, 7, 50)
			if wrong {
				return fmt.Sprintf("%d;%d", a+1, a)
			}
			return fmt.Sprintf("%d;%d", a, a+number(i, 3, 9))
		}, "{order: [a, b]} in every record"},
		"days": {"a type: DATE, min: 2024-01-01, max: 2024-12-31, null: true; b type: DATE, min: 2024-01-01, max: 2024-12-31, null: true", func(i int, wrong bool) string {
			if wrong {
				return "2024-05-05;2024-05-04"
			}
			return fmt.Sprintf("2024-03-%02d;2024-04-%02d", 1+i%28, 1+i%30)
		}, "{order: [a, b]} in every record"},
		"two": {"x type: INT64, min: 0, max: 999, null: true; y type: NUMERIC, min: 0, max: 99, resolution: 0.01, null: true; z type: NUMERIC, min: 0, max: 1999, resolution: 0.01, null: true", func(i int, wrong bool) string {
			x, y := number(i, 97, 900), number(i, 31, 80)
			if wrong {
				return fmt.Sprintf("%d;.%02d;%d", x, y, x)
			}
			return fmt.Sprintf("%d;.%02d;%d.%02d", x, y, x, y)
		}, "{sum: z, of: [x, y]} in every record"},
		"three": {"x type: INT64, min: 0, max: 99, null: true; y type: INT64, min: 0, max: 99, null: true; w type: INT64, min: 0, max: 99, null: true; z type: INT64, min: 0, max: 9999, null: true", func(i int, wrong bool) string {
			x, y, w := number(i, 7, 100), number(i, 31, 97), number(i, 43, 89)
			if wrong {
				return fmt.Sprintf("%d;%d;%d;%d", x, y, w, x)
			}
			return fmt.Sprintf("%d;%d;%d;%d", x, y, w, x+y+w)
		}, "{sum: z, of: [x, y, w]} in every record"},
		"map": {"city type: STRING, values: [A, B, C], fallback: A; state type: STRING, values: [S, T], fallback: S", func(i int, wrong bool) string {
			return fmt.Sprintf("%c;%c", "ABC"[i%3], "SST"[(i+map[bool]int{true: 1}[wrong])%3])
		}, "{derive: state, from: city, map: {A: S, B: S, C: T}} in every record"},
		"pairs": {"name type: STRING, values: [A, B], fallback: A; size type: STRING, values: [s, l], fallback: s; price type: INT64, min: 0, max: 99, null: true", func(i int, wrong bool) string {
			price := 10*(i%2) + 7*(i/2%2) + 3*(i%2)*(i/2%2)
			if wrong {
				price = 50 + i%40
			}
			return fmt.Sprintf("%c;%c;%d", "AB"[i%2], "sl"[i/2%2], price)
		}, "{derive: price, from: [name, size], map: {A: {s: 0, l: 7}, B: {s: 10, l: 20}}} in every record"},
	} {
		for _, often := range []int{0, 25} {
			got := found(t, c.keys, 900, func(i int) string { return c.row(i, often > 0 && i%often == 1) })
			must.Hold(t, slices.Contains(got, c.want) == (often == 0), "%s, wrong one record in %d: %q", name, often, got)
		}
		got := found(t, c.keys, leastSeen-1, func(i int) string { return c.row(i, false) })
		must.Hold(t, len(got) <= 0, "%s in %d records: %q", name, leastSeen-1, got)
	}
}

// What is NULL beside a NULL breaks no rule; what has a value beside one breaks a sum and a map.
func TestNull(t *testing.T) {
	keys := "x type: INT64, min: 0, max: 99, null: true; y type: INT64, min: 0, max: 99, null: true; z type: INT64, min: 0, max: 1999, null: true"
	for null, want := range map[string][]string{"%[1]d;;": {"{sum: z, of: [x, y]} in every record"}, "%[1]d;;%[1]d": nil, "%[1]d;3;": nil} {
		got := found(t, keys, 600, func(i int) string {
			x, y := i*37%90, i*11%83
			if i%10 == 0 {
				return fmt.Sprintf(null, x)
			}
			return fmt.Sprintf("%d;%d;%d", x, y, x+y)
		})
		got = slices.DeleteFunc(got, func(s string) bool { return strings.HasPrefix(s, "{order") })
		must.Hold(t, slices.Equal(got, want), "%q: %q, want %q", null, got, want)
	}
}

// A column that alternates beside a value follows from nothing, whichever value comes first.
func TestAlternatingIsNoMap(t *testing.T) {
	keys := "name type: STRING, values: [A, B], fallback: A; size type: STRING, values: [l, s], fallback: s"
	for first := range 2 {
		got := found(t, keys, 600, func(i int) string { return fmt.Sprintf("%c;%c", "AB"[i%2], "ls"[(i/2+first)%2]) })
		must.Hold(t, len(got) <= 0, "%q", got)
	}
}
