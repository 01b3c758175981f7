// What is plotted, for a gateway and for a stream.

import { bytes, count, none, rate, short, span, time } from "./format.js";
import { Plot } from "./plot.js";

const latency = (q) => ({
  title: "Latency " + q, log: true, format: time, quiet: "No request was forwarded in this time",
  hint: () => (q === "p50" ? "half of the requests are faster" : "99 of 100 requests are faster"),
  lines: [
    { name: "in all", series: "latency.total." + q, shape: "ink" }, { name: "upstream", series: "latency.upstream." + q, shape: "c2 dotted" },
    { name: "ours", series: "latency.own." + q, shape: "c1" }, { name: "verdict", series: "latency.inspect." + q, shape: "c4 dashed" },
    { name: "reading", series: "latency.read." + q, shape: "c3 dashed" },
  ],
});

// age is a time of seconds in little space.
const age = (v) => (v >= 600 ? span(v) : short(v) === none ? none : short(v) + " s");

const memory = {
  title: "Memory", format: bytes, binary: true, least: 8 << 20, hint: (s) => count(s.column("goroutines").at(-1)) + " goroutines",
  lines: [{ name: "resident", series: "memory", shape: "c1" }, { name: "heap in use", series: "heap", shape: "c3 dashed" }],
};

const gateway = () => [
  {
    title: "Requests", stacked: true, format: rate, quiet: "No requests in this time", hint: () => "a second, by what became of them",
    lines: [
      { name: "forwarded", series: "requests.forwarded", shape: "c1" }, { name: "passed unread", series: "requests.passthrough", shape: "c3" },
      { name: "refused", series: "requests.refused", shape: "c4" }, { name: "malformed", series: "requests.malformed", shape: "c6" },
      { name: "rejected", series: "requests.rejected", shape: "c7" }, { name: "shed", series: "requests.shed", shape: "c5" },
      { name: "failed", series: "requests.failed", shape: "c2" }, { name: "withheld", series: "requests.withheld", shape: "ink" },
    ],
  },
  latency("p99"),
  {
    title: "In flight", format: short, least: 4, hint: (s) => "requests at the same time; " + rate(s.latest("requests.shed")) + " shed",
    lines: [{ name: "in flight", series: "in_flight", shape: "c1", area: true }, { name: "limit", series: "overload_limit", shape: "c2 dashed", optional: true }],
  },
  latency("p50"),
  {
    title: "Connections", format: count, least: 4, hint: () => "open, on both sides",
    lines: [{ name: "from senders", series: "connections", shape: "c1" }, { name: "to upstreams", series: "upstream_connections", shape: "c2 dashed" }],
  },
  memory,
];

const stream = (flow) => [
  {
    title: "Records", stacked: true, format: rate, quiet: "No record was delivered in this time", hint: () => "delivered a second, by what became of them",
    lines: [
      { name: "accepted", series: "records.accepted", shape: "c1" }, { name: "dead letters", series: "records.refused", shape: "c4" },
      { name: "undeliverable", series: "records.undeliverable", shape: "c2" },
    ],
  },
  {
    title: "Lag", format: flow.bytes ? bytes : short, binary: flow.bytes, least: flow.bytes ? 1 << 10 : 10, hint: () => (flow.bytes ? "bytes" : "records") + " that are not delivered yet",
    lines: [{ name: "lag", series: "lag", shape: "c1", area: true }],
  },
  ...(flow.upstream ? [
    {
      title: "Attempts", stacked: true, format: rate, quiet: "Nothing was posted in this time", hint: () => "to deliver a record to the upstream, a second",
      lines: [
        { name: "delivered", series: "attempts.delivered", shape: "c1" }, { name: "refused", series: "attempts.refused", shape: "c4" },
        { name: "failed", series: "attempts.failed", shape: "c2" }, { name: "late", series: "attempts.late", shape: "c5" },
        { name: "unreachable", series: "attempts.unreachable", shape: "c7" },
      ],
    },
    {
      title: "Latency of the upstream", log: true, format: time, quiet: "Nothing was answered in this time", hint: () => "of attempts that it has answered",
      lines: [{ name: "p99", series: "upstream.p99", shape: "c2" }, { name: "p50", series: "upstream.p50", shape: "c1 dashed" }],
    },
  ] : [
    { title: "Read", format: (v) => bytes(v) + "/s", binary: true, least: 1 << 10, hint: () => "values of delivered records", lines: [{ name: "read", series: "read_bytes", shape: "c1", area: true }] },
    {
      title: "In flight", format: bytes, binary: true, least: 1 << 10, hint: (s) => "read and not delivered yet; at most " + bytes(s.column("in_flight_bytes_max").at(-1)),
      lines: [{ name: "in flight", series: "in_flight_bytes", shape: "c1", area: true }],
    },
  ]),
  {
    title: "Time since the last commit", format: age, least: 10, quiet: "Nothing was committed yet", hint: () => "grows while there is nothing to commit",
    lines: [{ name: "age", series: "commit_age", shape: "c1" }],
  },
  memory,
];

// plotsOf returns the plots of a service.
export function plotsOf(d) {
  return (d.kind === "stream" ? stream(d.flow) : gateway()).map((o) => new Plot(o));
}
