package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/dp"
)

// peer is a figure of a program by a method's authors, at δ = 1/n² on adult7 and 1e-9 on adult14, over all marginals of three
// columns; 0 was not measured. CPU seconds count a whole Python process.
type peer struct {
	program, table   string
	relation         dp.Neighbouring
	epsilon          dp.Epsilon
	average, largest float64
	seconds          string
	source           string // of sources
	like             string // the method of this repository that is the same algorithm; "": no such method
}

// sources are where the programs are, and what describes them.
var sources = map[string]string{
	"AIM":       "McKenna, Mullins, Sheldon, Miklau 2022, [arXiv:2201.12677](https://arxiv.org/abs/2201.12677); [ryan112358/private-pgm](https://github.com/ryan112358/private-pgm), mechanisms/aim.py",
	"MST":       "McKenna, Miklau, Sheldon 2021, [arXiv:2108.04978](https://arxiv.org/abs/2108.04978); private-pgm, mechanisms/mst.py",
	"MWEM+PGM":  "McKenna, Sheldon, Miklau 2019, [arXiv:1901.09136](https://arxiv.org/abs/1901.09136); private-pgm, mechanisms/mwem+pgm.py",
	"PrivBayes": "Zhang, Cormode, Procopiuc, Srivastava, Xiao 2017, ACM TODS 42(4)",
	"SWIFT":     "[google/dpsynth](https://github.com/google/dpsynth), 2026",
	"PEP":       "Liu, Vietri, Wu 2021, [arXiv:2106.07153](https://arxiv.org/abs/2106.07153); [terranceliu/iterative-dp](https://github.com/terranceliu/iterative-dp), pep.py",
	"MWEM":      "as PEP, mwem.py, 100 rounds; the algorithm: Hardt, Ligett, McSherry 2012, [arXiv:1012.4763](https://arxiv.org/abs/1012.4763)",
	"DualQuery": "as PEP, dualquery.py; the algorithm: Gaboardi, Gallego Arias, Hsu, Roth, Wu 2014, [arXiv:1402.1526](https://arxiv.org/abs/1402.1526)",
	"FEM":       "Vietri, Tian, Bun, Steinke, Wu 2020, [arXiv:2007.05453](https://arxiv.org/abs/2007.05453); [giusevtr/fem](https://github.com/giusevtr/fem)",
}

// peersKnown is the day on which the figures were noted; the programs' revisions were not.
const peersKnown = "2026-11-21"

var peers = []peer{
	{"AIM", "adult7-3", dp.AddRemove, .1, .106, 0, "", "AIM", "adaptive"},
	{"AIM", "adult7-3", dp.AddRemove, 1, .0320, .0045, "82–174", "AIM", "adaptive"},
	{"AIM", "adult7-3", dp.AddRemove, 10, .0105, 0, "", "AIM", "adaptive"},
	{"SWIFT", "adult7-3", dp.AddRemove, 1, .0319, .0026, "279", "SWIFT", ""},
	{"SWIFT", "adult7-3", dp.AddRemove, 10, .0092, .0011, "149", "SWIFT", ""},
	{"MWEM+PGM", "adult7-3", dp.AddRemove, 1, .0410, .0126, "", "MWEM+PGM", ""},
	{"PrivBayes", "adult7-3", dp.AddRemove, 1, .0715, .0272, "", "PrivBayes", ""},
	{"MST", "adult7-3", dp.AddRemove, 1, .0977, .0283, "24", "MST", "mst"},
	{"PEP", "adult7-3-replace", dp.Replace, 1, .070, .0058, "49", "PEP", "pep"},
	{"MWEM", "adult7-3-replace", dp.Replace, 1, 0, .0229, "23", "MWEM", "mwem"},
	{"DualQuery, s = 100, η = 2", "adult7-3-replace", dp.Replace, 1, .423, .0445, "6–15", "DualQuery", "dualquery"},
	{"DualQuery, s = 50, η = 4", "adult7-3-replace", dp.Replace, 1, .418, .0502, "6–15", "DualQuery", "dualquery"},
	{"FEM", "adult7-3-replace", dp.Replace, 1, .470, .0929, "23", "FEM", "fem"},
	{"AIM", "adult14", dp.AddRemove, .1, .168, 0, "", "AIM", ""},
	{"AIM", "adult14", dp.AddRemove, 1, .0651, .0150, "356", "AIM", ""},
	{"AIM", "adult14", dp.AddRemove, 10, .0358, 0, "", "AIM", ""},
	{"SWIFT", "adult14", dp.AddRemove, 1, .0611, .0141, "358", "SWIFT", ""},
	{"MST", "adult14", dp.AddRemove, 1, .0938, .0296, "64", "MST", "mst"},
}

// others returns the published figures of a setting in few words.
func others(s setting) string {
	name := s.table
	if s.table == "adult7" {
		name = contest{table: s.table, width: max(3, s.Width), relation: s.Neighbouring}.name()
	}
	var list []string
	for _, p := range peers {
		if p.table == name && p.relation == s.Neighbouring && p.epsilon == s.Epsilon && s.Method == "auto" {
			list = append(list, strings.TrimRight(fmt.Sprintf("%s %s/%s/%s", p.program, orDash(p.average), orDash(p.largest), p.seconds), "/–"))
		}
	}
	return strings.Join(list, ", ")
}

func orDash(x float64) string {
	if x == 0 {
		return none
	}
	return fmt.Sprintf("%.4f", x)
}

// beside returns ours as a part of the authors' figure; "" if one of them is not known.
func beside(ours, authors float64) string {
	if ours == 0 || authors == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", ours/authors)
}

// peerTable is the table of authors' programs beside the same algorithm here, and beside the method that is chosen.
func peerTable(all []entry) string {
	var b strings.Builder
	b.WriteString("| program | table | ε | average TV | largest | CPU s | same algorithm here | ours / authors' | chosen here | chosen / authors' |\n|---|---|---|---|---|---|---|---|---|---|\n")
	for _, p := range peers {
		if p.table == "adult14" {
			continue // not a table of the contests
		}
		find := func(is func(entry) bool) (which, ratio string) {
			i := slices.IndexFunc(all, func(e entry) bool { return e.Contest == p.table && e.Epsilon == p.epsilon && e.Refused == "" && is(e) })
			if i < 0 {
				return none, none
			}
			e := all[i]
			return fmt.Sprintf("%s %.4f / %.4f", e.Method, e.Average, e.Largest),
				strings.TrimPrefix(strings.TrimSuffix(beside(e.Average, p.average)+" / "+beside(e.Largest, p.largest), " / "), " / ")
		}
		like, likeRatio := find(func(e entry) bool { return e.Method == p.like })
		ours, oursRatio := find(func(e entry) bool { return e.Chosen && !e.Public })
		fmt.Fprintf(&b, "| %s | %s | %g | %s | %s | %s | %s | %s | %s | %s |\n", p.program, p.table, float64(p.epsilon), orDash(p.average), orDash(p.largest), p.seconds, like, likeRatio, ours, oursRatio)
	}
	return b.String()
}
