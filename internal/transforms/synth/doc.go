// Package synth turns private counts into public rows. Solve is the only way out of the private side. How a run keeps to one
// release is on the page of the public package of this name, which passes on what users need.
package synth
