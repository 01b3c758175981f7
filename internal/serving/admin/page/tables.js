// Tables, and the tiles above them.

import { bytes, clock, count, day, none, percent, rate, span } from "./format.js";
import { make, show, table } from "./dom.js";

const reasonsMax = 12; // rows; /live has more
const sumShort = 12; // digits of a sum that people compare
const requestStatuses = ["forwarded", "refused", "malformed", "rejected", "shed", "failed", "withheld"];

function quiet(text) {
  return make("p", { class: "quiet" }, text);
}

const code = (text) => make("code", {}, text);
const state = (kind, text) => make("span", { class: "state " + kind }, text);
const explained = (name, text) => make("div", {}, code(name), text ? make("div", { class: "facts" }, text) : null);
const at = (text) => make("time", { datetime: text }, day(Date.parse(text)) + clock(Date.parse(text)));

// reasons shows what refuses, with bars, and what would refuse if it were not only observed.
export function reasons(rows, text, caption = text) {
  if (rows.length === 0) return quiet(text);
  const would = rows.some((r) => r.would_refuse > 0);
  const byRate = rows.some((r) => r.per_second + r.would_refuse_per_second > 0);
  const size = (r) => (byRate ? r.per_second + r.would_refuse_per_second : r.total + r.would_refuse);
  const most = Math.max(...rows.map(size));
  const shown = rows.slice(0, rows.length > reasonsMax ? reasonsMax - 1 : reasonsMax);
  const rest = rows.slice(shown.length);
  if (rest.length > 0) {
    const sum = (of) => rest.reduce((sum, r) => sum + of(r), 0);
    shown.push({ reason: "all others", per_second: sum((r) => r.per_second), total: sum((r) => r.total),
      would_refuse: sum((r) => r.would_refuse), would_refuse_per_second: sum((r) => r.would_refuse_per_second) });
  }
  const columns = [{ title: "Reason", class: "reason line" }, { title: "", class: "bar" }, { title: "Now", class: "number" }, { title: "Since start", class: "number" }];
  if (would) columns.push({ title: "Would refuse now", class: "number wide" }, { title: "Would refuse", class: "number" });
  return table(caption, columns, shown.map((r) => {
    const cells = [explained(r.reason, r.text), make("meter", { min: 0, max: Math.max(most, size(r)), value: size(r), "aria-hidden": "true" }), rate(r.per_second), count(r.total)];
    if (would) cells.push(rate(r.would_refuse_per_second), count(r.would_refuse));
    return cells;
  }));
}

// rules shows rules whose conditions have no value for some requests.
export function rules(rows) {
  return table("Rules that can't decide", [
    { title: "Rule", class: "reason line" }, { title: "Partner" }, { title: "Share", class: "number" }, { title: "Now", class: "number wide" }, { title: "Since start", class: "number" },
  ], rows.map((r) => [
    make("div", {}, state(r.broken ? "bad" : "good", code(r.rule)), r.text ? make("div", { class: "facts" }, r.text) : null),
    r.partner || none, percent(r.share, 1), rate(r.per_second), count(r.total),
  ]));
}

// addressStates are what the states of addresses mean.
const addressStates = {
  healthy: ["good", "healthy"], warming: ["good", "slow start"], open: ["bad", "left alone"], ejected: ["bad", "ejected"], failing: ["bad", "fails its checks"],
};

function addressState(a) {
  const [kind, text] = addressStates[a.state] ?? ["warn", a.state];
  return state(kind, a.until ? text + " until " + clock(Date.parse(a.until)) : text);
}

export function upstreams(rows) {
  if (rows.length === 0) return quiet("None.");
  const columns = [
    { title: "Upstream", class: "line" }, { title: "State" }, { title: "Weight", class: "number wide" }, { title: "Share", class: "number" }, { title: "In flight", class: "number wide" },
    { title: "Connections", class: "number wide" }, { title: "Requests", class: "number" }, { title: "Failures", class: "number" },
  ];
  return table("Upstreams", columns, rows.flatMap((u) => {
    const single = u.addresses.length === 1 && !u.drained;
    const own = single ? addressState(u.addresses[0]) : u.drained ? state("drained", "drained") : u.healthy ? state("good", "healthy") : state("bad", "failing");
    const share = u.apart ? "apart" : u.addresses.length === 0 ? none : percent(u.addresses.reduce((sum, a) => sum + a.share, 0), 1);
    const name = u.name.replace(/^http:\/\//, "");
    const lines = [[code(name), own, u.weight ? count(u.weight) : none, share, count(u.in_flight), count(u.connections), rate(u.per_second),
      u.failures > 0 ? rate(u.failures_per_second) : "0"]];
    if (u.addresses.length > 1) {
      for (const a of u.addresses) {
        lines.push(make("tr", { class: "sub" }, ...[code(a.address), addressState(a), "", percent(a.share, 1), count(a.in_flight), count(a.connections), "", ""].map(
          (content, i) => make("td", { class: columns[i].class ?? "" }, content))));
      }
    }
    return lines;
  }));
}

const actions = { block: "blocked", drain: "drained", observe: "observed" };

export function overrides(rows) {
  return table("Changes by operators", [{ title: "Change" }, { title: "Name" }, { title: "Until", class: "moment" }, { title: "By", class: "wide" }, { title: "Note", class: "wide" }],
    rows.map((o) => [o.kind + " " + (actions[o.action] ?? o.action), code(o.name), at(o.until), o.by, o.note ?? ""]));
}

// partners shows the partners. One of them is open: its reasons and rules are below it. Buttons have
// the name in data-open.
export function partners(rows, open, opened) {
  const columns = [
    { title: "Partner", class: "line" }, { title: "Requests", class: "number" }, { title: "Forwarded", class: "number" }, { title: "Refused", class: "number" },
    { title: "Shed", class: "number wide" }, { title: "Failed", class: "number wide" }, { title: "Would refuse", class: "number wide" }, { title: "Since start", class: "number wide" },
  ];
  return table("Partners", columns, rows.flatMap((p) => {
    const of = (list, ...statuses) => statuses.reduce((sum, s) => sum + (list[s] ?? 0), 0);
    const all = of(p.per_second, ...requestStatuses);
    const isOpen = p.name === open;
    const button = make("button", { type: "button", class: "open", "data-open": p.name, "aria-expanded": String(isOpen) }, code(p.name));
    const lines = [[button, rate(all), percent(of(p.per_second, "forwarded"), all), percent(of(p.per_second, "refused", "malformed", "rejected", "withheld"), all),
      percent(of(p.per_second, "shed"), all), percent(of(p.per_second, "failed"), all), count(p.would_refuse), count(of(p.totals, ...requestStatuses))]];
    if (isOpen) {
      const about = opened?.name === open ? detail(p, opened) : quiet("…");
      lines.push(make("tr", { class: "detail" }, make("td", { colspan: columns.length }, about)));
    }
    return lines;
  }));
}

// detail is what there is to say about a partner.
function detail(p, d) {
  const totals = requestStatuses.filter((s) => p.totals[s] > 0).map((s) => count(p.totals[s]) + " " + s);
  return make("div", {},
    make("p", { class: "facts" }, "Since the start: " + (totals.join(", ") || "no request") + (p.would_refuse > 0 ? "; " + count(p.would_refuse) + " would be refused if they were not only observed" : "") + "."),
    reasons(d.reasons, "Nothing of this partner was refused since the start.", "Reasons of " + d.name),
    d.rule_errors.length > 0 ? make("div", {}, make("h3", {}, "Rules that can't decide"), rules(d.rule_errors)) : null);
}

// files shows what is read from files while requests are judged. now is the time of the numbers.
export function files(rows, now) {
  const age = (at) => (at ? span((now - Date.parse(at)) / 1000) : none);
  const is = (f) => {
    if (f.error) return state("bad", "not loaded again");
    if (f.old) return state("bad", "too old");
    if (f.problem) return state("warn", f.refused > 0 ? "without " + count(f.refused) + " of " + count(f.files) + " files" : "without " + count(f.skipped) + " entries");
    return state("good", "in use");
  };
  return table("Files that are followed", [
    { title: "File", class: "line" }, { title: "State", class: "is" }, { title: "Entries", class: "number" }, { title: "Age", class: "number" },
    { title: "Loaded", class: "number wide" }, { title: "Last failure", class: "number wide" }, { title: "Path", class: "path wide" },
  ], rows.flatMap((f) => {
    const lines = [[code(f.kind === f.name ? f.kind : f.kind + " " + f.name), is(f), count(f.entries), age(f.modified),
      f.loaded ? age(f.loaded) + " ago" : none, f.failures > 0 ? age(f.failed) + " ago" : none, code(f.path)]];
    if (f.error || f.problem) lines.push(make("tr", { class: "sub" }, make("td", { colspan: 7, class: "facts" }, (f.error || f.problem).split("\n")[0])));
    return lines;
  }));
}

// configuration shows which configurations are in use.
export function configuration(own, candidate) {
  const line = (what, c) => [what, count(c.generation), at(c.loaded), c.by || none,
    c.files.length === 0 ? "no file: flags and environment" : make("div", {}, ...c.files.map((f) => make("div", { class: "file" }, code(f.path), f.sha256 ? make("span", { class: "facts", title: "sha256 " + f.sha256 }, " sha256 " + f.sha256.slice(0, sumShort)) : null)))];
  return table("Configurations", [{ title: "Configuration" }, { title: "Number", class: "number" }, { title: "Loaded", class: "moment" }, { title: "By" }, { title: "File", class: "path line" }],
    [line("in use", own), ...(candidate ? [line("candidate", candidate.configuration)] : [])]);
}

// changes are what a candidate would change.
const changes = {
  "to-refuse": "refuses, forwarded now", "to-forward": "forwards, refused now", "other-reason": "refuses for another reason",
  "observed-refuse": "would refuse, observed only", "observed-forward": "would forward, observed only",
};

// candidate shows what a second configuration would do.
export function candidate(c, thing) {
  const all = Object.values(c.requests).reduce((sum, n) => sum + n, 0);
  const text = "The candidate has judged " + count(all) + " " + thing + (all === 1 ? "" : "s") + ", " + count(all - (c.requests.same ?? 0)) + " of them otherwise.";
  return make("div", {}, make("h3", {}, "What the candidate would change"), make("p", { class: "facts" }, text),
    c.changes.length === 0 ? null : table("What the candidate would change", [{ title: "Change", class: "line" }, { title: "Reason", class: "reason line" }, { title: "Now", class: "number" }, { title: "Since start", class: "number" }],
      c.changes.map((r) => [changes[r.change] ?? r.change, explained(r.reason, r.text), rate(r.per_second), count(r.total)])));
}

// ends shows where a stream reads and writes.
export function ends(rows) {
  return table("Source and destinations", [
    { title: "", class: "role" }, { title: "Where", class: "path line" }, { title: "State" }, { title: "Now", class: "number" }, { title: "Since start", class: "number" }, { title: "Failures", class: "number wide" },
  ], rows.map((e) => [e.role, code(e.name), state(e.state, e.text), rate(e.per_second), count(e.total), e.failures_per_second > 0 ? rate(e.failures_per_second) : count(e.failures)]));
}

// lanes shows the partitions or files that a stream reads.
export function lanes(rows, flow) {
  if (rows.length === 0) return quiet("Nothing is read yet.");
  const amount = (v) => (v < 0 ? none : flow.bytes ? bytes(v) : count(v));
  const moment = (v) => (v < 0 ? none : count(v));
  return table(flow.bytes ? "Files that are read" : "Topics and partitions", [
    { title: flow.bytes ? "File" : "Topic", class: flow.bytes ? "path line" : "path" }, ...(flow.bytes ? [] : [{ title: "Partition", class: "number" }]), { title: "Lag", class: "number" }, { title: "Behind", class: "number" },
    { title: "Now", class: "number" }, { title: flow.bytes ? "Byte" : "Offset", class: "number wide" }, { title: "Committed", class: "number wide" },
  ], rows.map((l) => [code(l.name), ...(flow.bytes ? [] : [l.partition]), amount(l.lag), l.behind < 0 ? (l.lag > 0 && l.per_second === 0 ? "stands still" : none) : l.behind === 0 ? "0" : span(Math.ceil(l.behind)),
    l.per_second < 0 ? none : flow.bytes ? bytes(l.per_second) + "/s" : rate(l.per_second), moment(l.position), moment(l.committed)]));
}

// tiles shows the numbers of now.
export function tiles(parent, list) {
  show(parent, ...list.map((t) => make("dl", { class: "card", "data-state": t.state }, make("dt", {}, t.title), make("dd", { class: "value" }, t.value),
    ...t.notes.map((n) => make("dd", { class: "note" }, n)))));
}
