package report

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
)

// Machine describes the machine and the build of a run.
type Machine struct {
	CPU        string
	Cores      int
	Features   []string `json:",omitempty"` // vector instructions that matter here
	OS, Arch   string
	Go         string
	Flags      []string // build settings and environment that change speed
	Commit     string
	Dirty      bool    // the tree has changes that are not committed
	Core       string  // the core that measurements of one goroutine ran on; "" if any
	Others     string  // how many cores other processes kept busy during the run; "" if not known
	Stolen     string  `json:",omitempty"` // share of its processor time that other virtual machines took; "" if not known
	LoadBefore float64 // processes that wanted a core, mean of a minute
	LoadAfter  float64
}

// stolenShare is the share of a run's processor time that other virtual machines may take.
const stolenShare = 0.01

// SetStolen notes what other virtual machines took of the processor time of a run.
func (m *Machine) SetStolen(share float64) { m.Stolen = strconv.FormatFloat(share, 'f', 4, 64) }

// Disturbed says what other virtual machines took if that was too much, "" if it was not.
func (m *Machine) Disturbed() string {
	if share, ok := m.StolenShare(); ok && share > stolenShare {
		return fmt.Sprintf("other virtual machines took %.1f%% of the processor time, more than %.0f%%", 100*share, 100*stolenShare)
	}
	return ""
}

// StolenShare returns what other virtual machines took, if that is known.
func (m *Machine) StolenShare() (share float64, known bool) {
	share, err := strconv.ParseFloat(m.Stolen, 64)
	return share, err == nil
}

// Look describes the machine.
func Look() Machine {
	m := Machine{
		CPU: "unknown", Cores: runtime.NumCPU(), OS: runtime.GOOS, Arch: runtime.GOARCH, Go: runtime.Version(),
		LoadBefore: Load(),
	}
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if name := regexp.MustCompile(`(?m)^model name\s*:\s*(.*)$`).FindSubmatch(text); name != nil {
			m.CPU = string(name[1])
		}
		if flags := regexp.MustCompile(`(?m)^(?:flags|Features)\s*:\s*(.*)$`).FindSubmatch(text); flags != nil {
			for f := range strings.FieldsSeq(string(flags[1])) {
				switch f {
				case "avx2", "bmi2", "avx512bw", "avx512_vbmi2", "asimd", "sve":
					m.Features = append(m.Features, f)
				}
			}
		}
	} else if out, err := exec.Command("sysctl", "-n", "machdep.cpu.brand_string").Output(); err == nil {
		m.CPU = strings.TrimSpace(string(out))
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "-tags", "-gcflags", "-ldflags", "GOAMD64", "GOARM64", "GOEXPERIMENT", "CGO_ENABLED", "-pgo":
				m.Flags = append(m.Flags, s.Key+"="+s.Value)
			}
		}
	}
	for _, name := range []string{"GOGC", "GOMEMLIMIT", "GOMAXPROCS", "GODEBUG"} {
		if v := os.Getenv(name); v != "" {
			m.Flags = append(m.Flags, name+"="+v)
		}
	}
	if out, err := exec.Command("git", "rev-parse", "--short=12", "HEAD").Output(); err == nil {
		m.Commit = strings.TrimSpace(string(out))
		status, err := exec.Command("git", "status", "--porcelain").Output()
		m.Dirty = err == nil && len(status) > 0
	}
	return m
}

// Load returns how many processes wanted a core in the last minute, 0 where that is not known.
func Load() float64 {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(text), " ")
	v, _ := strconv.ParseFloat(first, 64)
	return v
}

// Model says which processors these are: clouds give several generations the same name, and what
// their vectors can do tells them apart.
func (m *Machine) Model() string {
	if len(m.Features) == 0 {
		return m.CPU
	}
	return m.CPU + " (" + strings.Join(m.Features, ", ") + ")"
}

// Slug returns the name of the processor for use in file names.
func (m *Machine) Slug() string {
	name := regexp.MustCompile(`\(R\)|\(TM\)|CPU|Processor|@.*`).ReplaceAllString(m.CPU, "")
	return strings.Trim(regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(name), "-"), "-")
}
