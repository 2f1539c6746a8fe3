// Command mutation checks the checks: it builds the defects that were met or are to be feared
// into copies of this module, one at a time, and runs the test that is named for each. A test that does
// not fail is a survivor, and the exit status is 1.
//
//	go run ./integration/mutation [-jobs 2] [-only pattern]
//
// A defect is an edit: a text that occurs once in a file, and what replaces it. README.md lists them
// all, and is checked against the table by this package's tests, as is every edit against its file.
package main
