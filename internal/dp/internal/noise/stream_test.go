package noise

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"math/big"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// testRoot is the root of a fixed seed: bytes 1..32, and digests of two words.
func testRoot(t testing.TB) Root {
	b := make([]byte, SeedSize)
	for i := range b {
		b[i] = byte(i + 1)
	}
	s := must.Value(SeedFromBytes(b))(t)
	return NewRoot(s, sha256.Sum256([]byte("config")), sha256.Sum256([]byte("statistics")))
}

func testStream(t testing.TB, stage string) *Stream {
	return testRoot(t).Stream(stage, 3, NewInputs().Int64(7).Sum())
}

// TestStreamGolden pins the generator: a replay of an old run must repeat its noise. The vectors were
// computed independently, by testdata/stream.py with OpenSSL's AES-256-CTR.
func TestStreamGolden(t *testing.T) {
	s := testStream(t, "golden")
	for i, want := range goldenWords {
		must.Equal(t, s.word(), want, "word %d", i)
	}
	for range 1_000_000 - len(goldenWords) {
		s.word()
	}
	got := s.word()
	must.Hold(t, got == goldenWordMillion, "word 10⁶ = %#x, want %#x", got, uint64(goldenWordMillion))
}

// TestSamplersGolden pins the first values of each sampler.
func TestSamplersGolden(t *testing.T) {
	s := testStream(t, "samplers")
	l, _ := NewLaplace(big.NewRat(100, 3))
	g, _ := NewGaussian(big.NewRat(10_001, 4))
	wideG, _ := NewGaussian(new(big.Rat).SetInt64(1 << 60))
	sel := NewSelector([]Score{ScoreOf(5), ScoreOf(9), ScoreOf(1), ScoreOf(8)}, 3)
	var b strings.Builder
	for range 6 {
		fmt.Fprintln(&b, s.Below(1000), s.BernExp(2, 3), l.Draw(s), g.Draw(s), wideG.Draw(s), sel.Draw(s), Sign(s, 1, 4))
	}
	got := b.String()
	must.Hold(t, got == goldenSamplers, "got\n%swant\n%s", got, goldenSamplers)
}

// TestStreamsDiffer changes each thing that a stream is bound to.
func TestStreamsDiffer(t *testing.T) {
	seed, other := NewSeed(), NewSeed()
	a, b := sha256.Sum256([]byte("a")), sha256.Sum256([]byte("b"))
	digest := func(counts ...int64) [32]byte { return NewInputs().Text("measure").Int64s(counts).Sum() }
	streams := map[string]*Stream{
		"reference":      NewRoot(seed, a, b).Stream("s", 1, digest(1, 2)),
		"seed":           NewRoot(other, a, b).Stream("s", 1, digest(1, 2)),
		"configuration":  NewRoot(seed, b, b).Stream("s", 1, digest(1, 2)),
		"statistics":     NewRoot(seed, a, a).Stream("s", 1, digest(1, 2)),
		"stage":          NewRoot(seed, a, b).Stream("t", 1, digest(1, 2)),
		"stage longer":   NewRoot(seed, a, b).Stream("s\x00", 1, digest(1, 2)),
		"round":          NewRoot(seed, a, b).Stream("s", 2, digest(1, 2)),
		"one count more": NewRoot(seed, a, b).Stream("s", 1, digest(1, 3)),
		"other split":    NewRoot(seed, a, b).Stream("s", 1, NewInputs().Text("measure").Int64(1).Int64(2).Sum()),
	}
	seen := map[uint64]string{}
	for name, s := range streams {
		w := s.word()
		with, ok := seen[w]
		must.Hold(t, !ok, "%s and %s share a stream", name, with)
		seen[w] = name
	}
	again := NewRoot(seed, a, b).Stream("s", 1, digest(1, 2)).word()
	must.Hold(t, seen[again] == "reference", "the same call gives another stream")
}

func TestBelow(t *testing.T) {
	s := testStream(t, "below")
	for k := 1; k <= 63; k++ {
		for _, n := range []uint64{1<<k - 1, 1 << k, 1<<k + 1} {
			for range 50 {
				v := s.Below(n)
				must.Need(t, v < n, "Below(%d) = %d", n, v)
			}
		}
	}
	low := make([]int, 3) // of 3·2^62: a remainder of 64 bits would fall into the lowest third half the time
	for range 20_000 {
		low[s.Below(3<<62)>>62]++
	}
	if p := dptest.ChiSquare(low, []float64{1. / 3, 1. / 3, 1. / 3}); p < dptest.Alarm {
		t.Errorf("thirds of Below(3·2^62): p = %g: %v", p, low)
	}
	for _, n := range []uint64{2, 3, 7, 8, 9, 31, 32, 33} {
		seen, p := make([]int, n), make([]float64, n)
		for range 20_000 {
			seen[s.Below(n)]++
		}
		for i := range p {
			p[i] = 1 / float64(n)
		}
		if p := dptest.ChiSquare(seen, p); p < dptest.Alarm {
			t.Errorf("Below(%d): p = %g: %v", n, p, seen)
		}
	}
}

// TestBernoulliWide compares frequencies with p/q where one, two or four words decide. Limit: 5.2
// standard deviations, 2e-7 of false alarm each.
func TestBernoulliWide(t *testing.T) {
	s := testStream(t, "wide coins")
	const n = 100_000
	for _, c := range []struct {
		p, q wide
		want float64
	}{
		{wide{1}, wide{3}, 1. / 3},
		{wide{0, 1}, wide{0, 3}, 1. / 3},
		{wide{0, 0, 5}, wide{0, 0, 8}, 5. / 8}, // a power of two
		{wide{0, 0, 0, 1}, wide{0, 0, 0, 4}, 1. / 4},
		{wide{1 << 63}, wide{0, 1}, 1. / 2},    // the lower word decides
		{wide{1 << 63, 1}, wide{0, 2}, 3. / 4}, // half of the upper words tie
		{wide{0, 0, 1 << 62}, wide{1, 0, 1 << 63}, 1. / 2},
		{wide{0, 3, 1}, wide{0, 4, 1}, 1 - 1/(4+0x1p64)},
		{wide{9, 9}, wide{9, 9}, 1},
		{wide{}, wide{9, 9}, 0},
	} {
		hits := 0
		for range n {
			if s.BernoulliWide(c.p, c.q) {
				hits++
			}
		}
		d := float64(hits) - n*c.want
		must.Hold(t, d*d <= 5.2*5.2*n*c.want*(1-c.want), "P(%v/%v): %d of %d, want %g", c.p, c.q, hits, n, c.want)
	}
}

// TestBernoulliWideBoundary enumerates what follows a tie with the bound: only x ≤ last is accepted.
func TestBernoulliWideBoundary(t *testing.T) {
	for _, c := range []struct {
		word      uint64
		below, ok bool
	}{{4, true, true}, {5, false, true}, {6, false, true}, {7, false, false}} {
		s := &Stream{at: bufferSize - 8}
		s.buf[s.at] = byte(c.word)
		below, ok := s.below(wide{5}, wide{6}, 0, 7)
		must.Hold(t, ok == c.ok && (!ok || below == c.below), "drew %d for 5/7: below %v, ok %v", c.word, below, ok)
	}
}

func TestSeedRefuses(t *testing.T) {
	for _, n := range []int{0, 31, 32, 33} { // 32: all zeros
		must.Fails(SeedFromBytes(make([]byte, n)))(t, "", "%d zero bytes accepted", n)
	}
	s := NewSeed()
	back, err := SeedFromBytes(s.Reveal())
	must.Hold(t, err == nil && bytes.Equal(back.Reveal(), s.Reveal()) && back.Usable() && !(Seed{}).Usable(), "a seed does not survive its bytes: %v", err)
}

// TestNothingPrints formats every secret in every way, alone and inside other values.
func TestNothingPrints(t *testing.T) {
	b := bytes.Repeat([]byte("\x00canary\xff"), 4)
	seed := must.Value(SeedFromBytes(b))(t)
	root := NewRoot(seed, [32]byte{}, [32]byte{})
	stream := root.Stream("s", 0, [32]byte{})
	stream.word()
	secrets := [][]byte{b, (*root.key)[:], stream.buf[:]}
	for _, v := range []any{seed, root, stream, &seed, struct{ hidden Seed }{seed}, struct{ hidden Root }{root},
		struct{ Shown Seed }{seed}, []Seed{seed}, map[string]Root{"": root}} {
		var out bytes.Buffer
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x", "%d", "%q", "%p"} {
			fmt.Fprintf(&out, verb+"\n", v)
		}
		slog.New(slog.NewTextHandler(&out, nil)).Info("m", "v", v)
		slog.New(slog.NewJSONHandler(&out, nil)).Info("m", "v", v)
		for _, secret := range secrets {
			part := secret[1:7]
			for _, form := range []string{string(part), fmt.Sprintf("%x", part), strings.Trim(fmt.Sprint(part), "[]")} {
				must.Hold(t, !bytes.Contains(out.Bytes(), []byte(form)), "%T prints a secret", v)
			}
		}
	}
}
