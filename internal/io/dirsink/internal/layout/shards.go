package layout

// FileRef is one shard that was written and is not published yet. It is plain data, which crosses any shuffle; so is Published.
type FileRef struct {
	Shard  int
	Rows   int64
	Bytes  int64
	CRC32C uint32 // of the whole file, polynomial of Castagnoli
	SHA256 string // of the whole file, in hexadecimal digits
	URI    string // where this Attempt is staged
	Model  string // SHA-256 of the release that the rows were sampled from; sinks leave it empty
}

// Published is what a run has made visible.
type Published struct {
	URI   string // directory or table
	Files int
	Rows  int64 // -1: not known
	Bytes int64

	People int64 // rows of a table of people beside them; 0: no such table

	Digest string // SHA-256 of the manifest; empty: no manifest
}
