// Package dptest checks mechanisms: it computes what they lose between neighbours from their laws, compares draws with a law at
// a stated false-alarm rate, and lists neighbouring tables. Tests only.
package dptest
