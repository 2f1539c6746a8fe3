// Package privacy holds the tests that look at whole runs from outside: what changes between neighbours
// in a recorded and replayed run, and what an auditor who sees the releases can prove.
package privacy
