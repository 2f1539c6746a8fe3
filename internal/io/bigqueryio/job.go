package bigqueryio

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
)

// jobName names the load of one set of rows, whichever process loads it and from where: equal run, model, table,
// number of shards and columns mean equal rows. The number of the attempt is appended.
func (s Sink) jobName(model string) string {
	h := sha256.New()
	part := func(text string) {
		// The length goes first, so that no two lists of parts read the same.
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(text))))
		h.Write([]byte(text))
	}
	for _, text := range []string{s.RunID, model, s.Table.String(), strconv.Itoa(s.Shards)} {
		part(text)
	}
	for _, f := range columns(&s.Domain) {
		part(f.Name)
		part(string(f.Type))
		part(strconv.FormatBool(f.Required))
	}
	return "dapple_" + hex.EncodeToString(h.Sum(nil))[:32]
}

// jobID names one attempt at a load, 0, 1, … An attempt that has failed wrote nothing, and its ID is
// used up.
func jobID(name string, attempt int) string { return fmt.Sprintf("%s_%d", name, attempt) }
