package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// change is an edit of the source that leaves out a heuristic.
type change struct {
	name  string
	edits []edit
	code  []string // what it is made of: files, or functions and methods as file:name
}

// edit replaces a text that occurs once in a file.
type edit struct{ file, old, new string }

// asItIs is no change.
var asItIs = change{name: "as it is"}

const rake, popu = "solver/rake/", "internal/model/population/"

// switches are the heuristics of the fit, in the order of a run.
var switches = []change{
	{"smoothing of one-ways", []edit{{rake + "smooth.go", "if k < leastSmoothed || !(sigma > 0) {", "if k >= 0 {"}},
		[]string{rake + "smooth.go:smooth"}},
	{"held tails of lists", []edit{{rake + "oneway.go", "len(x.Cuts)+len(x.FloatCuts) > 0 {\n\t\t\tout = smoothTails", "false {\n\t\t\tout = smoothTails"}},
		[]string{rake + "tail.go:smoothTails", rake + "tail.go:differencesOf"}},
	{"tails of trees", []edit{{rake + "tail.go", "if sigma == 0 {\n\t\treturn pieces", "if sigma >= 0 {\n\t\treturn pieces"}},
		[]string{rake + "tail.go", rake + "pareto.go"}},
	{"tails, of trees and lists", []edit{
		{rake + "oneway.go", "len(x.Cuts)+len(x.FloatCuts) > 0 {\n\t\t\tout = smoothTails", "false {\n\t\t\tout = smoothTails"},
		{rake + "tail.go", "if sigma == 0 {\n\t\treturn pieces", "if sigma >= 0 {\n\t\treturn pieces"}},
		[]string{rake + "tail.go", rake + "pareto.go"}},
	{"laws of row counts", []edit{{rake + "rowcounts.go", "\tlaw := tailCounts(", "\tfrom = len(counts)\n\tlaw := tailCounts("}},
		[]string{rake + "rowcounts.go:tailCounts", rake + "rowcounts.go:laws"}},
	{"wide merging of ordered values", []edit{{rake + "merge.go", "\trareSigmasOrdered = 12", "\trareSigmasOrdered = 3"}}, []string{rake + "merge.go:ordered"}},
	{"merging with neighbours", []edit{{rake + "merge.go", "pools = append(pools, neighbours(values, p, least)...)", "pools = append(pools, values)"}},
		[]string{rake + "merge.go:neighbours"}},
	{"joining bins with next to nothing", []edit{{rake + "merge.go", "if one.shrunk && m.join(", "if false && m.join("}}, []string{rake + "merge.go:join"}},
	{"heavy-tailed scores", []edit{{rake + "candidate.go", "if len(scores) == 0 || !(variance > 0) {", "if true || !(variance > 0) {"}}, []string{rake + "candidate.go:shrink"}},
	{"share of scores by noise", []edit{{rake + "settings.go", "scoreNoise*scoreNoise), leastScoreShare), mostScoreShare)", "scoreNoise*scoreNoise)*0, leastScoreShare), mostScoreShare)"}},
		[]string{rake + "settings.go:scoreShare"}},
	{"more one-ways at high noise", []edit{{rake + "settings.go", "if !(noise > 1) { // or NaN", "if noise == noise || !(noise > 1) { // or NaN"}}, []string{rake + "settings.go:noisyOneWayShare"}},
	{"high-noise branch of universes", []edit{{rake + "settings.go", "case s.whole && noise >= 1:", "case s.whole && noise >= 1e30:"}}, nil},
	{"looser prior of universes", []edit{{rake + "settings.go", "s.deviation = 1.2", "s.deviation = .8"}}, nil},
	{"water-filling", []edit{{rake + "waterfill.go", "\tspend := func(logPrice float64) float64 {", "\tif all := 0.; len(list) > 0 {\n\t\tfor _, c := range list {\n\t\t\tall += c.cost\n\t\t}\n" +
		"\t\tfor _, c := range list {\n\t\t\tc.precision = budget / all\n\t\t}\n\t\treturn\n\t}\n\tspend := func(logPrice float64) float64 {"}}, []string{rake + "waterfill.go"}},
	{"reweighing", []edit{{rake + "solve.go", "for round := 1; round < 6 && ", "for round := 1; round < 0 && "}}, []string{rake + "waterfill.go:reweigh"}},
	{"triples' own scores", []edit{{rake + "solve.go", "\t\t\tsquare -= p.score * p.score\n", "\t\t\tsquare -= 0 * p.score\n"}}, []string{rake + "solve.go:scoreAll"}},
	{"second round of pairs and triples", []edit{{rake + "settings.go", "scoreShare(p, len(t.pairs)), .7", "scoreShare(p, len(t.pairs)), .999"}}, []string{rake + "solve.go:measureFinal", rake + "solve.go:candidateTriples"}},
	{"ridges", []edit{{rake + "candidate.go", "\t\tout[i] = b / (u * v)", "\t\tout[i] = 1e-6 * b / (u * v)"}}, []string{rake + "candidate.go:ridge", rake + "candidate.go:priorScale"}},
	{"ridges of outlying cells", []edit{{rake + "candidate.go", "math.Sqrt(1/u+v); excess > 0 {", "math.Sqrt(1/u+v); excess > 1e300 {"}}, nil},
	{"empty cells", []edit{{rake + "measurement.go", "len(c.clique) == 2 && len(c.base) > 4 {", "false {"}}, []string{rake + "empty.go"}},
	{"pairs near independence", []edit{{rake + "fit.go", "\tr.assume()\n", ""}}, []string{rake + "independence.go"}},
	{"low ridge of one-ways", []edit{{rake + "oneway.go", "const oneWayRidge = .001", "const oneWayRidge = 1"}}, nil},
	{"blocks of neighbours", []edit{{rake + "blocks.go", "len(axes) == 0 || !(sigma > 0) {", "len(axes) >= 0 {"}}, []string{rake + "blocks.go", rake + "haar.go", rake + "link.go"}},
	{"normal link", []edit{{rake + "blocks.go", "if len(g.axes) == 2 && len(shape) == 2 {", "if false {"}}, []string{rake + "link.go", rake + "blocks.go:linked", rake + "blocks.go:risk"}},
	{"tree that starts the sample", []edit{{rake + "fit.go", "\tfor _, c := range strongest {\n\t\torder = append(order, c.clique)\n\t}\n", "\t_ = strongest\n"}}, []string{"internal/model/mrf"}},
	{"renewals", []edit{{rake + "fit.go", "\tif r.renewals > 0 {\n", "\tif false {\n"}}, []string{popu + "gibbs.go"}},
	{"balance of overlapping tables", []edit{{popu + "field.go", "overlaps[i].balance()", "_ = i"}}, []string{popu + "balance.go"}},
	{"Newton for one-ways", []edit{{rake + "fit.go", "if off <= onesPart*noise {", "if off <= 1e300*noise {"}}, []string{popu + "oneways.go", rake + "fit.go:meetOneWays"}},
	{"descent on universes", []edit{{rake + "settings.go", "const (\n\trakedPart  = .4\n", "const (\n\trakedPart  = .999\n"}}, []string{rake + "descend.go"}},
	{"mean of two fits", []edit{{rake + "settings.go", "const (\n\trakedPart  = .4\n", "const (\n\trakedPart  = .001\n"}}, nil},
	{"calendar", []edit{{rake + "calendar.go", "if a.Learned == 0 || !f.Calendar", "if a.Learned >= 0 || !f.Calendar"}}, []string{rake + "calendar.go"}},
	{"coupling tree", []edit{{rake + "couple.go", "\t\tif a == b {\n\t\t\tcontinue", "\t\tif a >= 0 {\n\t\t\tcontinue"}},
		[]string{rake + "couple.go:strengths", rake + "couple.go:newConditional", rake + "couple.go:added", rake + "couple.go:values", rake + "couple.go:transposed"}},
	{"shifts inside bins", []edit{{rake + "couple.go", "\tr.shift(m, at, means, all)\n", "\t_ = means\n"}}, []string{rake + "shift.go:shift", rake + "shift.go:levels", rake + "shift.go:adds"}},
	{"places inside bins", []edit{{rake + "solve.go", "\tr.couple(m)\n", ""}}, []string{rake + "couple.go", rake + "shift.go"}},
	{"rare values by scores", []edit{{rake + "fit.go", "sizes, r.rareScores(m), r.rng)", "sizes, nil, r.rng)"}}, []string{rake + "shift.go:rareScores"}},
	{"refinement of rows", []edit{{popu + "rows.go", "if Fits(n, cliques, m.Sizes) {", "if n < 0 {"}}, []string{popu + "refine.go", popu + "recode.go"}},
}

// applied returns the files of the source that a change edits, as they are then, by their paths from the root.
func (c change) applied(root string) (map[string]string, error) {
	files := map[string]string{}
	for _, e := range c.edits {
		if _, ok := files[e.file]; !ok {
			b, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(e.file)))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.name, err)
			}
			files[e.file] = string(b)
		}
		if n := strings.Count(files[e.file], e.old); n != 1 {
			return nil, fmt.Errorf("%s: the text to replace occurs %d times in %s, want once:\n%s", c.name, n, e.file, e.old)
		}
		files[e.file] = strings.Replace(files[e.file], e.old, e.new, 1)
	}
	return files, nil
}
