// Package book keeps the budget book of a data set: a capacity that its owner has set, and every run charged to it.
//
//	b, err := book.Open(ctx, "gs://bucket/people.book")
//	p := book.Payer{Key: key, Run: "night", Input: "people.csv", Output: "out"}
//	entry, err := b.Charge(ctx, p, run) // before the run's first draw; the same key is charged once
//	_, err = b.Return(ctx, key)         // of a run that can never draw any more
//
// A key stands for one draw of noise. Whoever repeats the draw, from the same secret and the same counts, charges the same key,
// and is told the same entry; with another loss it is refused. A launcher that begins a draw of its own takes a random key. If
// its run has an ID that others may launch too, Payer.Once names the run: the second launch is told Paid, and must not draw.
//
// A book is a directory of numbered entries. Each is created if it is absent (package store), holds the SHA-256
// of the one before and its own, and is never changed: of two runs that add one at once one comes first, and the
// other reads it before it tries again. So no charge is lost, whenever a process is killed, and what remains is
// computed from all of them. A missing, altered or exchanged entry is found, but for the last ones if they are
// missing. That is against accidents: who can write to the directory can forget charges.
//
// What composes and what fits is decided by package accountant alone.
package book
