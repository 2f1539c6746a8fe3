package domain

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// excluded returns a domain of STRING columns of the given sizes with exclusions.
func excluded(x Exclusions, sizes ...int) *Domain {
	d := &Domain{StructuralZeros: x}
	for i, n := range sizes {
		a := Attribute{Name: fmt.Sprint("c", i), Type: String, Null: true}
		for v := range n - 1 {
			a.Values = append(a.Values, fmt.Sprint(v))
		}
		d.Attributes = append(d.Attributes, a)
	}
	return d
}

// randomExclusions draws n exclusions of two or three attributes.
func randomExclusions(rng *rand.Rand, n int, sizes []int) Exclusions {
	var x Exclusions
	for range n {
		e := Exclusion{Clique: NewClique(rng.Perm(len(sizes))[:2+rng.IntN(2)]...)}
		for _, a := range e.Clique {
			var codes []Code
			for _, v := range rng.Perm(sizes[a])[:1+rng.IntN(sizes[a]-1)] {
				codes = append(codes, Code(v))
			}
			slices.Sort(codes)
			e.Codes = append(e.Codes, codes)
		}
		x = append(x, e)
	}
	return x
}

// TestExclusionForms holds every form of the question against the definition, record by record.
func TestExclusionForms(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	sizes := []int{2, 4, 3, 3}
	all := Clique{0, 1, 2, 3}
	for range 50 {
		x := randomExclusions(rng, 1+rng.IntN(3), sizes)
		d, s := excluded(x, sizes...), NewSupport(sizes, x)
		out := make([]bool, 72)
		x.Cells(all, sizes, func(c int) { out[c] = true })
		for z := range out {
			record := []Code{Code(z / 36), Code(z / 9 % 4), Code(z / 3 % 3), Code(z % 3)}
			want := true
			for _, e := range x {
				inside := true
				for i, a := range e.Clique {
					inside = inside && slices.Contains(e.Codes[i], record[a])
				}
				want = want && !inside
			}
			if d.Possible(record) != want || s.Possible(record) != want || out[z] == want {
				t.Fatalf("%v, record %v: Domain %t, Support %t, Cells %t; want %t", x, record, d.Possible(record), s.Possible(record), !out[z], want)
			}
			checkForbidden(t, s, record, sizes)
		}
	}
}

// checkForbidden: of a record that is possible but for attribute a, exactly the named codes are not.
func checkForbidden(t *testing.T, s *Support, record []Code, sizes []int) {
	t.Helper()
	for a, size := range sizes {
		forbidden := make([]bool, size)
		s.Forbidden(record, a, func(member []bool) {
			for v, m := range member {
				forbidden[v] = forbidden[v] || m
			}
		})
		if got := possibleCodes(s, record, a, size); slices.Contains(got, true) {
			for v := range got {
				must.Need(t, got[v] != forbidden[v], "record %v, attribute %d, code %d: possible %t, forbidden %t", record, a, v, got[v], forbidden[v])
			}
		}
	}
}

func possibleCodes(s *Support, record []Code, a, size int) []bool {
	out := make([]bool, size)
	for v := range out {
		out[v] = s.PossibleWith(record, a, Code(v))
	}
	return out
}

func TestWitness(t *testing.T) {
	sizes := []int{2, 2, 3}
	not := func(a, b int, u, v []Code) Exclusion { return Exclusion{Clique{a, b}, [][]Code{u, v}} }
	all := []Code{0, 1}
	tests := []struct {
		name string
		x    Exclusions
		ok   bool
	}{
		{"none", nil, true},
		{"one", Exclusions{not(0, 1, []Code{0}, []Code{0})}, true},
		{"one record left", Exclusions{not(0, 1, []Code{0}, all), not(0, 2, []Code{1}, []Code{0, 1}), not(1, 2, []Code{0}, []Code{2})}, true},
		{"everything at once", Exclusions{not(0, 1, all, all)}, false},
		{"everything in parts", Exclusions{not(0, 1, []Code{0}, all), not(0, 2, []Code{1}, []Code{0, 1, 2})}, false},
	}
	for _, test := range tests {
		record, ok := test.x.Witness(sizes)
		must.Hold(t, ok == test.ok && (!ok || test.x.Violated(record) < 0), "%s: %v, %t", test.name, record, ok)
		err := excluded(test.x, sizes...).Validate()
		must.Hold(t, (err == nil) == test.ok, "%s: Validate: %v", test.name, err)
	}
}

func TestExclusionFaults(t *testing.T) {
	tests := []struct {
		e    Exclusion
		want string
	}{
		{Exclusion{Clique{0}, [][]Code{{0}}}, "at least two columns"},
		{Exclusion{Clique{0, 1}, [][]Code{{0}}}, "at least two columns"},
		{Exclusion{Clique{1, 0}, [][]Code{{0}, {0}}}, "in its order"},
		{Exclusion{Clique{0, 3}, [][]Code{{0}, {0}}}, "in the domain"},
		{Exclusion{Clique{0, 1}, [][]Code{{0}, {}}}, "no cells"},
		{Exclusion{Clique{0, 1}, [][]Code{{0}, {2}}}, "in the column"},
		{Exclusion{Clique{0, 1}, [][]Code{{0}, {1, 0}}}, "in its order"},
	}
	for _, test := range tests {
		err := excluded(Exclusions{test.e}, 2, 2, 3).Validate()
		must.Fail(t, err, test.want, "%v", test.e)
	}
}

// TestExclusionsFingerprint: exclusions belong to the identity of a domain; without any it is as before.
func TestExclusionsFingerprint(t *testing.T) {
	x := Exclusions{{Clique{0, 1}, [][]Code{{0}, {1}}}}
	plain, with := excluded(nil, 2, 2), excluded(x, 2, 2)
	must.Hold(t, plain.Fingerprint() != with.Fingerprint() && plain.Fingerprint() == excluded(Exclusions{}, 2, 2).Fingerprint(),
		"the fingerprint does not follow the exclusions")
}
