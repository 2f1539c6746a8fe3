package expansion

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"net"
	"strconv"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// A worker of a pool reaches the data of its runner through the pool, too, which copies bytes unread. Python's own runner
// takes the end of that stream for the end of everything, and would not read the sentence that says why.

// forward copies bytes between connections to lis and a host, on the port that the first two bytes name. The host sees
// the end of a connection after until.
func forward(lis net.Listener, host string, until <-chan struct{}) {
	for {
		worker, err := lis.Accept()
		if err != nil {
			return // it is closed
		}
		go func() {
			defer func() { _ = worker.Close() }() // its reader has ended
			var port [2]byte
			if _, err := io.ReadFull(worker, port[:]); err != nil {
				return
			}
			runner, err := net.DialTimeout("tcp", net.JoinHostPort(host, fmt.Sprint(binary.BigEndian.Uint16(port[:]))), patience)
			if err != nil {
				return
			}
			defer func() { _ = runner.Close() }()
			go func() {
				_, _ = io.Copy(worker, runner) // whatever ends it
				_ = worker.Close()             // also ends the copy below
			}()
			_, _ = io.Copy(runner, worker)
			<-until
		}()
	}
}

// Through dials as workers of a pool do, whose address PoolVariable holds: what is on the host of logging goes through
// the pool, and the pool's own control does not.
func Through(pool, control, logging string) func(context.Context, string, time.Duration) (*grpc.ClientConn, error) {
	host, _, _ := net.SplitHostPort(logging) // none: nothing is on it
	connect := func(ctx context.Context, endpoint string) (net.Conn, error) {
		var d net.Dialer
		on, port, err := net.SplitHostPort(endpoint)
		number, fault := strconv.ParseUint(port, 10, 16)
		if endpoint == control || on != host || err != nil || fault != nil {
			return d.DialContext(ctx, "tcp", endpoint)
		}
		c, err := d.DialContext(ctx, "tcp", pool)
		if err != nil {
			return nil, err
		}
		if _, err := c.Write(binary.BigEndian.AppendUint16(nil, uint16(number))); err != nil {
			_ = c.Close() // nothing was said
			return nil, err
		}
		return c, nil
	}
	return func(ctx context.Context, endpoint string, _ time.Duration) (*grpc.ClientConn, error) {
		return grpc.NewClient("passthrough:///"+endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithContextDialer(connect),
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32)))
	}
}
