// Package dptest checks mechanisms: it computes laws of randomised code by enumeration, compares draws
// with a law at a stated false-alarm rate, and lists neighbouring tables. Tests only.
package dptest
