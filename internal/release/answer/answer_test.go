package answer_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/interval"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/release/answer"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/solver"
)

// release is a universe of sex, age in tens, a number and a day, with weights that nothing explains.
func release(t *testing.T) *answer.Release { return noisy(t, 25) }

// noisy is release with noise of this variance on each value's count.
func noisy(t *testing.T, variance float64) *answer.Release {
	d := &domain.Domain{Attributes: []domain.Attribute{
		{Name: "sex", Type: domain.String, Values: []string{"Female", "Male"}},
		{Name: "age", Type: domain.Int64, Cuts: []int64{0, 10, 20, 30, 40}, Resolution: 1},
		{Name: "pay", Type: domain.Int64, Values: []string{"5", "7", "100"}, Null: true},
		{Name: "day", Type: domain.Date, Cuts: []int64{0, 31, 59, 365, 423}, Resolution: 1}, // 1970-01-01 … 1971-02-28
	}}
	return unexplained(t, d, variance)
}

// unexplained is a release of a domain whose records have weights that nothing explains.
func unexplained(t *testing.T, d *domain.Domain, variance float64) *answer.Release {
	m := &population.Model{Sizes: d.Sizes()}
	rng := rand.New(rand.NewPCG(1, 2))
	u := &solver.Uncertainty{}
	cells := 1
	for _, k := range m.Sizes {
		u.OneWay, u.Pooled = append(u.OneWay, variance), append(u.Pooled, make([]bool, k))
		cells *= k
	}
	for range cells {
		m.Weights = append(m.Weights, math.Exp(rng.NormFloat64()))
	}
	for a := range m.Sizes {
		for b := range a {
			u.Tables = append(u.Tables, solver.TableUncertainty{Clique: domain.Clique{b, a}, Scale: .1, Growth: 1, Precision: .04, Distance: 100})
		}
	}
	r := &solver.Result{Model: m, Total: query.Total{Units: 10_000, Variance: 9}, RMSE: math.NaN(), Uncertainty: u}
	data := must.Value(interval.New(r).MarshalJSON())(t)
	iv := must.Value(interval.Restore(data, m.Sizes))(t)
	return &answer.Release{Domain: d, Model: m, Units: 10_000, Errors: iv}
}

func ask(t *testing.T, r *answer.Release, sql string) []answer.Answer {
	t.Helper()
	q := must.Value(answer.Parse(sql))(t)
	list := must.Value(r.Answer(q, answer.Options{}))(t)
	return list
}

// people calls each for every value of the four columns, with the weight of people who have them: values are even in cells.
func people(r *answer.Release, each func(w float64, sex string, age float64, pay float64, day int64)) {
	record := make([]domain.Code, 4)
	scale := r.Units / r.Model.Total()
	for i, w := range r.Model.Weights {
		r.Model.Record(i, record)
		pay := []float64{5, 7, 100, math.NaN()}[record[2]]
		lo, hi, _ := r.Domain.Attributes[3].Ends(record[3])
		for in := range 10 {
			for day := lo; day <= hi; day++ {
				each(w*scale/10/float64(hi-lo+1), []string{"Female", "Male"}[record[0]], float64(10*record[1])+float64(in), pay, day)
			}
		}
	}
}

// TestAnswers compares with sums over all values: answers have no chance in them.
func TestAnswers(t *testing.T) {
	r := release(t)
	var count, ages, squares, women, paid, pays, spring [2]float64
	var young, below float64
	people(r, func(w float64, sex string, age, pay float64, day int64) {
		i := 0
		if sex == "Male" {
			i = 1
		}
		if day >= 365 && day < 396 {
			spring[i] += w
		}
		if age < 13 || age > 27 {
			return
		}
		count[i] += w
		ages[i] += w * age
		squares[i] += w * age * age
		if !math.IsNaN(pay) {
			paid[i] += w
			pays[i] += w * pay
			if pay < 10 {
				women[i] += w
			}
		}
		if young += w; age < 20 {
			below += w
		}
	})
	list := ask(t, r, "SELECT sex, COUNT(*), AVG(age), VARIANCE(age), COUNT(pay), SUM(pay), AVG(pay), SHARE(pay < 10 AND sex IN (Male, Female)), SUM(pay)/COUNT(*), SHARE(*) FROM rows WHERE age BETWEEN 13 AND 27 GROUP BY sex;")
	for i := range 2 {
		mean := ages[i] / count[i]
		want := []float64{count[i], mean, squares[i]/count[i] - mean*mean, paid[i], pays[i], pays[i] / paid[i], women[i] / count[i], pays[i] / count[i], count[i] / (count[0] + count[1])}
		for k, x := range want {
			a := list[9*i+k]
			must.Hold(t, math.Abs(a.Value-x) <= 1e-6*(1+x) && a.StandardError > 0 && a.Low < a.Value && a.High > a.Value,
				"%v %s: %+v; want %g", a.Group, a.Column, a, x)
		}
	}
	q := ask(t, r, "SELECT QUANTILE(age, 0.25) FROM rows WHERE age BETWEEN 13 AND 27")[0]
	part := ask(t, r, "SELECT SHARE(age < 19) FROM rows WHERE age BETWEEN 13 AND 27")[0]
	want := 12.5 + 7*.25*young/below
	must.Hold(t, math.Abs(q.Value-want) <= 1 && part.Value >= .1, "a quarter is below %g, want about %g", q.Value, want)
	months := ask(t, r, "SELECT DATE_TRUNC('month', day), COUNT(*) FROM rows GROUP BY DATE_TRUNC('month', day) ORDER BY DATE_TRUNC('month', day) DESC LIMIT 2")
	must.Hold(t, len(months) == 2 && months[1].Group[0] == "1971-01-01" && math.Abs(months[1].Value-spring[0]-spring[1]) <= 1e-6*spring[0],
		"months: %+v; want %g in January 1971", months, spring[0]+spring[1])
	years := ask(t, r, "SELECT YEAR(day), COUNT(*) AS n FROM people GROUP BY YEAR(day) HAVING n > 1")
	must.Hold(t, len(years) == 2 && years[0].Group[0] == "1970" && math.Abs(years[0].Value+years[1].Value-10_000) <= 1e-6, "years: %+v", years)
	named := ask(t, r, "SELECT EXTRACT(year FROM day) AS y, sex, COUNT(*) FROM people GROUP BY y, 2 ORDER BY 1 DESC, 3")
	must.Hold(t, len(named) == 4 && named[0].Group[0] == "1971" && named[0].Value <= named[1].Value && math.Abs(named[0].Value+named[1].Value-years[1].Value) <= 1e-6,
		"years by name and place: %+v, want %+v", named, years)
	for sql, want := range map[string][]string{ // numbers sort as numbers
		"SELECT BIN(age, 4) AS b, COUNT(*) FROM rows WHERE age < 20 GROUP BY b ORDER BY b":                            {"0", "4", "8", "12", "16"},
		"SELECT sex AS group, COUNT(*) AS order FROM rows GROUP BY group ORDER BY group":                              {"Female", "Male"}, // columns may be called that
		"SELECT EXTRACT(MONTH FROM day), COUNT(*) FROM rows GROUP BY 1 ORDER BY EXTRACT(MONTH FROM day) DESC LIMIT 2": {"12", "11"},
	} {
		for i, a := range ask(t, r, sql) {
			must.Hold(t, i < len(want) && a.Group[0] == want[i], "%s: %q in place %d, want %q", sql, a.Group, i, want)
		}
	}
	for _, a := range ask(t, r, "SELECT pay, sex, age, AVG(pay), SHARE(pay > 0) FROM rows WHERE day < 1971-02-11 AND pay > 1 GROUP BY pay, sex, age") {
		must.Hold(t, fmt.Sprint(a.Low, a.High) == map[string]string{"AVG(pay)": a.Group[0] + " " + a.Group[0], "SHARE(pay > 0)": "1 1"}[a.Column], "what all people of %q have: %+v", a.Group, a)
	}
	bins := ask(t, r, "SELECT BIN(age, 15), COUNT(*) FROM rows GROUP BY BIN(age, 15)")
	must.Hold(t, len(bins) == 3 && bins[1].Group[0] == "15", "bins: %+v", bins)
}

// TestSources: what was released of all interactions is measured, and a table of three columns is not.
func TestSources(t *testing.T) {
	r := release(t)
	for where, want := range map[string]string{"sex = Male": "measured", "sex = Male AND age < 20": "measured", "sex = Male AND age < 20 AND pay = 5": "modelled", "age < 13": "modelled"} {
		if a := ask(t, r, "SELECT COUNT(*) FROM rows WHERE "+where)[0]; a.From() != want {
			t.Errorf("%s: %s, want %s", where, a.From(), want)
		}
	}
}

// TestEarlierVersion: answers from errors that an earlier version computed say so, and have values as before.
func TestEarlierVersion(t *testing.T) {
	r := release(t)
	want := ask(t, r, "SELECT COUNT(*) FROM rows WHERE sex = Male")[0]
	older := bytes.Replace(must.Value(r.Errors.MarshalJSON())(t), []byte(`"computation":2,`), nil, 1)
	r.Errors = must.Value(interval.Restore(older, r.Model.Sizes))(t)
	got := ask(t, r, "SELECT COUNT(*) FROM rows WHERE sex = Male")[0]
	must.Hold(t, got.From() == "measured, earlier version" && got.Value == want.Value, "%s %g, want measured, earlier version %g", got.From(), got.Value, want.Value)
}

// TestRefusals: each fault has a sentence, and all of a text stand in one error.
func TestRefusals(t *testing.T) {
	r := release(t)
	for sql, want := range map[string]string{
		"SELECT COUNT(*) FROM rows a JOIN b":                                                      "a release is one table",
		"SELECT COUNT(*) FROM visits":                                                             `no table is called "visits"`,
		"SELECT COUNT(*) FROM rows, rows":                                                         "FROM names 2 tables",
		"SELECT sex FROM rows GROUP BY sex":                                                       "nothing is computed",
		"SELECT sex, COUNT(*) FROM rows":                                                          "add GROUP BY sex",
		"SELECT MAX(age) FROM rows":                                                               "QUANTILE(column, 0.99)",
		"SELECT * FROM rows":                                                                      "dapple sample",
		"SELECT COUNT(DISTINCT age) FROM rows":                                                    "GROUP BY the columns in its place",
		"SELECT AVG(sex) FROM rows":                                                               "words, no numbers",
		"SELECT AVG(ag) FROM rows":                                                                `no column is called "ag"`,
		"SELECT COUNT(*) FROM rows WHERE ag = 1":                                                  `no column is called "ag"`,
		"SELECT COUNT(*) FROM rows WHERE age > 99":                                                "nobody can meet",
		"SELECT AVG(age)/AVG(pay) FROM rows":                                                      "only COUNT and SUM can be divided",
		"SELECT QUANTILE(age, 2) FROM rows":                                                       "between 0 and 1",
		"SELECT COUNT(*) FROM rows GROUP":                                                         "a column is missing where the question is cut off",
		"SELECT COUNT(*) FROM rows WHERE age == 3":                                                "got a second =; write one",
		"SELECT COUNT(*) FROM rows LIMIT none":                                                    "whole number",
		"SELECT COUNT(*) FROM rows ORDER BY age":                                                  "ORDER BY age",
		"SELECT COUNT(*) FROM rows HAVING age > 3":                                                "into WHERE",
		"SELECT sex, COUNT(*) FROM rows GROUP BY 2":                                               "COUNT(*) is computed",
		"SELECT sex, COUNT(*) FROM rows GROUP BY 3":                                               "its place, 1 to 2",
		"SELECT COUNT(*) FROM rows ORDER BY 0":                                                    "its place, 1 to 1",
		"SELECT EXTRACT(dow FROM day), COUNT(*) FROM rows GROUP BY EXTRACT(dow FROM day)":         "want YEAR, QUARTER or MONTH",
		"SELECT COUNT(*) FROM rows GROUP BY BIN(sex, 3)":                                          "no numbers that can be cut",
		"SELECT COUNT(*) FROM rows GROUP BY YEAR(age)":                                            "no dates",
		"SELECT AVG(age) FROM rows WHERE age = 3 AND pay = 5 AND sex = Male AND day = 1970-02-02": "no answer better than noise; widen the filter",
		"UPDATE rows": "want SELECT",
		"":            "want SELECT",
	} {
		q, err := answer.Parse(sql)
		if err == nil {
			_, err = r.Answer(q, answer.Options{})
		}
		must.Fail(t, err, want, "%s", sql)
	}
	_, err := answer.Parse("SELECT MIN(age), foo FROM visits LIMIT x")
	must.Hold(t, err != nil && strings.Count(err.Error(), "query:") >= 4, "not all faults: %v", err)
}

// TestRowsAreCountedAlike: how many rows people of a bin have is not known, and an answer has the error of that, whatever else is
// asked beside it. Where that error is small, the noise of a wider table is seen.
func TestRowsAreCountedAlike(t *testing.T) {
	for _, most := range []int64{3, 8, 20, 100} {
		d := must.Value((&domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{
			{Name: "kind", Type: domain.String, Values: []string{"k", "l"}},
			{Name: "x", Type: domain.Int64, Cuts: []int64{0, 10, 20, 30, 40}, Resolution: 1},
			{Name: "n", Type: domain.Int64, Cuts: domain.EqualCuts(0, 3, 4), Resolution: 1},
		}}).WithEvents(nil, nil, domain.EqualRatioCuts(most), most))(t)
		r := unexplained(t, d, 25)
		for _, group := range []string{"", " GROUP BY kind"} {
			alone := ask(t, r, "SELECT COUNT(*) FROM rows"+group)
			for _, beside := range []string{"AVG(x)", "MEDIAN(x)", "SUM(n)", "AVG(x), SUM(n)"} {
				for i, a := range ask(t, r, "SELECT COUNT(*), "+beside+" FROM rows"+group) {
					if a.Column != "COUNT(*)" {
						continue
					}
					i /= 1 + strings.Count(beside, "(")
					if b := alone[i]; math.Abs(a.Value-b.Value) > 1e-6*b.Value || a.StandardError < .8*b.StandardError || most >= 20 && a.StandardError > 1.25*b.StandardError {
						t.Errorf("at most %d rows, beside %s: %g ± %g, alone %g ± %g", most, beside, a.Value, a.StandardError, b.Value, b.StandardError)
					}
				}
			}
		}
	}
}

// TestPopulation: an answer about more people than were asked is less certain, by what drawing them adds.
func TestPopulation(t *testing.T) {
	r := release(t)
	q := must.Value(answer.Parse("SELECT COUNT(*) FROM rows WHERE sex = Male"))(t)
	own := must.Value(r.Answer(q, answer.Options{}))(t)
	all := must.Value(r.Answer(q, answer.Options{Population: true}))(t)
	p := own[0].Value / 10_000
	want := math.Sqrt(own[0].StandardError*own[0].StandardError + 10_000*p*(1-p))
	must.Hold(t, math.Abs(all[0].StandardError-want) <= 1e-6*want, "standard error %g, want %g", all[0].StandardError, want)
}

func FuzzParse(f *testing.F) {
	f.Add("SELECT sex, COUNT(*) AS n FROM rows WHERE a = 'b' GROUP BY BIN(age, 10) HAVING n > 3 ORDER BY n DESC LIMIT 3;")
	f.Add("SELECT EXTRACT(month FROM d) AS m, COUNT(*) FROM rows GROUP BY m, 2 ORDER BY 1 DESC, 9")
	f.Add("SELECT (,) FROM )( GROUP BY")
	f.Add(" GROUP")
	f.Fuzz(func(t *testing.T, sql string) {
		q, err := answer.Parse(sql)
		must.Hold(t, err != nil || len(q.Items) != 0, "%q: nothing is computed, and no error", sql)
	})
}

// TestQuestions: columns of any name are asked about, and every question has an answer.
func TestQuestions(t *testing.T) {
	for _, names := range [][2]string{{"sex", "age"}, {`the "sex" <b>`, "order"}, {"Größe", "it's"}} {
		r := release(t)
		r.Domain.Attributes[0].Name, r.Domain.Attributes[1].Name = names[0], names[1]
		list := answer.Questions(r.Domain)
		must.Hold(t, len(list) == 4, "%q: %q", names, list)
		for _, sql := range list {
			_ = ask(t, r, sql)
		}
	}
	list := answer.Questions(&domain.Domain{})
	must.Hold(t, len(list) == 1, "without columns: %q", list)
}

// TestIntervalsArePossible: whatever the noise, no interval holds what no table has: a mean beyond the column's range, a negative
// number, or a share above 1. A third of the intervals would reach further.
func TestIntervalsArePossible(t *testing.T) {
	limits := map[string][2]float64{"COUNT(*)": {0, math.Inf(1)}, "SHARE(age < 10)": {0, 1}, "AVG(age)": {0, 39}, "AVG(pay)": {5, 100}, "SUM(pay)": {0, math.Inf(1)},
		"STDDEV(pay)": {0, 47.5}, "VARIANCE(age)": {0, 19.5 * 19.5}, "MEDIAN(pay)": {5, 100}, "COUNT(pay)/COUNT(*)": {0, math.Inf(1)}}
	cut, all := 0, 0
	for _, sd := range []float64{5, 300, 1000, 2000} {
		r := noisy(t, sd*sd)
		for function, limit := range limits {
			for _, where := range []string{"", " WHERE age < 20", " WHERE sex = Male", " WHERE pay < 50"} {
				list, err := r.Answer(must.Value(answer.Parse("SELECT "+function+" FROM rows"+where))(t), answer.Options{})
				if err != nil { // noise hides it
					continue
				}
				all++
				x := list[0]
				must.Hold(t, x.Low >= limit[0] && x.High <= limit[1] && x.Low <= x.Value && x.Value <= x.High,
					"noise of %g, %s%s: %g, %g to %g", sd, function, where, x.Value, x.Low, x.High)
				if x.Value-1.96*x.StandardError < limit[0] || x.Value+1.96*x.StandardError > limit[1] {
					cut++
				}
			}
		}
	}
	must.Hold(t, cut >= all/8 && all >= 60, "%d of %d intervals would reach further", cut, all)
}

// TestAnswersStandAlone: an answer does not depend on what else is asked: not on other functions and columns, nor on HAVING. Beside
// another number, intervals of a mean were up to thirteen times as wide.
func TestAnswersStandAlone(t *testing.T) {
	for _, sd := range []float64{5, 300} {
		r := noisy(t, sd*sd)
		functions := []string{"COUNT(*)", "AVG(age)", "SUM(pay)", "MEDIAN(day)", "STDDEV(age)", "SHARE(pay > 6)", "COUNT(pay)/COUNT(*)"}
		for _, rest := range []string{"", " WHERE age < 15", " WHERE day >= 1970-02-01", " GROUP BY sex", " GROUP BY BIN(age, 15)"} {
			alone := map[string][]answer.Answer{}
			for _, f := range functions {
				if list, err := r.Answer(must.Value(answer.Parse("SELECT "+f+" FROM rows"+rest))(t), answer.Options{}); err == nil {
					alone[f] = list
				}
			}
			for i, f := range functions {
				g := functions[(i+1)%len(functions)]
				if len(alone[f]) == 0 || len(alone[g]) != len(alone[f]) {
					continue // noise hides one
				}
				sql := "SELECT " + f + ", " + g + " FROM rows" + rest
				if strings.Contains(rest, "GROUP") {
					sql += " HAVING SUM(pay) > 0"
				}
				for k, x := range ask(t, r, sql) {
					want := [][]answer.Answer{alone[f], alone[g]}[k%2][k/2]
					must.Hold(t, fmt.Sprint(x.Texts()) == fmt.Sprint(want.Texts()) && x.From() == want.From(), "noise of %g, %s: %v; alone %v", sd, sql, x, want)
				}
			}
		}
	}
}
