package book

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/store"
	"github.com/dapple-dp/dapple/internal/kit/wire"
)

// Book is a budget book as it was when it was last read. It is for one goroutine.
type Book struct {
	Dir     string
	Terms   Terms
	Entries []Entry
	Sum     *accountant.Book // of the charges that stand
	hashes  []string         // of the entries, in hex
	back    map[string]bool  // keys whose charge was taken back
}

// ErrNone says that there is no book.
var ErrNone = errors.New("there is no budget book")

// entryName is the name of entry n.
func entryName(n int) string { return fmt.Sprintf("entry-%06d.json", n) }

// keeper is what both kinds of package store do.
type keeper interface {
	Get(ctx context.Context, name string) ([]byte, bool, error)
	CreateIfAbsent(ctx context.Context, name string, data []byte) (current []byte, created bool, err error)
}

func (b *Book) store() keeper {
	if files.Remote(b.Dir) {
		return store.Objects{Dir: b.Dir}
	}
	return store.Local{Dir: b.Dir, Shared: true} // a group may keep a book
}

// Create opens a new book in a directory that has none.
func Create(ctx context.Context, dir string, t Terms) (*Book, error) {
	b := &Book{Dir: dir, back: map[string]bool{}}
	if o, ok := b.store().(store.Objects); ok {
		if err := o.CheckConditions(ctx); err != nil {
			return nil, err
		}
	}
	e := &Entry{Time: now(), Terms: &t}
	data := e.encode()
	b.add(e, data)
	if err := b.compose(); err != nil {
		return nil, err
	}
	_, created, err := b.store().CreateIfAbsent(ctx, entryName(0), data)
	if err == nil && !created {
		err = fmt.Errorf("book: %s holds a budget book already: its terms are not to be changed", dir)
	}
	return b, err
}

// Open reads a book and checks all of it.
func Open(ctx context.Context, dir string) (*Book, error) {
	b := &Book{Dir: dir, back: map[string]bool{}}
	return b, b.read(ctx)
}

// read adds all entries that have come since.
func (b *Book) read(ctx context.Context) error {
	names, err := files.Names(ctx, b.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("book: %w", err)
	}
	for before := len(b.Entries); ; {
		name := entryName(len(b.Entries))
		data, found, err := b.store().Get(ctx, name)
		if err != nil {
			return fmt.Errorf("book: %w", err)
		}
		if !found && len(b.Entries) > before {
			if err := b.compose(); err != nil {
				return b.damaged(entryName(len(b.Entries)-1), err)
			}
		}
		if !found {
			break
		}
		e, err := decode(data)
		if err == nil {
			err = b.check(&e)
		}
		if err != nil {
			return b.damaged(name, err)
		}
		b.add(&e, data)
	}
	for _, name := range names { // listed before: what is behind the last one was there when that was not
		if strings.HasPrefix(name, "entry-") && name >= entryName(len(b.Entries)) {
			return b.damaged(entryName(len(b.Entries)), errors.New("it is missing, and there is "+name))
		}
	}
	if len(b.Entries) == 0 {
		return ErrNone
	}
	return nil
}

func (b *Book) damaged(name string, err error) error {
	return fmt.Errorf("book: the budget book %s is damaged at %s: %w; restore it from a copy, since what is left of the budget is not known otherwise", b.Dir, name, err)
}

// check finds what is wrong with an entry that is to be the next.
func (b *Book) check(e *Entry) error {
	switch {
	case e.Number != len(b.Entries):
		return fmt.Errorf("it is entry %d", e.Number)
	case e.Number == 0 && (e.Terms == nil || e.Previous != ""):
		return errors.New("a book begins with its terms")
	case e.Number == 0:
		return nil
	case e.Previous != b.SHA256():
		return errors.New("it does not follow from the entry before")
	case e.Terms != nil:
		return errors.New("it has terms, which only the first has")
	case e.Return != "" && !b.Holding(e.Return):
		return errors.New("it takes back what was not charged")
	}
	return nil
}

// add takes in an entry that was found to be right.
func (b *Book) add(e *Entry, data []byte) {
	if e.Terms != nil {
		b.Terms = *e.Terms
	}
	if e.Return != "" {
		b.back[e.Return] = true
	}
	b.Entries, b.hashes = append(b.Entries, *e), append(b.hashes, wire.Hash(data))
}

// compose charges anew all that stands.
func (b *Book) compose() error {
	n, err := dp.ParseNeighbouring(b.Terms.Neighbouring)
	if err != nil {
		return err
	}
	sum, err := accountant.NewBook(n, b.Terms.Epsilon, b.Terms.Delta, b.Terms.Mixed)
	if err != nil {
		return err
	}
	for _, c := range b.Standing() {
		r, err := c.Of(n)
		if err == nil {
			err = sum.Charge(r)
		}
		if err != nil {
			return err
		}
	}
	b.Sum = sum
	return nil
}

// Standing returns the charges that were not taken back.
func (b *Book) Standing() (list []*Charge) {
	for i := range b.Entries {
		if c := b.Entries[i].Charge; c != nil && !b.back[c.Key] {
			list = append(list, c)
		}
	}
	return list
}

// Inputs returns every place of the table.
func (b *Book) Inputs() []string {
	list := slices.Clone(b.Terms.Inputs)
	for _, e := range b.Entries {
		if e.Input != "" {
			list = append(list, e.Input)
		}
	}
	return list
}

// SHA256 returns the hash of the last entry, which stands for all.
func (b *Book) SHA256() string { return b.hashes[len(b.hashes)-1] }

// Holding reports whether the charge of a key stands.
func (b *Book) Holding(key string) bool {
	return b.entered(func(c *Charge) bool { return c.Key == key }) != nil
}

// Holds says what is wrong with a book, given the number and the hash of an entry that somebody has kept. A book whose last
// entries were removed is whole by itself: nothing in it points to them.
func (b *Book) Holds(number int, sha256 string) error {
	last := len(b.Entries) - 1
	switch {
	case number <= 0 || sha256 == "":
		return errors.New("it names no entry")
	case number > last:
		return fmt.Errorf("it was charged by entry %d, and the book ends with entry %d: its last entries are gone", number, last)
	case b.hashes[number] != sha256:
		return fmt.Errorf("it was charged by another entry %d than the book has: this is another book, or one that was written anew", number)
	case b.entered(func(c *Charge) bool { return c == b.Entries[number].Charge }) == nil:
		return fmt.Errorf("entry %d is no charge, or it was taken back: nothing pays for it", number)
	}
	return nil
}

// Entered is a charge that stands, and the entry that made it.
type Entered struct {
	*Charge
	Number int
	SHA256 string
	Time   time.Time
}

// entered returns the charge that stands and meets a condition, the latest; nil: no charge does.
func (b *Book) entered(is func(*Charge) bool) (last *Entered) {
	for i, e := range b.Entries {
		if c := e.Charge; c != nil && !b.back[c.Key] && is(c) {
			last = &Entered{c, i, b.hashes[i], e.Time}
		}
	}
	return last
}

// ErrReturned says that a key was charged and taken back: its run can never draw.
var ErrReturned = errors.New("book: the charge of this run was taken back; begin another run")

// Refused says that a run does not fit; nothing was charged. Err comes from accountant.Book.Charge.
type Refused struct{ Err error }

// Error returns the text of Err.
func (r *Refused) Error() string { return r.Err.Error() }

// Unwrap returns Err.
func (r *Refused) Unwrap() error { return r.Err }

// Paid says that a run was charged before, under another key: another launch of it has drawn, or may. Nothing was
// charged now, and this launch must not draw.
type Paid struct{ Entered }

// Error names the entry.
func (p *Paid) Error() string {
	return fmt.Sprintf("run %s was charged before, by entry %d of %s", p.Run, p.Number, p.Time.Format("2006-01-02 15:04:05 UTC"))
}

// OtherLoss says that a key is charged with another loss: what it stands for was not drawn as is said now. Nothing was charged.
type OtherLoss struct{ Entered }

// Error names the entry, and what it has charged.
func (o *OtherLoss) Error() string {
	return fmt.Sprintf("%s is charged by entry %d with ε = %g, δ = %g and a loss of %s, which is not the loss stated now", o.Run, o.Number, float64(o.Epsilon), float64(o.Delta), o.Loss)
}

// Charge enters a run before its first draw, unless its key is charged already, and returns the entry. Its own errors are
// Refused, Paid, OtherLoss and ErrReturned, after which nothing was charged. After another error it is not known whether the
// charge stands.
func (b *Book) Charge(ctx context.Context, p Payer, r accountant.Run) (*Entered, error) {
	own := func(c *Charge) bool { return c.Key == p.Key }
	err := b.append(ctx, func() (*Entry, error) {
		before := b.entered(own)
		switch {
		case before != nil && !before.is(r):
			return nil, &OtherLoss{*before}
		case before != nil:
			return nil, nil
		case b.back[p.Key]:
			return nil, ErrReturned
		}
		if err := b.Paid(p); err != nil {
			return nil, err
		}
		if err := b.Sum.Refusal(r); err != nil {
			return nil, &Refused{err}
		}
		return &Entry{Charge: chargeOf(p, r)}, nil
	})
	if err != nil {
		return nil, err
	}
	return b.entered(own), nil
}

// Paid returns a *Paid if the run of a payer is charged under another key, as the book was last read.
func (b *Book) Paid(p Payer) error {
	other := b.entered(func(c *Charge) bool { return !p.Again && p.Once != "" && c.Once == p.Once && c.Key != p.Key })
	if other == nil {
		return nil
	}
	return &Paid{*other}
}

// Return takes back the charge of a key, if it stands. Its run must be one that has drawn nothing and never will.
func (b *Book) Return(ctx context.Context, key string) (returned bool, err error) {
	err = b.append(ctx, func() (*Entry, error) {
		if !b.Holding(key) {
			return nil, nil
		}
		returned = true
		return &Entry{Return: key}, nil
	})
	return returned && err == nil, err
}

// AddInput enters another place of the table.
func (b *Book) AddInput(ctx context.Context, input string) error {
	return b.append(ctx, func() (*Entry, error) {
		if slices.Contains(b.Inputs(), input) {
			return nil, nil
		}
		return &Entry{Input: input}, nil
	})
}

// append adds an entry behind all that are there. next makes it from the book as it is then; nil: there is
// nothing to add.
func (b *Book) append(ctx context.Context, next func() (*Entry, error)) error {
	for {
		if err := b.read(ctx); err != nil {
			return err
		}
		e, err := next()
		if e == nil || err != nil {
			return err
		}
		e.Number, e.Previous, e.Time = len(b.Entries), b.SHA256(), now()
		data := e.encode()
		_, created, err := b.store().CreateIfAbsent(ctx, entryName(e.Number), data)
		if err != nil {
			return fmt.Errorf("book: %w", err)
		}
		if created {
			b.add(e, data)
			return b.compose()
		}
	}
}

func now() time.Time { return time.Now().UTC().Truncate(time.Second) }
