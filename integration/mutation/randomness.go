package main

// randomness are defects of seeds, keys and streams.
var randomness = []defect{
	{
		name: "round missing from the key", file: "dp/internal/noise/root.go", test: "TestStreamsDiffer",
		old: "info = binary.BigEndian.AppendUint64(info, uint64(round))", new: "info = binary.BigEndian.AppendUint64(info, 0*uint64(round))",
	},
	{
		name: "stage missing from the key", file: "dp/internal/noise/root.go", test: "TestStreamsDiffer",
		old: "info = append(info, stage...)", new: "",
	},
	{
		name: "inputs missing from the key", file: "dp/internal/noise/root.go", test: "TestStreamsDiffer",
		old: "info = append(info, inputs[:]...)", new: "",
	},
	{
		name: "statistics missing from the root", file: "dp/internal/noise/root.go", test: "TestStreamsDiffer",
		old: "mac.Write(statistics[:])", new: "",
	},
	{
		name: "configuration missing from the root", file: "dp/internal/noise/root.go", test: "TestStreamsDiffer",
		old: "mac.Write(config[:])", new: "",
	},
	{
		name: "seed missing from the root", file: "dp/internal/noise/root.go", test: "TestStreamsDiffer",
		old: "hmac.New(sha256.New, (*seed.secret)[:])", new: "hmac.New(sha256.New, nil)",
	},
	{
		name: "counts missing from a digest of inputs", file: "dp/internal/noise/inputs.go", test: "TestStreamsDiffer",
		old: "in.buf = binary.BigEndian.AppendUint64(in.buf, uint64(v))", new: "_ = v",
	},
	{
		name: "entries of inputs run together", file: "dp/internal/noise/inputs.go", test: "TestStreamsDiffer",
		old: "in.buf = binary.BigEndian.AppendUint64(append(in.buf, kind), uint64(length))", new: "",
	},
	{
		name: "keystream repeats each buffer", file: "dp/internal/noise/stream.go", test: "TestStreamGolden",
		old: "s.ctr.XORKeyStream(s.buf[:], s.buf[:])\n\t\ts.at = 0", new: "if s.at > 0 {\n\t\t\ts.ctr.XORKeyStream(s.buf[:256], s.buf[:256])\n\t\t}\n\t\ts.at = 0",
	},
	{
		name: "zero seed accepted", file: "dp/internal/noise/seed.go", test: "TestSeedRefuses",
		old: "if secret == [SeedSize]byte{} {", new: "if false {",
	},
	{
		name: "short seed accepted", file: "dp/internal/noise/seed.go", test: "TestSeedRefuses",
		old: "if len(b) != SeedSize {", new: "if len(b) < SeedSize-1 {",
	},
	{
		name: "seed prints", file: "dp/internal/noise/seed.go", test: "TestNothingPrints",
		old: "func (Seed) Format(f fmt.State, _ rune) { fmt.Fprint(f, redacted) }", new: "func (s Seed) Format(f fmt.State, _ rune) { fmt.Fprint(f, s.Reveal()) }",
	},
	{
		name: "seed is logged", file: "dp/internal/noise/seed.go", test: "TestNothingPrints",
		old: "func (Seed) LogValue() slog.Value { return slog.StringValue(redacted) }", new: "func (s Seed) LogValue() slog.Value { return slog.AnyValue(s.Reveal()) }",
	},
	{
		name: "noise from math/rand", file: "dp/internal/noise/stream.go", dir: "integration", test: "TestNoGeneralPurposeRandomnessInDP",
		old: "\t\"math/bits\"\n)", new: "\t\"math/bits\"\n\t_ \"math/rand/v2\"\n)",
	},
}
