// Package outside is what a stranger builds with dapple: programs that know its public packages alone, each in a file. It is
// a module of its own, so that the compiler refuses what is internal.
package outside
