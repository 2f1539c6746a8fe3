package files

// Free is the free space of a disk.
type Free struct {
	Disk  uint64 // directories of one disk have one number
	Bytes int64
	Files int64 // names that can be made; -1: not bounded
}
