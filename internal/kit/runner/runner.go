// Package runner knows what Beam's runners can do, and lets a worker know that a bundle of it has failed.
package runner

import "strings"

// Runner is what a runner can do. The zero Runner has no name: nobody knows it.
type Runner struct {
	Name      string // as Beam registers it: prism, direct, flink, spark, universal, dataflow, or any other
	Service   bool   // the run is a job of a service
	Elsewhere bool   // workers are outside the process that launches the run
	Dataflow  bool
	Java      bool // it is, or may be, one of Beam's in Java, which send workers many messages at a time
}

// Names are the runners that Beam has for Go.
var Names = []string{"prism", "direct", "flink", "spark", "samza", "universal", "dataflow"}

// PrismBranches is how many branches prism runs side by side: each on one thread.
const PrismBranches = 8

// KeptPart is how many bytes of kept records are one part of them. Parts go through the store of the run, since runners send
// an element in one message, and hold it several times: 10,000,000 records of 10 bytes take a gigabyte and a half more in one.
const KeptPart = 4 << 20

// Beam's runners in Java hold a hundred messages of a bundle until it ends, in memory outside of the heap, and let a worker
// wait for ever that sends more.
const (
	JavaMessage = 128 << 10 // bytes at which they send what they have gathered for a worker; a million by default
	javaBundle  = 190 << 20 // bytes of people that a bundle may send: Beam Go fills half of 4 MB at least
)

// Named returns what the runner of a name can do in this process, or on a cluster that the name stands for. No name: prism.
func Named(name string) Runner {
	r := Runner{Name: strings.TrimSuffix(strings.ToLower(name), "runner")}
	switch r.Name {
	case "", "prism":
		r.Name = "prism"
	case "direct":
	case "dataflow":
		r.Dataflow = true
	default:
		r.Java = true
	}
	return r
}

// Restarts reports whether the runner can start a job again. Prism and the direct runner never do, and all of their workers in
// Go are one process, so that an element may have 2 GiB.
func (r Runner) Restarts() bool { return r.Java || r.Dataflow }

// MaxBundle is how many bytes of people a bundle may send; 0: as many as a message of prism, negative: any number.
func (r Runner) MaxBundle() int64 {
	switch {
	case r.Java:
		return javaBundle
	case r.Dataflow:
		return -1
	}
	return 0
}

// Branches is in how many branches rows are made: prism runs one step as one bundle, and engines need a network buffer for
// each pair of branches.
func (r Runner) Branches() int {
	if r.Name == "prism" && !r.Service {
		return PrismBranches
	}
	return 1
}
