package kafkatest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// settings returns a broker's server.properties. Every broker is a controller too.
func (n *Node) settings() string {
	c := n.cluster
	replicas := min(c.options.Brokers, 3)
	inSync := min(replicas, 2)
	if replicas == 2 {
		inSync = 1 // or one broker could not go on without the other
	}
	var voters []string
	for _, other := range c.nodes {
		voters = append(voters, fmt.Sprintf("%d@127.0.0.1:%d", other.ID, other.controller))
	}
	listeners := fmt.Sprintf("PLAIN://127.0.0.1:%d", n.plain)
	protocols := "PLAIN:PLAINTEXT,CONTROLLER:PLAINTEXT"
	if c.access.protocol != "" {
		listeners += fmt.Sprintf(",SECURE://127.0.0.1:%d", n.secure)
		protocols += ",SECURE:" + c.access.protocol
	}
	all := map[string]any{
		"process.roles":                  "broker,controller",
		"node.id":                        n.ID,
		"controller.quorum.voters":       strings.Join(voters, ","),
		"listeners":                      fmt.Sprintf("%s,CONTROLLER://127.0.0.1:%d", listeners, n.controller),
		"advertised.listeners":           listeners,
		"controller.listener.names":      "CONTROLLER",
		"listener.security.protocol.map": protocols,
		"inter.broker.listener.name":     "PLAIN",
		"log.dirs":                       n.folder + "/data",

		// Small: tests run several brokers on two processors.
		"num.network.threads":                              2,
		"num.io.threads":                                   4,
		"log.cleaner.enable":                               false,
		"log.segment.bytes":                                64 << 20,
		"offsets.topic.num.partitions":                     4,
		"transaction.state.log.num.partitions":             4,
		"offsets.topic.replication.factor":                 replicas,
		"transaction.state.log.replication.factor":         replicas,
		"share.coordinator.state.topic.replication.factor": replicas,
		"default.replication.factor":                       replicas,
		"transaction.state.log.min.isr":                    inSync,
		"share.coordinator.state.topic.min.isr":            inSync,
		"min.insync.replicas":                              inSync,

		// Quick: a group begins with its first member, a broker that was killed is missed soon, and
		// transactions of a program that was killed do not hold up readers for a minute.
		"group.initial.rebalance.delay.ms":                            0,
		"broker.session.timeout.ms":                                   6000,
		"broker.heartbeat.interval.ms":                                1000,
		"transaction.abort.timed.out.transaction.cleanup.interval.ms": 1000,
		"group.min.session.timeout.ms":                                1000,
		"auto.create.topics.enable":                                   false,
		"message.max.bytes":                                           8 << 20,
		"log.message.timestamp.type":                                  "CreateTime",
		"log.retention.ms":                                            -1, // records of tests have timestamps of their own
		"log.message.timestamp.before.max.ms":                         int64(1<<63 - 1),
	}
	maps.Copy(all, c.access.settings)
	for name, value := range c.options.Settings {
		all[name] = value
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&b, "%s=%v\n", name, all[name])
	}
	return b.String()
}
