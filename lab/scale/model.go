package scale

import (
	"cmp"
	"math"
	"slices"
)

// limit is a resource of a group of machines, and how many of them it asks for on its own.
type limit struct {
	resource string
	machines float64
	need     float64 // in all, before the utilisation
	unit     string
}

// fleet is a number of machines of one kind, as many as their scarcest resource asks for.
type fleet struct {
	machines int
	limits   []limit // the scarcest first
}

func newFleet(limits ...limit) fleet {
	slices.SortStableFunc(limits, func(a, b limit) int { return cmp.Compare(b.machines, a.machines) })
	return fleet{int(math.Ceil(limits[0].machines)), limits}
}

// plan is what a way takes for a workload.
type plan struct {
	way        *way
	rate       float64 // documents/s
	micros     float64 // of a core for a document, in processes of rtbwire
	busy       float64 // cores that work
	cores      float64 // cores to have
	machines   fleet   // that run rtbwire
	brokers    fleet   // none without Kafka
	partitions int
	instances  int
	in, out    float64 // Gbit/s of the machines that run rtbwire
	memory     float64 // GiB of all processes of rtbwire
	storage    float64 // TB, of topics or of files
}

// way is how requests come.
type way struct {
	name, text string
	plan       func(*inputs, load) plan
}

// load is a workload as a rate.
type load struct {
	rate    float64 // documents/s
	seconds float64 // how long, if that is less than a day
}

// ways are the three of them; two have two forms.
var ways = []*way{
	{"http", "HTTP, `rtbwire serve`", httpPlan},
	{"kafka", "Kafka, `rtbwire stream`, at least once", func(in *inputs, l load) plan { return kafkaPlan(in, l, "stream_micros") }},
	{"kafka-once", "Kafka, `rtbwire stream --exactly-once`", func(in *inputs, l load) plan { return kafkaPlan(in, l, "stream_once_micros") }},
	{"files", "files, `rtbwire check --format parquet`", filesPlan},
	{"engine", "files, `rtbwire filter` under Spark", enginePlan},
}

// loadOf returns the load of a workload.
func (in *inputs) loadOf(w workload) load {
	if w.Rate > 0 {
		return load{w.Rate, math.Inf(1)}
	}
	seconds := in.get("log_hours") * 3600
	return load{w.Terabytes * 1e12 / in.get("request_bytes") / seconds, seconds}
}

// plans computes all of them, by workload.
func (in *inputs) plans() (list [][]plan) {
	for _, w := range in.Workloads {
		var own []plan
		for _, way := range ways {
			l := in.loadOf(w)
			p := way.plan(in, l)
			p.way, p.rate = way, l.rate
			own = append(own, p)
		}
		list = append(list, own)
	}
	return list
}

// The resources.
const (
	processors = "processors"
	memory     = "memory"
	networkIn  = "network, in"
	networkOut = "network, out"
	diskWrites = "disk writes"
	storage    = "storage"
	zones      = "zones"
)

const micro = 1e-6

// gigabits turns bytes a second into Gbit/s.
func gigabits(bytes float64) float64 { return bytes * 8 / 1e9 }

// zones asks for a machine in each zone.
func (in *inputs) zones() limit {
	least := in.get("least_machines")
	return limit{zones, least, least, "of them"}
}

// machines is the fleet for a load of cores, Gbit/s and GiB.
func (in *inputs) machines(busy, inbound, outbound, gib float64) fleet {
	use := in.get("utilisation")
	return newFleet(
		limit{processors, busy / use / in.get("machine_cores"), busy, "cores"},
		limit{networkIn, inbound / use / in.get("machine_network"), inbound, "Gbit/s"},
		limit{networkOut, outbound / use / in.get("machine_network"), outbound, "Gbit/s"},
		limit{memory, gib / use / in.get("machine_memory"), gib, "GiB"},
		in.zones(),
	)
}

// httpPlan: a request comes in and goes on, and so does its answer.
func httpPlan(in *inputs, l load) (p plan) {
	rate := l.rate
	p.micros = in.get("http_micros")
	p.busy = rate * p.micros * micro
	p.cores = p.busy / in.get("utilisation")
	through := gigabits(rate * (in.get("request_bytes") + in.get("http_head_bytes") + in.get("http_answer_bytes")))
	p.in, p.out = through, through
	// What is on its way has a connection of its own on each side.
	p.memory = rate * in.get("http_latency") / in.get("http_memory_connections") * in.get("http_memory") / 1024
	p.machines = in.machines(p.busy, p.in, p.out, p.memory)
	p.instances = p.machines.machines
	return p
}

// kafkaPlan: a record is produced, fetched by the stream, produced by it, and fetched by the
// auction. All copies of it are written, and all but the first are fetched by their brokers.
func kafkaPlan(in *inputs, l load, micros string) (p plan) {
	rate := l.rate
	use, stored, topics, replicas := in.get("utilisation"), in.get("kafka_stored_bytes"), in.get("kafka_topics"), in.get("kafka_replicas")
	p.micros = in.get(micros)
	p.busy = rate * p.micros * micro
	p.cores = p.busy / use
	p.in, p.out = gigabits(rate*stored), gigabits(rate*stored)
	p.instances = int(math.Ceil(p.cores / in.get("stream_instance_cores")))
	p.memory = float64(p.instances) * in.get("stream_memory") / 1024
	p.machines = in.machines(p.busy, p.in, p.out, p.memory)

	p.partitions = int(math.Ceil(max(p.cores*in.get("kafka_partition_slack"), rate*stored/1e6/in.get("kafka_partition_bytes"))))
	busy := rate * in.get("kafka_broker_micros") * micro * topics * (1 + in.get("kafka_follower_cost")*(replicas-1))
	written := rate * stored * topics * replicas
	p.storage = rate * stored * topics * replicas * min(in.get("kafka_retention_hours")*3600, l.seconds) / 1e12
	cache := written * in.get("kafka_cache_seconds") / (1 << 30)
	p.brokers = newFleet(
		limit{processors, busy / use / in.get("machine_cores"), busy, "cores"},
		limit{networkIn, gigabits(written) / use / in.get("machine_network"), gigabits(written), "Gbit/s"},
		limit{networkOut, gigabits(written) / use / in.get("machine_network"), gigabits(written), "Gbit/s"}, // replicas-1 to followers, one to a reader
		limit{diskWrites, written / 1e6 / use / in.get("kafka_broker_disk"), written / 1e6, "MB/s"},
		limit{storage, p.storage / in.get("kafka_broker_storage"), p.storage, "TB"},
		limit{memory, cache / in.get("machine_memory"), cache, "GiB of page cache"},
		in.zones(),
	)
	return p
}

// filesPlan: files are read from storage, rows are written to it.
func filesPlan(in *inputs, l load) (p plan) {
	p.micros = in.get("check_micros")
	return in.filePlan(p, l, in.get("check_memory"))
}

// enginePlan: the same, with Spark's own work beside the filter's.
func enginePlan(in *inputs, l load) (p plan) {
	p.micros = in.get("filter_micros") + in.get("spark_micros")
	return in.filePlan(p, l, in.get("filter_memory")+in.get("spark_executor_memory")/in.get("spark_executor_cores"))
}

// filePlan completes a plan for files: a process for each core, of so many MiB.
func (in *inputs) filePlan(p plan, l load, mib float64) plan {
	p.busy = l.rate * p.micros * micro
	p.cores = p.busy / in.get("utilisation")
	p.in, p.out = gigabits(l.rate*in.get("file_stored_bytes")), gigabits(l.rate*in.get("parquet_bytes"))
	p.instances = int(math.Ceil(p.cores))
	p.memory = float64(p.instances) * mib / 1024
	p.machines = in.machines(p.busy, p.in, p.out, p.memory)
	p.storage = l.rate * min(in.get("day_seconds"), l.seconds) * (in.get("file_stored_bytes") + in.get("parquet_bytes")) / 1e12
	return p
}
