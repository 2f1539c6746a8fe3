package expansion

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"strconv"
	"sync"
	"time"

	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
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
// the pool, and the pool's own control does not. A worker that has heard that its work is over calls done before it ends.
func Through(pool, control, logging string) (dial func(context.Context, string, time.Duration) (*grpc.ClientConn, error), done func()) {
	open := &streams{}
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
	return func(_ context.Context, endpoint string, _ time.Duration) (*grpc.ClientConn, error) {
		return grpc.NewClient("passthrough:///"+endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithContextDialer(connect),
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32)), grpc.WithStreamInterceptor(open.watch))
	}, open.wait
}

// streams are a worker's streams for data. The runner has to end them: Python's prints a trace of one that its worker ends.
type streams struct{ open sync.WaitGroup }

// wait gives a runner a moment to end them. There are some that end connections only.
func (s *streams) wait() {
	ended := make(chan struct{})
	go func() {
		s.open.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(patience / 4):
	}
}

func (s *streams) watch(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	stream, err := open(ctx, desc, cc, method, opts...)
	if err != nil || method != "/"+fnpb.BeamFnData_ServiceDesc.ServiceName+"/Data" {
		return stream, err
	}
	s.open.Add(1)
	return &dataStream{ClientStream: stream, ended: sync.OnceFunc(s.open.Done)}, nil
}

// dataStream says when it has ended, and calls that canceled: Beam's harness would warn of any other end.
type dataStream struct {
	grpc.ClientStream
	ended func()
}

func (d *dataStream) RecvMsg(m any) error {
	err := d.ClientStream.RecvMsg(m)
	if err != nil {
		d.ended()
	}
	if errors.Is(err, io.EOF) {
		return status.FromContextError(context.Canceled).Err()
	}
	return err
}
