package s3

import (
	"net/http"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/integration/services"
	"github.com/dapple-dp/dapple/internal/pipelines"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// A budget book on S3, where answers to writes get lost.
func TestBook(t *testing.T) {
	n := start(t, "shop")
	putShop(t)
	c := pipelines.Config{Domain: "s3://shop/domain.yaml", Input: "s3://shop/in/customers.csv", Output: "s3://shop/out",
		Epsilon: 1, Delta: 1e-6, Method: "dpam", Runner: "direct", Shards: 2, Rows: 500}
	left := 0
	services.CheckBook(t, c, "s3://shop/book", func() {
		left = 2
		n.losing(func(r *http.Request) bool {
			if r.Method != http.MethodPut || !strings.Contains(r.URL.Path, "/book/") || left == 0 {
				return false
			}
			left--
			return true
		})
	})
	must.Hold(t, n.lost == 2, "%d answers were lost, want 2", n.lost)
}
