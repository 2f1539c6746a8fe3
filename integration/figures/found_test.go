package figures

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// ranged is what query says of values beyond a range that was found.
var ranged = regexp.MustCompile(`(?:, of values (?:from (\S+?)(?: to (\S+)| on)|up to (\S+)))?(?:, with values of \S+(?: below (\S+))?(?: and)?(?: above (\S+))?(?: and)?( that cannot be used)?)?$`)

// found compares numbers of a domain that was found: counts of cells, with the values beyond the range that are said to be among them, and
// means of the values as they are once those beyond it are its ends, and NULLs that noise hid are the fallback. Columns that a resolution rounds have other values than the table.
func (m *machine) found(g *generated, family, dir string) {
	file, err := os.ReadFile(filepath.Join(dir, "out.release", "_domain.yaml"))
	if err != nil {
		m.t.Fatal(err)
	}
	for i := range g.columns {
		c := &g.columns[i]
		line := regexp.MustCompile(`(?m)^ *- \{name: "` + regexp.QuoteMeta(c.name) + `".*$`).FindString(string(file))
		if g.persons != nil || c.written != nil || !strings.Contains(line, "min: ") || strings.Contains(line, "resolution") || !regexp.MustCompile("INT64|NUMERIC|FLOAT64").MatchString(line) {
			continue
		}
		end := func(text string, otherwise float64) float64 {
			if x, err := strconv.ParseFloat(text, 64); err == nil {
				return x
			}
			return otherwise
		}
		a, _ := m.query(dir, fmt.Sprintf("SELECT %[1]s, COUNT(*) FROM rows GROUP BY %[1]s", c.name))
		for _, x := range a.Answers {
			beyond, label, truth := ranged.FindStringSubmatch(x.From), x.Group[c.name], 0.0
			low, high := end(beyond[4], math.Inf(-1)), end(beyond[5], math.Inf(1))
			for r := range c.texts {
				if c.in(r, label) || c.texts[r] == "" && (label == "NULL" || beyond[6] != "") || c.number(r) < low || c.number(r) > high {
					truth++
				}
			}
			m.interval(family, "counts of found values"+some(truth), truth, x.Low, x.High, c.name+" "+label)
		}
		if a, ok := m.query(dir, "SELECT AVG("+c.name+") FROM rows"); ok {
			beyond, sum, n := ranged.FindStringSubmatch(a.Answers[0].From), 0.0, 0.0
			low, high := end(beyond[1], math.Inf(-1)), min(end(beyond[2], math.Inf(1)), end(beyond[3], math.Inf(1)))
			for r := range c.texts {
				x := c.number(r)
				if beyond[6] != "" && c.texts[r] == "" {
					x = end(regexp.MustCompile(`fallback: "?([^",}]*)`).FindStringSubmatch(line)[1], x)
				}
				if !math.IsNaN(x) {
					sum, n = sum+min(max(x, low), high), n+1
				}
			}
			m.interval(family, "means of found ranges", sum/n, a.Answers[0].Low, a.Answers[0].High, c.name)
		}
	}
}
