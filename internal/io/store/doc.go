// Package store keeps one value under a name, which never changes: the first writer decides what it
// is, and all others read that.
//
//	s := store.Local{Dir: staging}
//	current, created, err := s.CreateIfAbsent(ctx, runID+"/model", model)
//	// current is what all attempts of the run go on with
//
// A solver's noise may be drawn twice if a runner repeats a step. The store is what keeps two models
// from being seen: an attempt that finds a model adopts it, and the loser of a race reads the winner's.
//
// A value is there as a whole or not at all, also after a crash, and is never changed. Local needs a
// file system with hard links that every worker sees; its values are private to the user running it.
// Objects needs no more than a bucket, whose permissions say who reads them.
package store
