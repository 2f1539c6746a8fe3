package main

import (
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// A defect follows its text and its test to other files, folders and packages. Where there are several it says so.
func TestDefectsFollowTheirCode(t *testing.T) {
	const test = "package p\n\nfunc TestIt(t *testing.T) {}\n"
	d := defect{name: "d", file: "old/room/sum.go", old: "a + b", test: "TestIt"}
	for name, tt := range map[string]struct {
		files            tree
		file, dir, fault string
	}{
		"where it was":       {tree{"old/room/sum.go": "a + b", "old/room/sum_test.go": test, "x/sum.go": "a + b"}, "old/room/sum.go", "old/room", ""},
		"a folder moved":     {tree{"new/sum.go": "a + b", "new/sum_test.go": test}, "new/sum.go", "new", ""},
		"another file":       {tree{"old/room/add.go": "a + b", "old/room/sum.go": "", "old/room/sum_test.go": test}, "old/room/add.go", "old/room", ""},
		"two, one of a name": {tree{"new/sum.go": "a + b", "x/y.go": "a + b", "new/sum_test.go": test}, "new/sum.go", "new", ""},
		"its test elsewhere": {tree{"old/room/sum.go": "a + b", "integration/it_test.go": test}, "old/room/sum.go", "integration", ""},
		"two places":         {tree{"x/y.go": "a + b", "y/x.go": "a + b", "x/y_test.go": test}, "", "", "in 0 files"},
		"twice in a file":    {tree{"old/room/sum.go": "a + b; a + b", "old/room/sum_test.go": test}, "", "", "in 0 files"},
		"two tests":          {tree{"new/sum.go": "a + b", "x/a_test.go": test, "y/a_test.go": test}, "", "", "in 2 packages"},
		"the nearer test":    {tree{"new/sum.go": "a + b", "new/x/a_test.go": test, "y/a_test.go": test}, "new/sum.go", "new/x", ""},
		"no test":            {tree{"old/room/sum.go": "a + b"}, "", "", "in 0 packages"},
	} {
		got, err := tt.files.placed([]defect{d})
		if tt.fault != "" {
			must.Fail(t, err, tt.fault, "%s", name)
			continue
		}
		if err != nil || got[0].file != tt.file || got[0].pkg() != tt.dir {
			t.Errorf("%s: %s in %s, error %v", name, got[0].file, got[0].pkg(), err)
		}
	}
}
