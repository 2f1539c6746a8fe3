// Package ownformat holds the test of a format of files that no other package knows: one registration is all that a run,
// a sampling, an evaluation and a proposal of a domain need to use it.
package ownformat
