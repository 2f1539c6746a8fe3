// Command mutation checks the checks: it builds the defects that were met or are to be feared
// into copies of this module, lets one of them act at a time, and runs the test that is named for each. A test
// that does not fail is a survivor, and the exit status is 1.
//
//	go -C integration run ./mutation [-jobs 2] [-only pattern] [-base commit]
//
// A defect is an edit: a text that occurs once in a file, and what replaces it. It is a block of lines, between blank ones,
// of a file in defects:
//
//	a name of its own
//	internal/dp/accountant/event.go
//	TestOfThatPackage, or behind its directory: pipelines TestOfAnotherPackage
//	-the text, which ends within a line
//	+what replaces it; nothing removes it
//
// A text that ends with a line has an empty last line. A block names the file and the package of its test as they were when
// it was written; if they have moved, the text and the test are found where they are now, so that a move touches no
// defect. Defects within functions share one build, in which an environment variable says which of them acts: compiling
// and linking for each took three quarters of the time. What changes a declaration, and what a test reads as source, is
// built alone. README.md lists them all, and is checked against the table by this package's tests, as is every edit
// against its file.
package main
