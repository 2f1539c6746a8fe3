// Package discover finds what a table can contain inside (ε, δ): types, ranges, resolutions and categories of its columns,
// and how many rows a person has.
//
//	found := discover.Discover(s, chunks, discover.Params{
//		Columns: columns, PrivacyID: "person_id", Epsilon: .1, Delta: 1e-10, Share: dp.ShareOf(1, 1),
//	})
//
// Of each person one record is counted, the one of least rank, as for a release without events. So a person changes each
// statistic in one cell: kinds of cells, decimal places, magnitudes, years, rows of a person, columns that stay the same
// within one; and, of a value, one count. Statistics with known cells are measured with Gaussian noise, and values are
// released above a threshold (claim P70). Kinds come first. The rest of the budget goes to what the kinds call for.
//
// The names of columns are public, and so are types that the source declares. Nothing else of the table is: what is not
// released is not used. A graph's shapes are fixed when it is built, so a pipeline that synthesizes with the domain that
// was found is another pipeline, built once that is known. Its ledger goes on where that of the discovery ended: see
// Found.Prior.
package discover
