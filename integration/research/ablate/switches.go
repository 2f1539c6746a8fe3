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

const (
	rake   = "internal/solver/rake/"
	oneway = rake + "internal/oneway/"
	choose = rake + "internal/choose/"
	fit    = rake + "internal/fit/"
	place  = rake + "internal/place/"
	popu   = "internal/model/population/"
	cells  = "internal/solver/cells/"
)

// switches are the heuristics of the fit, in the order of a run.
var switches = []change{
	{"smoothing of one-ways", []edit{{oneway + "smooth.go", "if k < LeastSmoothed || !(sigma > 0) {", "if k >= 0 {"}},
		[]string{oneway + "smooth.go:smooth"}},
	{"tails of trees", []edit{{oneway + "tail.go", "if sigma == 0 {\n\t\treturn pieces", "if sigma >= 0 {\n\t\treturn pieces"}},
		[]string{oneway + "tail.go", oneway + "pareto.go"}},
	{"laws of row counts", []edit{{oneway + "rowcounts.go", "\tlaw := tailCounts(", "\tfrom = len(counts)\n\tlaw := tailCounts("}},
		[]string{oneway + "rowcounts.go:tailCounts", oneway + "rowcounts.go:laws"}},
	{"wide merging of ordered values", []edit{{oneway + "merge.go", "\trareSigmasOrdered = 12", "\trareSigmasOrdered = 3"}}, []string{oneway + "merge.go:ordered"}},
	{"names among long lists", []edit{{oneway + "merge.go", "\tmostApart = .5 ", "\tmostApart = 5 "}}, []string{oneway + "merge.go:apart"}},
	{"merging with neighbours", []edit{{oneway + "merge.go", "pools = append(pools, neighbours(values, p, least, rareSigmas*one.Sigma)...)", "pools = append(pools, values)"}},
		[]string{oneway + "merge.go:neighbours"}},
	{"joining bins with next to nothing", []edit{{oneway + "merge.go", "if one.shrunk && m.join(", "if false && m.join("}}, []string{oneway + "merge.go:join"}},
	{"heavy-tailed scores", []edit{{choose + "candidate.go", "if len(scores) == 0 || !(variance > 0) {", "if true || !(variance > 0) {"}}, []string{choose + "candidate.go:shrink"}},
	{"share of scores by noise", []edit{{rake + "settings.go", "max(share, leastScoreShare), fewScoreShare)", "max(0*share, leastScoreShare), fewScoreShare)"}},
		[]string{rake + "settings.go:scoreShare"}},
	{"more one-ways at high noise", []edit{{rake + "settings.go", "if !(noise > 1) { // or NaN", "if noise == noise || !(noise > 1) { // or NaN"}}, []string{rake + "settings.go:noisyOneWayShare"}},
	{"high-noise branch of universes", []edit{{rake + "settings.go", "case s.Whole && noise >= 1:", "case s.Whole && noise >= 1e30:"}}, nil},
	{"looser prior of universes", []edit{{rake + "settings.go", "s.Deviation = 1.2", "s.Deviation = .8"}}, nil},
	{"water-filling", []edit{{choose + "waterfill.go", "\tspend := func(logPrice float64) float64 {", "\tif all := 0.; len(list) > 0 {\n\t\tfor _, c := range list {\n\t\t\tall += c.Cost\n\t\t}\n" +
		"\t\tfor _, c := range list {\n\t\t\tc.Precision = budget / all\n\t\t}\n\t\treturn\n\t}\n\tspend := func(logPrice float64) float64 {"}}, []string{choose + "waterfill.go"}},
	{"reweighing", []edit{{choose + "choose.go", "for round := 1; round < 6 && ", "for round := 1; round < 0 && "}}, []string{choose + "waterfill.go:reweigh"}},
	{"triples' own scores", []edit{{choose + "choose.go", "\t\t\tinside += p.Score * p.Score\n", "\t\t\tinside += 0 * p.Score\n"}}, []string{choose + "choose.go:ShareAll"}},
	{"second round of pairs and triples", []edit{{rake + "settings.go", "scoreShare(p, len(t.Pairs)), .7", "scoreShare(p, len(t.Pairs)), .999"}}, []string{rake + "stages.go:measureFinal", choose + "choose.go:AddWider"}},
	{"ridges", []edit{{fit + "measurement.go", "\t\tout[i] = b / (u * scale", "\t\tout[i] = 1e-6 * b / (u * scale"}}, []string{fit + "measurement.go:ridge", fit + "measurement.go:priorScale"}},
	{"laws of cells", []edit{{fit + "measurement.go", "len(c.Clique) == 2 && len(c.Base) > 4 {", "false {"}}, []string{cells + "law.go"}},
	{"columns that follow from others", []edit{{cells + "law.go", "x != nil && g > gain+lawShows {", "x != nil && g > gain+1e300 {"}}, []string{cells + "follow.go"}},
	{"pairs near independence", []edit{{fit + "fit.go", "\tf.assume()\n", ""}}, []string{fit + "independence.go"}},
	{"low ridge of one-ways", []edit{{fit + "fit.go", "const oneWayRidge = .001", "const oneWayRidge = 1"}}, nil},
	{"blocks of neighbours", []edit{{fit + "blocks.go", "len(axes) == 0 || !(sigma > 0) {", "len(axes) >= 0 {"}}, []string{fit + "blocks.go", oneway + "smooth.go:Smooth", oneway + "smooth.go:mirrored", fit + "link.go"}},
	{"normal link", []edit{{fit + "blocks.go", "if len(g.axes) == 2 && len(shape) == 2 {", "if false {"}}, []string{fit + "link.go", fit + "blocks.go:linked", fit + "blocks.go:risk"}},
	{"scores of few people", []edit{{rake + "settings.go", "max(share, leastScoreShare), fewScoreShare)", "max(share, leastScoreShare), mostScoreShare)"}}, nil},
	{"links of hidden cells", []edit{{fit + "measurement.go", "\tif m.ordered {\n", "\tif false {\n"}}, []string{fit + "link.go:correlate", fit + "link.go:likelihood", fit + "link.go:ordered"}},
	{"tree that starts the sample", []edit{{fit + "fit.go", "\tfor _, c := range strongest {\n\t\torder = append(order, c.Clique)\n\t}\n", "\t_ = strongest\n"}}, []string{"internal/model/mrf"}},
	{"renewals", []edit{{fit + "fit.go", "\tif f.renewals > 0 {\n", "\tif false {\n"}}, []string{popu + "gibbs.go"}},
	{"balance of overlapping tables", []edit{{popu + "field.go", "overlaps[i].balance()", "_ = i"}}, []string{popu + "balance.go"}},
	{"descent on universes", []edit{{rake + "settings.go", "const (\n\trakedPart  = .4\n", "const (\n\trakedPart  = .999\n"}}, []string{fit + "descend.go"}},
	{"mean of two fits", []edit{{rake + "settings.go", "const (\n\trakedPart  = .4\n", "const (\n\trakedPart  = .001\n"}}, nil},
	{"calendar", []edit{{oneway + "calendar.go", "if a.Learned == 0 || !f.Calendar", "if a.Learned >= 0 || !f.Calendar"}}, []string{oneway + "calendar.go"}},
	{"coupling tree", []edit{{place + "couple.go", "\t\tif a == b {\n\t\t\tcontinue", "\t\tif a >= 0 {\n\t\t\tcontinue"}},
		[]string{place + "couple.go:strengths", place + "couple.go:newConditional", place + "couple.go:added", place + "couple.go:values", place + "couple.go:transposed"}},
	{"shifts inside bins", []edit{{place + "couple.go", "\tf.shift(m, at, means, all)\n", "\t_ = means\n"}}, []string{place + "shift.go:shift", place + "shift.go:levels", place + "shift.go:adds"}},
	{"places inside bins", []edit{{rake + "solve.go", "\tvalues.Couple(m)\n", ""}}, []string{place + "couple.go", place + "shift.go"}},
	{"rare values by scores", []edit{{place + "place.go", "f.Targets.Sizes, f.rareScores(m), f.rng)", "f.Targets.Sizes, nil, f.rng)"}}, []string{place + "shift.go:rareScores"}},
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
