package cellkind

// Nulls are texts by which programs write that there is no value, whatever the column, besides an empty cell.
var Nulls = []string{"NULL", "null", "NA", "N/A", "NaN", "nan"}

// marks are Nulls, and texts by which people write that there is no number, date or truth value. In other columns they may
// be values.
var marks = map[string]string{}

func init() {
	for _, s := range append([]string{"n/a", "#N/A", "None", "none", "NaT", "<NA>", "(null)", "N.A.", "n.a.", "k. A.", "#NV", "#DIV/0!", "#VALUE!",
		"inf", "-inf", "Inf", "-Inf", "Infinity", "-Infinity", "infinity", "-infinity", "-", "--", "?", "."}, Nulls...) {
		marks[s] = s
	}
}

// Mark returns the text of a cell if it says that there is no value.
func Mark(cell []byte) (mark string, ok bool) {
	mark, ok = marks[string(cell)]
	return mark, ok
}
