// Package synth leads from private counts to public rows. Solve is the only way out of the private
// side: it charges a ledger, releases a model, and what follows is post-processing.
//
//	model := synth.Solve(s, stats, synth.SolveParams{Epsilon: 1, Delta: 1e-9})
//	rows := synth.Sample(s, model, synth.SampleParams{As: reflect.TypeFor[Person]()})
//
// Synthesize is that and the private side before it in one call, from structs to structs:
//
//	people, release := synth.Synthesize(s, people, synth.Params{Domain: d, Epsilon: 1, Delta: 1e-9})
//	released := release.Artifacts(s) // one *Artifact: statement, ledger, errors, model
//
// # Retries
//
// Runners run things twice. Three things keep a run to one release:
//
//   - The noise is a function of a secret seed, of the configuration and of the exact integer counts
//     (package noise). The seed is 32 bytes drawn in a DoFn and reshuffled: never in the job graph, a
//     flag, a log line or a file.
//   - Some runners draw the seed again when they restart. So the release is created in a Store, if
//     absent, before Solve emits anything. An attempt that finds it adopts it and draws nothing; the
//     loser of a race adopts the winner's. All workers must see the same Store; without one a run is
//     safe only if nothing is restarted, as on prism.
//     Without one a restart can draw a second model; shards carry the hash of theirs, and Write refuses
//     to publish shards of two.
//   - Shards of rows are functions of the model and the sampling seed, and are written under temporary
//     names. Publish moves one complete set into place.
//
// A mark in the Store precedes the first draw. A run that has one and no release is spent all the same.
//
// # Guarantee
//
// (ε, δ)-differential privacy as accountant.Statement says, which every release carries. The element
// count of nothing here depends on records: empty input is solved with zero counts.
//
// # Not promised
//
// Solve is reproducible for one binary on one architecture. Anyone who can read the workers' memory or
// the shuffle can read the seed.
package synth
