// Package report writes what a run promises and what it found, from released values only: the privacy
// statement for machines and for people, the error that the noise leaves, and the last lines of a run.
package report
