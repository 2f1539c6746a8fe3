package infer

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/request/rules"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// Rules that hold in every record are proposed in comments, and nothing else. The file is valid, with the marks of the comments and without.
func TestRules(t *testing.T) {
	text := proposed(t, "Start Day;end;paid;days;year;wd;time;hour;net;tax;total;qty;price;amount;city;state;zone;age;copy;noise", 400, func(i int) string {
		start := time.Date(2023, 1, 1+i*7%365, 0, 0, 0, 0, time.UTC)
		days, clock := i*13%30, i*7%24*100+i*11%60
		end := start.AddDate(0, 0, days)
		paid := end.AddDate(0, 0, i*5%9).Format(time.DateOnly)
		if i%10 == 0 {
			paid = ""
		}
		net, tax := 100+i*17%900, i*29%500
		city := []string{"Austin", "Boston", "Dallas"}[i%3]
		return fmt.Sprintf("%s;%s;%s;%d;%d;%d;%d;%d;%d.%02d;0.%02d;%d.%02d;%d;%d.5;%d.5;%s;%s;%d;%d;%d;%d", start.Format("02.01.2006"), end.Format("02.01.2006"), paid, days, start.Year()+0*i,
			(int(start.Weekday())+6)%7, clock, clock/100, net/100, net%100, tax%100, (net+tax%100)/100, (net+tax%100)%100,
			2*(i%5), i%7, i%5*(2*(i%7)+1), city, map[string]string{"Austin": "TX", "Dallas": "TX", "Boston": "MA"}[city], 3+i%3*7, i*31%80, i*31%80, i*37%83)
	})
	hasLines(t, text, "\n# constraints:  # review: these hold in every record; take the # off those that are rules, ")
	hasLines(t, text, "written: {Start Day: 31.12.2024, end: 31.12.2024}}")
	want := []string{"{order: [Start Day, end]}", "{order: [end, paid]}", "{sum: total, of: [net, tax]}",
		"{derive: state, from: city, map: {Austin: TX, Boston: MA, Dallas: TX}}", "{derive: zone, from: city, map: {Austin: 3, Boston: 10, Dallas: 17}}"}
	for _, line := range want {
		hasLines(t, text, "#   - "+line+"\n")
	}
	n := strings.Count(text, "\n#   - ")
	must.Hold(t, n == len(want), "%d rules, want %d:\n%s", n, len(want), text)
	uncommented(t, text, "", "total|state|zone")
}

// uncommented takes the # off constraints that begin so, and the cells off columns that follow, and reads the file.
func uncommented(t *testing.T, text, rule, columns string) {
	t.Helper()
	text = strings.NewReplacer("# constraints:", "constraints:", "#   - {"+rule, "  - {"+rule).Replace(text)
	text = regexp.MustCompile("name: ("+columns+"), type: ([A-Z0-9]+), [^}]*").ReplaceAllString(text, "name: $1, type: $2")
	_, err := schema.Parse("t.yaml", []byte(text))
	must.Hold(t, err == nil, "%v in\n%s", err, text)
}

// A map that holds in more than 99 % of the records is proposed, with the part; one that holds in fewer is not, nor one that is no
// better than the most frequent value alone.
func TestMapsOfNearlyAll(t *testing.T) {
	for _, c := range []struct {
		wrong int // one record in so many
		rare  bool
		want  string
	}{
		{0, false, "{derive: state, from: city, map: {Austin: TX, Boston: MA, Dallas: TX}}\n"}, {300, false, "{derive: state, from: city, map: {Austin: TX, Boston: MA, Dallas: TX}}  # in 99.66 % of records\n"},
		{50, false, ""}, {300, true, ""},
	} {
		text := proposed(t, "city;state;n", 6000, func(i int) string {
			city := []string{"Austin", "Boston", "Dallas"}[i%3]
			state := map[string]string{"Austin": "TX", "Dallas": "TX", "Boston": "MA"}[city]
			if c.rare {
				state = "TX"
			}
			if c.wrong > 0 && i%c.wrong == 1 {
				state = map[string]string{"TX": "MA", "MA": "TX"}[state]
			}
			return fmt.Sprintf("%s;%s;%d", city, state, i*37%83)
		})
		got := strings.Contains(text, "{derive: ")
		must.Hold(t, got == (c.want != "") && strings.Contains(text, c.want), "one wrong record in %d, rare %v:\n%s", c.wrong, c.rare, text)
	}
}

// A price that follows from name and size is proposed, with the part of the records and a value for pairs that no record has; one
// that a third column decides is not, nor one that nearly all records share. The proposal can be used as it is uncommented.
func TestMapsOfTwoColumns(t *testing.T) {
	cents := func(name, size, _ int) string { return fmt.Sprintf("%d%d.50", name, size) }
	for _, c := range []struct {
		name  string
		price func(name, size, day int) string
		every int // one price in so many is wrong
		want  string
	}{
		{"always", cents, 0, "{derive: price, from: [name, size], else: 32.5, map: {Latte: {large: 12.5, small: 11.5}, Mocha: {large: 22.5, small: 21.5}, Tea: {large: 32.5}}}\n"},
		{"whole", func(name, size, _ int) string { return fmt.Sprintf("%d%d", name, size) }, 0, "{derive: price, from: [name, size], else: 32, map: {Latte: {large: 12, small: 11}, Mocha: {large: 22, small: 21}, Tea: {large: 32}}}\n"},
		{"nearly", cents, 1000, "Tea: {large: 32.5}}}  # in 99.9 % of records\n"},
		{"another column", func(name, size, day int) string { return fmt.Sprintf("%d%d%d", name, size, day) }, 0, ""},
		{"usual", func(int, int, int) string { return "5" }, 2000, ""},
	} {
		text := proposed(t, "name,size,day,price", 9000, func(i int) string {
			name, size := i%3+1, i/3%2+1
			if name == 3 {
				size = 2
			}
			price := c.price(name, size, i/6%5)
			if c.every > 0 && i%c.every == 1 {
				price = "99"
			}
			return fmt.Sprintf("%s,%s,%s,%s", []string{"Latte", "Mocha", "Tea"}[name-1], []string{"small", "large"}[size-1], []string{"Mon", "Tue", "Wed", "Thu", "Fri"}[i/6%5], price)
		})
		got := strings.Contains(text, "{derive: price")
		must.Hold(t, got == (c.want != "") && strings.Contains(text, c.want), "%s:\n%s", c.name, text)
		if c.want != "" {
			uncommented(t, text, "derive: price", "price")
		}
	}
}

// Constraints are looked for between the first columns of a wide table, and the proposal says so.
func TestWideTable(t *testing.T) {
	names, cells := make([]string, rules.MostRelated+10), make([]string, rules.MostRelated+10)
	for i := range names {
		names[i] = fmt.Sprintf("c%d", i)
	}
	text := proposed(t, strings.Join(names, ";"), 60, func(row int) string {
		for i := range cells {
			cells[i] = string("abc"[row%3])
		}
		return strings.Join(cells, ";")
	})
	last := rules.MostRelated - 1
	hasLines(t, text, fmt.Sprintf("{derive: c%d, from: c0, map: {", last), fmt.Sprintf("\n# Constraints were looked for between the first %d columns of the table alone.\n", rules.MostRelated))
	must.Hold(t, !strings.Contains(text, fmt.Sprintf("{derive: c%d, ", last+1)), "column %d is compared, too", last+2)
}

// Where a column has more values than a proposal lists, or rare ones, a map is proposed for those that it lists, with what the others
// become and the part of the records. Records with other values break no map, whatever they have or lack.
func TestMapsOfOpenColumns(t *testing.T) {
	sizes := []string{"small", "large"}
	for _, c := range []struct {
		name  string
		price func(product, size, i int) string
		want  string
	}{
		{"price", func(product, _, _ int) string { return fmt.Sprint(100 + product%40*5) }, "{derive: price, from: product, else: "},
		{"text", func(product, _, _ int) string { return fmt.Sprintf("group %d", product%7) }, "{derive: price, from: product, else: "},
		{"pairs", func(product, size, _ int) string { return fmt.Sprint(100 + product%40*5 + size) }, "{derive: price, from: [product, size], else: "},
		{"none for others", func(product, _, _ int) string {
			if product >= 97 && (product < 100 || product > 102) { // of the rare ones three are listed
				return ""
			}
			return fmt.Sprint(100 + product%40*5)
		}, "{derive: price, from: product, else: "},
		{"by chance", func(product, _, i int) string { return fmt.Sprint(100 + (product+i/97)%40*5) }, ""},
	} {
		text := proposed(t, "product;size;price", 20_000, func(i int) string {
			product := i * 7 % 97
			if i%9 == 0 { // 40 products of some 55 records
				product = 97 + i/9%40
			}
			return fmt.Sprintf("product %d;%s;%s", product, sizes[i%2], c.price(product, i%2, i))
		})
		got := strings.Contains(text, "{derive: price")
		must.Hold(t, got == (c.want != "") && strings.Contains(text, c.want), "%s: no %q in\n%s", c.name, c.want, text)
		if c.want == "" {
			continue
		}
		_, line, _ := strings.Cut(text, c.want)
		line, _, _ = strings.Cut(line, "\n")
		var part float64
		_, comment, _ := strings.Cut(line, "  # ")
		_, err := fmt.Sscanf(comment, "in %f %% of records; most others have values that are not listed", &part)
		must.Hold(t, err == nil && part >= 85 && part <= 91 && strings.Contains(line, "product 96: "), "%s: %v in %s", c.name, err, line)
		uncommented(t, text, strings.TrimPrefix(c.want, "{"), "price")
	}
}
