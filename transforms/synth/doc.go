// Package synth turns private counts into public rows. Solve is the only way out of the private side: it charges a
// ledger and releases a model; everything after it is post-processing.
//
//	model := synth.Solve(s, stats, synth.SolveParams{Epsilon: 1, Delta: 1e-9})
//	rows := synth.Sample(s, model, synth.SampleParams{As: reflect.TypeFor[Person]()})
//
// Synthesize makes that, and the private side before it, one call, from structs to structs:
//
//	people, release := synth.Synthesize(s, people, synth.Params{Domain: d, Epsilon: 1, Delta: 1e-9})
//	released := release.Artifacts(s) // one *Artifact: statement, ledger, errors, model
//
// SynthesizePeople does so with people, some of them without rows, and their rows.
//
// # Retries
//
// Runners repeat steps. Four things keep a run to one release:
//
//   - The noise is a function of a secret seed, of the configuration and of the exact integer counts
//     alone. The seed is 32 bytes drawn in a DoFn and reshuffled: never in the job graph, a
//     flag, a log line or a file.
//   - Some runners draw the seed again when they restart. So the release is created in a Store, unless
//     it is there already, before Solve emits anything. An attempt that finds one adopts it and draws
//     nothing; the loser of a race adopts the winner's. All workers must share the Store. Without one a
//     run is safe only if nothing is restarted, as on prism: a restart can draw a second model. Shards
//     carry the hash of their model, and tables.Write refuses to publish shards of two models.
//   - A RunID names the release in the Store. A job that the runner starts again carries the launch that Beam
//     wrote down when it was submitted, and adopts. A program that is started again builds another pipeline; if it gives the
//     same RunID, it says that this is the same release, and adopts. The same pipeline launched twice
//     carries two launches: the second fails, because its records may be others. Launches are compared, not records:
//     whether a job fails must not depend on them. The Python and Java wrappers write the launch down when they build the
//     pipeline, so there a pipeline is run once.
//   - Shards of rows are functions of the model and the sampling seed, and are written under temporary
//     names. Publish moves one complete set into place.
//
// Prism begins the steps behind a failed one without its records. So a worker in which a step has failed refuses to draw,
// and where a Store keeps the release a second attempt draws: only a runner that waits for all records makes one. Prism
// has one worker for all steps in Go; of failed steps in other languages this worker does not know.
//
// A mark in the Store precedes the first draw. The budget of a run with a mark and without a release counts as spent.
//
// # Guarantee
//
// (ε, δ)-differential privacy as stated by accountant.Statement, which is part of every release. No element count
// here depends on records: empty input is solved with zero counts.
//
// # Under any user ID
//
// Apache Beam panics before main if the process runs under a user ID that has no name, as with "docker run --user" or
// Kubernetes' runAsUser. Such a program needs a build without cgo (CGO_ENABLED=0) or with -tags=osusergo, and the
// variables USER and HOME. Package pipelines sets both where they are missing; a program without it sets them in its image,
// or in the init function of a package that imports os alone: Go initialises that before net/http, and Beam after it.
//
// # Not promised
//
// Solve is reproducible for one binary on one architecture. Anyone who can read the workers' memory or
// the shuffle can read the seed.
package synth
