// Package contribution is the rule by which a privacy unit keeps one record, and the packed rows that the rule reads:
// of all coded records of a unit the one of lowest rank. In a domain with Events it keeps all, with weights that add up
// to the weight of one. It decides who is counted, so that what is counted
// for a release and what is compared with it afterwards share it.
//
// A record's codes are packed into a row of fixed width, one byte for an attribute of at most 256 cells and two
// for a larger one. Everything here is private data; nothing here formats a value.
package contribution
