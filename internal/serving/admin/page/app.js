// The page asks /live once a second and shows what it says. Nothing else is loaded.

import { bytes, clock, count, percent, rate, short, span, time } from "./format.js";
import { byID, make, set, write } from "./dom.js";
import { Cards, files, overrides, partners, reasons, rules, upstreams } from "./tables.js";
import { Judge } from "./judge.js";
import { Plot } from "./plot.js";
import { Rejects } from "./rejects.js";
import { Store } from "./store.js";

const pauseMs = 1000; // between two questions
const hiddenPauseMs = 5000; // while nobody looks
const answerMs = 5000; // for an answer
const lostMs = 2500; // without an answer, the gateway is lost

const store = new Store();
const cards = new Cards(byID("cards"));
const rejects = new Rejects(byID("rejects"), byID("newer"));
const page = { seconds: 300, paused: false, cursor: null, latest: null, since: 0, answered: 0, problem: "" };

const latency = (q) => ({
  title: "Latency " + q, log: true, format: time, quiet: "No request was forwarded in this time",
  hint: () => (q === "p50" ? "half of the requests are faster" : "99 of 100 requests are faster"),
  lines: [
    { name: "total", series: "latency.total." + q, shape: "ink" }, { name: "upstream", series: "latency.upstream." + q, shape: "c2 dotted" },
    { name: "inspect", series: "latency.inspect." + q, shape: "c1" }, { name: "read", series: "latency.read." + q, shape: "c3 dashed" },
    { name: "response", series: "latency.response." + q, shape: "c5 dashed", optional: true },
  ],
});

const plots = [
  new Plot({
    title: "Requests", stacked: true, format: rate, quiet: "No requests in this time", hint: () => "a second, by what became of them",
    lines: [
      { name: "forwarded", series: "requests.forwarded", shape: "c1" }, { name: "passed unread", series: "requests.passthrough", shape: "c3" },
      { name: "refused", series: "requests.refused", shape: "c4" }, { name: "malformed", series: "requests.malformed", shape: "c6" },
      { name: "rejected", series: "requests.rejected", shape: "c7" }, { name: "shed", series: "requests.shed", shape: "c5" },
      { name: "failed", series: "requests.failed", shape: "c2" }, { name: "withheld", series: "requests.withheld", shape: "ink" },
    ],
  }),
  new Plot(latency("p99")),
  new Plot({
    title: "Overload", format: short, log: true, floor: 1, hint: (s) => "requests at the same time; " + rate(s.latest("requests.shed")) + " shed",
    lines: [
      { name: "in flight", series: "in_flight", shape: "c1", area: true }, { name: "adaptive limit", series: "in_flight_limit", shape: "c2 dashed" },
    ],
  }),
  new Plot(latency("p50")),
  new Plot({
    title: "Connections", format: count, least: 4, hint: () => "open, on both sides",
    lines: [{ name: "from senders", series: "connections", shape: "c1" }, { name: "to upstreams", series: "upstream_connections", shape: "c2 dashed" }],
  }),
  new Plot({
    title: "Memory", format: bytes, binary: true, least: 8 << 20, hint: (s) => count(s.column("goroutines").at(-1)) + " goroutines",
    lines: [{ name: "resident", series: "memory", shape: "c1" }, { name: "heap in use", series: "heap", shape: "c3 dashed" }],
  }),
];

function renderPlots() {
  for (const plot of plots) plot.render(store, page.seconds, page.cursor);
}

function render() {
  const d = page.latest;
  if (!d || page.paused) return;
  renderPlots();
  cards.render(store, d);
  byID("reasons").replaceChildren(reasons(d.reasons, "Nothing was refused since the start."));
  byID("upstreams").replaceChildren(upstreams(d.upstreams));
  set(byID("partners-box"), { hidden: d.partners.length === 0 ? "" : null });
  if (d.partners.length > 0) byID("partners").replaceChildren(partners(d.partners));
  set(byID("shadowed-box"), { hidden: d.shadowed.length === 0 ? "" : null });
  if (d.shadowed.length > 0) byID("shadowed").replaceChildren(reasons(d.shadowed, "What shadow would refuse"));
  set(byID("rules-box"), { hidden: d.rule_errors.length === 0 ? "" : null });
  if (d.rule_errors.length > 0) byID("rules").replaceChildren(rules(d.rule_errors));
  set(byID("findings-box"), { hidden: d.findings.length === 0 ? "" : null });
  if (d.findings.length > 0) byID("findings").replaceChildren(reasons(d.findings, "Findings that refuse nothing"));
  set(byID("files-box"), { hidden: d.files.length === 0 ? "" : null });
  if (d.files.length > 0) byID("files").replaceChildren(files(d.files, Date.parse(d.now)));
  set(byID("overrides-box"), { hidden: d.overrides.length === 0 ? "" : null });
  if (d.overrides.length > 0) byID("overrides").replaceChildren(overrides(d.overrides));
  rejects.render();
  about(d);
}

function about(d) {
  const c = d.configuration;
  const link = (path) => make("a", { href: path }, path);
  byID("about").replaceChildren(
    make("p", {}, ["rtbwire " + d.version, d.go_version, "up " + span((Date.parse(d.now) - Date.parse(d.started)) / 1000),
      "configuration " + c.generation + ", loaded at " + clock(Date.parse(c.loaded))].join(" · ")),
    make("p", {}, link("/metrics"), " ", link("/config"), " ", link("/rejects"), " ", link("/live"), " ", link("/debug/pprof/")));
}

// ---- state ----

function showState() {
  const d = page.latest;
  const silent = Date.now() - page.answered;
  let state = "live", text = "Live";
  if (page.answered === 0) [state, text] = page.problem ? ["lost", "No answer"] : ["starting", "Connecting"];
  else if (silent > lostMs && page.problem) [state, text] = ["lost", "No answer"];
  else if (!d.ready) [state, text] = ["stopping", "Stopping"];
  else if (page.paused) [state, text] = ["paused", "Paused"];
  set(document.body, { "data-state": state });
  write(byID("state"), text);
  document.title = (state === "live" ? "" : text + " · ") + "rtbwire " + location.host;
  const list = [];
  if (state === "lost") {
    list.push(["bad", "The gateway does not answer (" + page.problem + "). " + (page.answered ? "What is shown is from " + clock(page.answered) + ". " : "") + "This page goes on asking."]);
  }
  if (d?.configuration.problem) {
    list.push(["warn", "The configuration could not be loaded again at " + clock(Date.parse(d.configuration.failed)) + "; the one before stays in use.", d.configuration.problem]);
  }
  for (const r of d?.rule_errors ?? []) {
    if (r.broken) list.push(["warn", "The rule " + r.rule + " can't decide about " + percent(r.share, 1) + " of the requests" + (r.partner ? " of " + r.partner : "") + ": its condition has no value for them."]);
  }
  for (const f of d?.files ?? []) { // the configuration has a banner
    if (f.error && f.kind !== "configuration") list.push(["warn", "The " + f.kind + " " + f.name + " could not be loaded again; the content before stays in use.", f.error]);
    else if (f.old) list.push(["warn", "The " + f.kind + " " + f.name + " is old: from " + new Date(f.modified).toLocaleString() + "."]);
  }
  if (d && state === "live" && d.upstreams.length > 0 && d.upstreams.every((u) => !u.healthy || u.drained)) {
    list.push(["bad", d.upstreams.some((u) => u.healthy) ? "No upstream is in use: operators have drained those that are healthy." : "No upstream is healthy."]);
  }
  if (d && state === "live" && (store.latest("requests.shed") ?? 0) > 0) {
    list.push(["warn", "Requests are shed: " + rate(store.latest("requests.shed")) + ". A limit is reached; see the reasons below."]);
  }
  if (d && d.overrides.length > 0) {
    const of = (action) => d.overrides.filter((o) => o.action === action).length;
    const parts = [[of("block"), "blocked"], [of("drain"), "drained"], [of("observe"), "observed"]].filter(([n]) => n > 0);
    list.push(["note", "By operators: " + parts.map(([n, text]) => n + " " + text).join(", ") + ". See below."]);
  }
  banners(list);
}

let bannersShown = "";

function banners(list) {
  const now = JSON.stringify(list);
  if (now === bannersShown) return;
  bannersShown = now;
  byID("banners").replaceChildren(...list.map(([kind, text, more]) =>
    make("div", { class: "banner " + kind }, make("p", {}, text), more ? make("pre", {}, more) : null)));
}

// ---- asking ----

function take(d) {
  const before = page.latest;
  if (before && before.instance !== d.instance) {
    page.since = 0;
    rejects.restart();
    store.mark(Date.parse(d.started), "restart");
    page.latest = { ...d, partial: true };
    return false; // ask again, for all points of the new process
  }
  if (before && !before.partial && before.configuration.generation !== d.configuration.generation) {
    store.mark(Date.parse(d.configuration.loaded), "configuration " + d.configuration.generation);
  }
  store.add(d.series, d.points_max);
  page.since = d.points;
  rejects.add(d.rejects);
  page.latest = d;
  set(byID("judge-box"), { hidden: d.judges ? null : "" });
  return true;
}

// The address is made from the origin: that of the page may have a password, which fetch refuses.
async function ask() {
  let complete = true;
  try {
    const r = await fetch(new URL("/live?since=" + page.since + "&rejects=" + rejects.known, location.origin), { cache: "no-store", signal: AbortSignal.timeout(answerMs) });
    if (!r.ok) throw new Error(r.status === 401 ? "a token is missing or wrong: load the page again" : "status " + r.status);
    complete = take(await r.json());
    page.answered = Date.now();
    page.problem = "";
    if (complete) render();
  } catch (e) {
    page.problem = e.name === "TimeoutError" ? "no answer in " + answerMs / 1000 + " s" : e instanceof TypeError ? "no connection" : e.message;
  }
  showState();
  setTimeout(ask, !complete ? 0 : document.hidden ? hiddenPauseMs : pauseMs);
}

// ---- hands ----

function cursorAt(time) {
  page.cursor = time;
  renderPlots();
}

function step(plot, event) {
  const times = store.column("time");
  const moves = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -Infinity, End: Infinity };
  if (event.key === "Escape") return cursorAt(null);
  if (!(event.key in moves) || times.length === 0) return;
  event.preventDefault();
  const at = page.cursor === null ? times.length - 1 : store.nearest(page.cursor);
  const least = Math.max(times.findIndex((t) => t >= times.at(-1) - page.seconds * 1000), 0);
  cursorAt(times[Math.min(Math.max(at + moves[event.key], least), times.length - 1)]);
  write(byID("spoken"), plot.spoken(store, page.cursor));
}

for (const plot of plots) {
  byID("plots").append(plot.figure);
  plot.svg.addEventListener("pointermove", (e) => { if (plot.timeAt) cursorAt(plot.timeAt(e.offsetX)); });
  plot.svg.addEventListener("pointerleave", () => cursorAt(null));
  plot.svg.addEventListener("blur", () => cursorAt(null));
  plot.svg.addEventListener("keydown", (e) => step(plot, e));
}
for (const radio of document.querySelectorAll("input[name=window]")) {
  radio.addEventListener("change", () => { page.seconds = Number(radio.value); renderPlots(); });
}
byID("pause").addEventListener("click", () => {
  page.paused = !page.paused;
  set(byID("pause"), { "aria-pressed": String(page.paused) });
  write(byID("pause"), page.paused ? "Resume" : "Pause");
  render();
  showState();
});
write(byID("where"), location.host);
const judge = new Judge(byID("judge"));
byID("judge-box").addEventListener("toggle", () => { if (byID("judge-box").open) judge.load().catch(() => {}); });
ask();
