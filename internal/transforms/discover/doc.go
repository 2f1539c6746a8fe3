// Package discover finds what a table can contain inside (ε, δ): types, ranges, resolutions and categories of its columns,
// and how many rows a person has.
//
//	found := discover.Discover(s, chunks, discover.Params{
//		Columns: columns, PrivacyID: "person_id", Epsilon: .1, Delta: 1e-10, Share: dp.ShareOf(1, 1),
//	})
//
// Of each person one record is counted, the one of least rank, as for a release without events. So a person changes each
// statistic in one cell: kinds of cells, resolutions, magnitudes, years, rows of a person, columns that stay the same
// within one; and, of a value, one count. Statistics with known cells are measured with Gaussian noise, and values are
// released above a threshold (claim P70). Kinds come first. The rest of the budget goes to what the kinds call for.
//
// # Prefixes
//
// The values of a column of codes may be released level by level: D66.5, then D66*, then D*. A unit whose value does not pass
// counts for the longest declared prefix of it, and if that does not pass either, for the next shorter one. Each level is a
// release of its own, with its share of μ² and of δ. What stands when it begins was released before, so it is the same for
// both neighbours, and decides for each unit alone where it counts: for its prefix of this length, unless its value or a
// longer prefix stands. So a unit changes one count of a level by 1 (Replace: two). Of each level at most one prefix is new
// on either side, with one unit more than the first cut. That is what accountant.Ledger.Values asks of a column, and charges
// and deltas of releases add up, also of those that earlier ones have led to.
//
// Where no lengths are declared they are found: a released cell of each column of texts says how many are codes, such as D66.5
// or 01067. Columns of codes are cut to three characters and to one. What is a code is a rule about texts alone, see code.
//
// The first cut drops counts, not units. A value that at most c0 units have counts for its prefix. All values that share
// the longest declared prefix meet in one shard, so that a count that is dropped is known to be whole. No prefix of a code is dropped.
//
// Of a column of months, quarters or weeks the form is released, and the years as of dates: the texts follow from both.
//
// # What is public
//
// The names of columns are public, and so are types that the source or a domain file declares. Nothing else of the table is: what is not
// released is not used. A graph's shapes are fixed when it is built, so a pipeline that synthesizes with the domain that
// was found is another pipeline, built once that is known. Its ledger goes on where the discovery's ended: see
// Found.Prior.
package discover
