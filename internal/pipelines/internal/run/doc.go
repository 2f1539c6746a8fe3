// Package run holds the state of a run, so that whoever comes later knows what has happened and what may still happen.
//
// A run has a staging: a directory of this machine, or a prefix on gs:// or s3://. Its content is private until the rows
// are published. Each state is an object there, which is created unless it exists. Objects are never changed. So all who
// ask get one answer, in whatever order they come.
//
//	begun ──► drawn ──► released ──► publishing ──► published
//	  └─────────┴───────────┴──► stopped
//
// ID is the run's. A run that publishes the release of an earlier one has an ID of its own: ID-again-RANDOM.
//
//	state       object           written by                       read by
//	begun       run.json         the launcher, before all else    workers: without it they write nothing; later launchers; clean
//	            job-N.json       the launcher, of a job           later launchers, which ask the service of the newest job; clean
//	drawn       ID.drawn         the worker that will draw noise  the launcher, for its last words; later launchers; clean
//	released    ID.release       the worker that has a model      workers that make rows; the launcher; later launchers; clean
//	            kept             the launcher, on gs:// or s3://  later launchers: the run has ended, and its release waits
//	publishing  ID.publishing    the worker that publishes, of a  workers, before each part of the rows
//	                             run with workers elsewhere
//	published   manifest or      the worker that publishes        the launcher; later launchers with the same ID; everybody
//	            load job         (in the output, not here)
//	stopped     the missing      whoever stops the run            all of the above
//	            ones of drawn,
//	            released and
//	            publishing
//
// Other objects of the staging mark no state: ID.launches, by which a pipeline is launched once; ID.parts, encrypted parts
// of the table, removed where a release is kept; rows, which wait for a load. If all workers are in this process the parts
// are in a file without a name. The staging of a sampling holds its model alone. The directory in which a domain is found has the same note, jobs and stop,
// and for each attempt NAME.id, the random ID of its noise and the budget book, and NAME.found with its mark.
//
// # Budget
//
// The budget counts as spent from drawn on. An object that cannot be read counts as there. Before drawn, the charge in the
// budget book is given back, and only after the mark is taken: nobody can draw then.
//
// # Stop
//
// To stop a run is to create the missing objects with another content. Each step then has happened, or never will,
// whatever becomes of the workers. What is said of the run stays true.
//
// The staging of a run is removed once it is published, or stopped without a release. A worker that is late finds no
// run.json, and writes nothing: in a new directory it would draw its noise again.
//
// # At work
//
// A run of this machine holds a lock on its staging while its process lives. A staging without that lock is a Leftover. No
// store of objects has locks: there the object kept says that the run has ended, or the service says it of the job.
//
// # What the next run finds
//
//	the run was        and had            the next run of the same request
//	killed             not drawn          begins anew; the charge of the first is given back
//	killed             drawn              begins anew and spends again; with the same --run_id it is refused
//	killed             released           publishes that release, without a look at the table; it spends nothing
//	killed             published          says what is published; it spends nothing
//	cancelled, failed  not drawn          finds nothing: the staging is removed, and the charge given back
//	cancelled, failed  drawn              finds nothing: the staging is removed, and the budget is spent; with the same
//	                                      --run_id and a book it is refused
//	cancelled, failed  released           publishes that release, as after a kill
//	cancelled          begun to publish   finds it published: the run waited for the end of that
//	at work, as a job  any of these       is refused without --run_id; with it, it waits for the job
//
// On a store of objects nobody can tell that a process was killed. Its staging is found by --run_id alone. A release of an
// input without a state that can be compared, such as a pipe, is never taken up.
//
// A run with an ID is charged to a budget book once. A launch that finds it charged by another one waits for that, if it is at
// work on this machine. If nothing of the run is to be found it is refused: noise may have been drawn. The same holds for the
// domain that a run finds.
//
// # What is adopted, and what is compared
//
//	by the name of         is adopted                   if it has the same                                otherwise
//	--run_id, a release    the finished output          ε, δ, relation, table, domain (or what was        refused, with what differs
//	                                                    declared of it), workload, method
//	--run_id, a staging    its job, or its release      fingerprint: all of the above, state of the       refused
//	                                                    input, criteria, units, limits, version
//	no ID                  a release that was kept      fingerprint                                       begins anew
//	found-HASH, beside     what was found, or its job   hash in the name: state of the table, columns,    finds anew
//	the output                                          ε, δ, relation, share, form
//	ID.found, of a         what was found               hash of the parameters that it was drawn with     the step fails
//	library's store
//	ID.release, of a       the model                    hash of the configuration, except the input       the step fails
//	store
//	ID.launches            one launch of a pipeline     random ID of the launch                           the step fails
//	ID.parts               encrypted parts              key of the process, hash of the part              the step fails
//	key, in a book         the entry of a draw          loss, ε, δ, accounting, noisy numbers             refused
//	--run_id, in a book    nothing                      ID and output (a pipeline: ID), under another key refused, or waits
//
// The charge of a finding is what it was drawn with, and its ID is random: neither is taken from who asks.
//
// # Gate
//
// Workers in the process of the launcher pass a Gate besides. A runner that is told to stop returns while its functions
// still work, and the objects say what may begin, not what has ended. Tests of pipelines fail without the gate:
//
//   - A part of the rows that is being made when the run is stopped. The launcher removes what was made. It has to wait for
//     that part first, or a directory stays beside the output (TestStoppedWhileMakingAPart). In the same way, a function in
//     the middle of a step would make the staging anew after its removal.
//   - A publication that has begun. The launcher waits up to a minute for its end, and says that all is published. If it
//     fails, no object says so, and the launcher would wait for the whole minute (TestStoppedWhilePublishingFails).
//   - A run that no object can stop. It may have failed since the disk of its staging is full.
//
// The gate also keeps the outcome of the run: another run may replace the output before its figures are read
// (TestFiguresAreOfTheRunItself).
//
// Workers in other processes have no gate. What one of them makes in the middle of a stop may stay beside the output.
//
// Objects and gate are asked together: by the store of the staging, and by MayPublish and BeginPublication for the output.
package run
