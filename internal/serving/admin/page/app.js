// The page asks /live once a second and shows what it says. Nothing else is loaded.

import { clock, span } from "./format.js";
import { byID, make, set, show, write } from "./dom.js";
import { candidate, configuration, ends, files, lanes, overrides, partners, reasons, rules, tiles, upstreams } from "./tables.js";
import { Judge } from "./judge.js";
import { plotsOf } from "./plots.js";
import { Rejects } from "./rejects.js";
import { Store } from "./store.js";

const pauseMs = 1000; // between two questions
const hiddenPauseMs = 5000; // while nobody looks
const answerMs = 5000; // for an answer
const lostMs = 2500; // without an answer, the service is lost

const store = new Store();
const rejects = new Rejects(byID("rejects"), byID("newer"));
const page = { seconds: 300, paused: false, cursor: null, latest: null, since: 0, answered: 0, problem: "", partner: "", open: "", asked: 0, due: false, timer: null };
let plots = [];

function renderPlots() {
  for (const plot of plots) plot.render(store, page.seconds, page.cursor);
}

// box shows a part of the page, or hides it: content is null then.
function box(id, content) {
  set(byID(id + "-box"), { hidden: content === null ? "" : null });
  if (content !== null) show(byID(id), content);
}

const some = (rows, content) => (rows.length === 0 ? null : content(rows));

function render() {
  const d = page.latest;
  if (!d || page.paused && !page.due) return;
  page.due = false;
  renderPlots();
  tiles(byID("cards"), d.tiles);
  const stream = d.kind === "stream";
  box("ends", some(d.ends, ends));
  box("lanes", stream ? lanes(d.lanes, d.flow) : null);
  box("upstreams", stream ? null : upstreams(d.upstreams));
  box("partners", some(d.partners, (rows) => partners(rows, page.open, d.opened)));
  filter(d);
  show(byID("reasons"), reasons(d.reasons, d.partner ? "Nothing of this partner was refused since the start." : stream ? "There is no dead letter since the start." : "Nothing was refused since the start.", "Reasons"));
  box("shadowed", some(d.shadowed, (rows) => reasons(rows, "What shadow would refuse")));
  box("rules", some(d.rule_errors, rules));
  box("findings", some(d.findings, (rows) => reasons(rows, "Findings that refuse nothing")));
  box("files", some(d.files, (rows) => files(rows, Date.parse(d.now))));
  box("overrides", some(d.overrides, overrides));
  show(byID("configuration"), configuration(d.configuration, d.candidate));
  show(byID("candidate"), d.candidate ? candidate(d.candidate, stream ? "record" : "request") : null);
  rejects.render();
  about(d);
}

// filter offers the partners, in the order of their names: that of the table changes.
function filter(d) {
  const names = d.partners.map((p) => p.name).sort();
  if (page.partner && !names.includes(page.partner)) names.push(page.partner);
  set(byID("filter-box"), { hidden: names.length === 0 ? "" : null });
  const list = byID("partner");
  show(list, make("option", { value: "" }, "all partners"), ...names.map((name) => make("option", { value: name }, name)));
  if (list.value !== page.partner) list.value = page.partner;
}

function about(d) {
  const link = (path) => make("a", { href: path }, path);
  show(byID("about"),
    make("p", {}, ["rtbwire " + d.version, d.go_version, "up " + span((Date.parse(d.now) - Date.parse(d.started)) / 1000), "configuration " + d.configuration.generation].join(" · ")),
    make("p", {}, link("/metrics"), " ", link("/config"), " ", link("/rejects"), " ", link("/live"), " ", link("/plain"), " ", link("/debug/pprof/")));
}

// ---- state ----

function showState() {
  const d = page.latest;
  const silent = Date.now() - page.answered;
  const service = d?.kind ?? "service";
  let state = "live", text = "Live";
  if (!d) [state, text] = page.problem ? ["lost", "No answer"] : ["starting", "Connecting"];
  else if (silent > lostMs && page.problem) [state, text] = ["lost", "No answer"];
  else if (!d.ready) [state, text] = ["stopping", service === "stream" ? "Not reading" : "Stopping"];
  else if (page.paused) [state, text] = ["paused", "Paused"];
  set(document.body, { "data-state": state });
  write(byID("state"), text);
  write(byID("kind"), d?.kind ?? "");
  document.title = (state === "live" ? "" : text + " · ") + "rtbwire " + location.host;
  const list = [];
  if (state === "lost") {
    list.push({ state: "bad", text: "The " + service + " does not answer (" + page.problem + "). " + (page.answered ? "What is shown is from " + clock(page.answered) + ". " : "") + "This page goes on asking." });
  }
  show(byID("banners"), ...[...list, ...(d?.notices ?? [])].map((n) => make("div", { class: "banner " + n.state }, make("p", {}, n.text), n.detail ? make("pre", {}, n.detail) : null)));
}

// ---- asking ----

// take adds what was answered. It reports whether it is complete: after a restart, all points of the
// new process are asked for, and after another choice, what that is about.
function take(d, asked) {
  const before = page.latest;
  if (before && before.instance !== d.instance) {
    page.since = 0;
    rejects.restart();
    store.mark(Date.parse(d.started), "restart");
    page.latest = { ...d, partial: true };
    return false;
  }
  if (asked !== page.asked) return false;
  if (before && !before.partial && before.configuration.generation !== d.configuration.generation) {
    store.mark(Date.parse(d.configuration.loaded), "configuration " + d.configuration.generation);
  }
  if (plots.length === 0) begin(d);
  store.add(d.series, d.points_max);
  page.since = d.points;
  rejects.add(d.rejects);
  page.latest = d;
  set(byID("judge-box"), { hidden: d.judges ? null : "" });
  return true;
}

// begin makes what differs between a gateway and a stream.
function begin(d) {
  if (d.kind === "stream") {
    write(byID("reasons-title"), "Dead letters by reason");
    write(byID("rejects-title"), "Last dead letters");
    write(byID("lanes-title"), d.flow.bytes ? "Files that are read" : "Topics and partitions");
  }
  plots = plotsOf(d);
  for (const plot of plots) {
    byID("plots").append(plot.figure);
    plot.svg.addEventListener("pointermove", (e) => { if (plot.timeAt) cursorAt(plot.timeAt(e.offsetX)); });
    plot.svg.addEventListener("pointerleave", () => cursorAt(null));
    plot.svg.addEventListener("blur", () => cursorAt(null));
    plot.svg.addEventListener("keydown", (e) => step(plot, e));
  }
}

// The address is made from the origin: that of the page may have a password, which fetch refuses.
async function ask() {
  page.timer = null;
  let complete = true;
  const asked = page.asked;
  try {
    const query = new URLSearchParams({ since: page.since, rejects: rejects.known, partner: page.partner, open: page.open });
    const r = await fetch(new URL("/live?" + query, location.origin), { cache: "no-store", signal: AbortSignal.timeout(answerMs) });
    if (!r.ok) throw new Error(r.status === 401 ? "a token is missing or wrong: load the page again" : "status " + r.status);
    complete = take(await r.json(), asked);
    page.answered = Date.now();
    page.problem = "";
    if (complete) render();
  } catch (e) {
    page.problem = e.name === "TimeoutError" ? "no answer in " + answerMs / 1000 + " s" : e instanceof TypeError ? "no connection" : e.message;
  }
  showState();
  page.timer = setTimeout(ask, !complete ? 0 : document.hidden ? hiddenPauseMs : pauseMs);
}

// askNow asks at once, about another choice. While a question is on its way, its answer is dropped.
function askNow() {
  page.asked++;
  page.due = true; // also while the page is paused
  if (page.timer !== null) {
    clearTimeout(page.timer);
    page.timer = null;
    ask();
  }
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
byID("partner").addEventListener("change", () => {
  page.partner = byID("partner").value;
  rejects.clear();
  askNow();
});
byID("partners").addEventListener("click", (e) => {
  const name = e.target.closest("[data-open]")?.dataset.open;
  if (name === undefined) return;
  page.open = page.open === name ? "" : name;
  askNow();
});
write(byID("where"), location.host);
const judge = new Judge(byID("judge"));
byID("judge-box").addEventListener("toggle", () => { if (byID("judge-box").open) judge.load().catch(() => {}); });
ask();
