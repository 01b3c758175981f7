package scale

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/rtbwire/rtbwire/lab/figures"
	"github.com/rtbwire/rtbwire/lab/gateway"
	"github.com/rtbwire/rtbwire/lab/measure"
)

// Where inputs and results are, from the folder lab.
const (
	InputsFile    = "scale/inputs.json"
	resultsFolder = "results"
)

// Input is a number of the arithmetic: measured, or assumed.
type Input struct {
	// Figure is the name of a measured figure; Value is then what was measured.
	Figure string  `json:"figure"`
	Value  float64 `json:"value"`
	Unit   string  `json:"unit"`
	Why    string  `json:"why"`
}

// workload is what is to be done.
type workload struct {
	Name      string  `json:"name"`
	About     string  `json:"about"`
	Rate      float64 `json:"requests_per_second"` // or
	Terabytes float64 `json:"terabytes"`           // of text
}

// inputs are what is computed with. Names that are asked for and do not exist are noted, and so are
// those that are not used.
type inputs struct {
	Workloads []workload        `json:"workloads"`
	Inputs    map[string]*Input `json:"inputs"`

	asked    map[string]bool
	problems []error
	measured []*figures.File // that figures are from
	gateway  gateway.Part    // that processor time of the gateway is from
}

// read reads the inputs, and the figures that they name.
func read(file, folder string) (*inputs, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	in := &inputs{asked: map[string]bool{}}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(in); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	all, err := figures.ReadFolder(folder)
	if err != nil {
		return nil, err
	}
	served, cost, err := gatewayFigures(filepath.Join(folder, filepath.Base(gateway.ResultsFile)))
	if err != nil {
		return nil, err
	}
	in.gateway = cost
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(in.Inputs)) {
		i := in.Inputs[name]
		switch f := all[i.Figure]; {
		case i.Why == "":
			errs = append(errs, fmt.Errorf("%s: the input %s has no reason", file, name))
		case i.Figure == "" && i.Value <= 0:
			errs = append(errs, fmt.Errorf("%s: the input %s is %v (want more than 0, or a figure)", file, name, i.Value))
		case i.Figure == "":
		case i.Value != 0:
			errs = append(errs, fmt.Errorf("%s: the input %s has a value and a figure", file, name))
		case f != nil:
			if i.Value = f.Figures[i.Figure].Value; !slices.Contains(in.measured, f) {
				in.measured = append(in.measured, f)
			}
		default:
			var ok bool
			if i.Value, ok = served[i.Figure]; !ok {
				errs = append(errs, fmt.Errorf("%s: the input %s: no file of %s has the figure %s", file, name, folder, i.Figure))
			}
		}
	}
	return in, errors.Join(errs...)
}

// get returns an input.
func (in *inputs) get(name string) float64 {
	in.asked[name] = true
	i := in.Inputs[name]
	if i == nil {
		in.problems = append(in.problems, fmt.Errorf("there is no input %s", name))
		return 1
	}
	return i.Value
}

// check returns what is wrong with the names that were asked for.
func (in *inputs) check() error {
	errs := in.problems
	for _, name := range slices.Sorted(maps.Keys(in.Inputs)) {
		if !in.asked[name] {
			errs = append(errs, fmt.Errorf("nothing asks for the input %s", name))
		}
	}
	return errors.Join(errs...)
}

// gatewayFigures are medians of the gateway's results, which have a form of their own:
// gateway/cost/CONTESTANT/BODY/cpu, gateway/memory/CONTESTANT. And where and
// when the processor time was measured.
func gatewayFigures(file string) (named map[string]float64, cost gateway.Part, err error) {
	r, err := gateway.Load(file)
	if err != nil {
		return nil, cost, err
	}
	values := map[string][]float64{}
	for i := range r.Samples {
		s := &r.Samples[i]
		switch {
		case s.Invalid != "":
		case s.Part == "cost" && s.Offered == 0: // all connections busy
			name := figures.Name("gateway/cost", s.Contestant, s.Body, "cpu")
			values[name] = append(values[name], s.CPU)
		case s.Part == "memory":
			name := figures.Name("gateway/memory", s.Contestant)
			values[name] = append(values[name], s.Resident)
		}
	}
	out := map[string]float64{}
	for name, list := range values {
		out[name], _, _ = measure.Median(list)
	}
	return out, r.Parts["cost"], nil
}
