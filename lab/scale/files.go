package scale

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/rtbwire/rtbwire/internal/traffic/simulate"
	"github.com/rtbwire/rtbwire/lab/figures"
	"github.com/rtbwire/rtbwire/lab/process"
	"github.com/rtbwire/rtbwire/lab/stream"
)

// filesResults is where figures about files are kept, from the folder lab.
const filesResults = "results/files.json"

// roundsMin is how many rounds figures have that are not preliminary.
const roundsMin = 10

// measurement measures what files cost, on one core.
type measurement struct {
	rounds, documents, core int
	out, rtbwire            string
	log                     io.Writer
	dir                     string
}

// Files of a measurement.
const (
	textFile    = "bids.ndjson"
	zstdFile    = "bids.ndjson.zst"
	parquetFile = "verdicts.parquet"
)

// programs are what is measured.
var programs = []struct {
	name    string
	args    []string // after rtbwire
	stdin   string   // "" for none
	refusal int      // the exit status that says that something was refused
}{
	{"check", []string{"check", "--quiet", "--config", stream.FullConfig, zstdFile}, "", 1},
	{"parquet", []string{"check", "--format", "parquet", "--output", parquetFile, "--config", stream.FullConfig, zstdFile}, "", 1},
	{"filter", []string{"filter", "--emit", "verdict", "--config", stream.FullConfig}, textFile, 0},
}

func (m *measurement) run(ctx context.Context) (err error) {
	if m.dir, err = os.MkdirTemp("", "rtbwire-files-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(m.dir)) }()
	r := figures.Begin("cd lab && go run . scale files")
	if m.rtbwire == "" {
		m.rtbwire = filepath.Join(m.dir, "rtbwire")
		build := exec.CommandContext(ctx, "go", "build", "-o", m.rtbwire, "./cmd/rtbwire")
		build.Dir = ".."
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("building rtbwire: %w\n%s", err, out)
		}
	}
	if err := stream.Configure(m.dir); err != nil {
		return err
	}
	if err := m.write(ctx, r); err != nil {
		return err
	}
	values := map[string][]float64{}
	for round := -1; round < m.rounds; round++ { // the first one reads the files into the cache
		for _, p := range programs {
			cpu, peak, err := m.measure(ctx, p.args, p.stdin, p.refusal)
			if err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
			if round < 0 {
				continue
			}
			micros := cpu.Seconds() * 1e6 / float64(m.documents)
			fmt.Fprintf(m.log, "round %d of %d: %-8s %5.2f µs a document, %.0f MiB\n", round+1, m.rounds, p.name, micros, peak)
			values[p.name+"/cpu"] = append(values[p.name+"/cpu"], micros)
			values[p.name+"/memory"] = append(values[p.name+"/memory"], peak)
		}
	}
	for _, p := range programs {
		r.Median(figures.Name("files", p.name, "cpu"), values[p.name+"/cpu"], "µs")
		r.Median(figures.Name("files", p.name, "memory"), values[p.name+"/memory"], "MiB")
	}
	rows, err := os.Stat(filepath.Join(m.dir, parquetFile))
	if err != nil {
		return err
	}
	r.Figures["files/parquet/stored"] = figures.Exactly(float64(rows.Size())/float64(m.documents), "B")
	if m.rounds < roundsMin {
		r.Preliminarily(fmt.Sprintf("there were %d rounds, not %d", m.rounds, roundsMin))
	}
	return r.End(m.out)
}

// write writes the documents, as text and compressed.
func (m *measurement) write(ctx context.Context, r *figures.Run) (err error) {
	g, err := simulate.New(stream.Traffic)
	if err != nil {
		return err
	}
	text, err := os.Create(filepath.Join(m.dir, textFile))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, text.Close()) }()
	packed, err := os.Create(filepath.Join(m.dir, zstdFile))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, packed.Close()) }()
	z, err := zstd.NewWriter(packed)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(io.MultiWriter(text, z))
	done, err := g.Write(ctx, simulate.Output{Requests: w, Count: uint64(m.documents)})
	if err = errors.Join(err, w.Flush(), z.Close()); err != nil {
		return err
	}
	size, err := packed.Seek(0, io.SeekCurrent)
	r.Figures["files/input/documents"] = figures.Exactly(float64(m.documents), "")
	r.Figures["files/input/bytes"] = figures.Exactly(float64(done.Bytes)/float64(m.documents), "B")
	r.Figures["files/input/stored"] = figures.Exactly(float64(size)/float64(m.documents), "B")
	return err
}

// measure runs rtbwire on one core, and returns its processor time and the most memory that it had,
// in MiB.
func (m *measurement) measure(ctx context.Context, args []string, stdin string, refusal int) (cpu time.Duration, peak float64, err error) {
	c := process.Command(ctx, process.Core(m.core), append([]string{m.rtbwire}, args...)...)
	c.Dir = m.dir
	if stdin != "" {
		f, err := os.Open(filepath.Join(m.dir, stdin))
		if err != nil {
			return 0, 0, err
		}
		defer f.Close()
		c.Stdin = f
	}
	sink, err := os.Create(filepath.Join(m.dir, "output"))
	if err != nil {
		return 0, 0, err
	}
	defer sink.Close()
	c.Stdout, c.Stderr = sink, m.log
	err = c.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == refusal {
		err = nil
	}
	if err != nil {
		return 0, 0, err
	}
	state := c.ProcessState
	if u, ok := state.SysUsage().(*syscall.Rusage); ok {
		peak = float64(u.Maxrss) / 1024 // Linux: KiB
	}
	return state.UserTime() + state.SystemTime(), peak, nil
}
