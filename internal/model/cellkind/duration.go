package cellkind

import "regexp"

// durations are forms of 26:03:11, 0 days 01:02:03 and PT1H30M.
var durations = regexp.MustCompile(`^[-+]?(([0-9]+ days?,? ?)?[-+]?[0-9]+(:[0-9]{2}){1,2}([.,][0-9]+)?|[0-9]+ days?|P([0-9.]+[YMWD])+(T([0-9.]+[HMS])+)?|PT([0-9.]+[HMS])+)$`)

// Duration reports whether a text says how long something took.
func Duration(text string) bool { return durations.MatchString(text) }
