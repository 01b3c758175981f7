// Tables of reasons, upstreams, partners and files, and the cards above them.

import { bytes, clock, cores, count, day, none, percent, rate, short, span, time } from "./format.js";
import { make, set, table, write } from "./dom.js";

const reasonsMax = 12; // rows; /live has more
const requestStatuses = ["forwarded", "refused", "malformed", "rejected", "shed", "failed", "withheld"];

function quiet(text) {
  return make("p", { class: "quiet" }, text);
}

// reasons shows what refuses, with bars.
export function reasons(rows, text) {
  if (rows.length === 0) return quiet(text);
  const byRate = rows.some((r) => r.per_second > 0);
  const size = (r) => (byRate ? r.per_second : r.total);
  const most = Math.max(...rows.map(size));
  const shown = rows.slice(0, rows.length > reasonsMax ? reasonsMax - 1 : reasonsMax);
  const rest = rows.slice(shown.length);
  if (rest.length > 0) {
    const sum = (of) => rest.reduce((sum, r) => sum + of(r), 0);
    shown.push({ reason: "all others", per_second: sum((r) => r.per_second), total: sum((r) => r.total) });
  }
  return table(text, [{ title: "Reason", class: "reason" }, { title: "", class: "bar" }, { title: "Now", class: "number" }, { title: "Since start", class: "number" }],
    shown.map((r) => [make("code", {}, r.reason), make("meter", { min: 0, max: Math.max(most, size(r)), value: size(r), "aria-hidden": "true" }),
      rate(r.per_second), count(r.total)]));
}

// rules shows rules whose conditions have no value for some requests.
export function rules(rows) {
  return table("Rules that can't decide", [
    { title: "Rule" }, { title: "Partner" }, { title: "Share", class: "number" }, { title: "Now", class: "number wide" }, { title: "Since start", class: "number" },
  ], rows.map((r) => [
    make("span", { class: "state " + (r.broken ? "bad" : "good") }, make("code", {}, r.rule)), r.partner || none, percent(r.share, 1), rate(r.per_second), count(r.total),
  ]));
}

export function upstreams(rows) {
  if (rows.length === 0) return quiet("None.");
  return table("Upstreams", [
    { title: "Upstream" }, { title: "State" }, { title: "In flight", class: "number wide" }, { title: "Connections", class: "number wide" },
    { title: "Requests", class: "number" }, { title: "Failures", class: "number" },
  ], rows.map((u) => [
    make("code", {}, u.name.replace(/^http:\/\//, "")), make("span", { class: "state " + (u.drained ? "drained" : u.healthy ? "good" : "bad") }, u.drained ? "drained" : u.healthy ? "healthy" : "failing"),
    count(u.in_flight), count(u.connections), rate(u.per_second), u.failures > 0 ? rate(u.failures_per_second) : "0",
  ]));
}

export function overrides(rows) {
  return table("Changes by operators", [{ title: "Change" }, { title: "Name" }, { title: "Until" }, { title: "By", class: "wide" }, { title: "Note", class: "wide" }],
    rows.map((o) => [o.action + " " + o.kind, make("code", {}, o.name), make("time", { datetime: o.until }, day(Date.parse(o.until)) + clock(Date.parse(o.until))), o.by, o.note ?? ""]));
}

export function partners(rows) {
  return table("Partners", [
    { title: "Partner" }, { title: "Requests", class: "number" }, { title: "Forwarded", class: "number" }, { title: "Refused", class: "number" },
    { title: "Shed", class: "number wide" }, { title: "Failed", class: "number wide" }, { title: "Since start", class: "number wide" },
  ], rows.map((p) => {
    const of = (list, ...statuses) => statuses.reduce((sum, s) => sum + (list[s] ?? 0), 0);
    const all = of(p.per_second, ...requestStatuses);
    return [make("code", {}, p.name), rate(all), percent(of(p.per_second, "forwarded"), all), percent(of(p.per_second, "refused", "malformed", "rejected", "withheld"), all),
      percent(of(p.per_second, "shed"), all), percent(of(p.per_second, "failed"), all), count(of(p.totals, ...requestStatuses))];
  }));
}

// files shows what is read from files while requests are judged. now is the time of the numbers.
export function files(rows, now) {
  const age = (at) => (at ? span((now - Date.parse(at)) / 1000) : none);
  const state = (f) => {
    if (f.error) return make("span", { class: "state bad" }, "not loaded again");
    if (f.old) return make("span", { class: "state bad" }, "old");
    if (f.problem) return make("span", { class: "state" }, f.refused > 0 ? "without " + count(f.refused) + " of " + count(f.files) + " files" : "without " + count(f.skipped) + " entries");
    return make("span", { class: "state good" }, "in use");
  };
  return table("Files that are followed", [
    { title: "File" }, { title: "State" }, { title: "Entries", class: "number" }, { title: "Age", class: "number" },
    { title: "Loaded", class: "number wide" }, { title: "Failures", class: "number wide" }, { title: "Path", class: "wide" },
  ], rows.map((f) => [
    make("code", {}, f.kind === f.name ? f.kind : f.kind + " " + f.name), state(f), count(f.entries), age(f.modified),
    f.loaded ? age(f.loaded) + " ago" : none, count(f.failures),
    make("div", {}, make("code", {}, f.path), f.error || f.problem ? make("div", { class: "facts" }, f.error || f.problem) : null),
  ]));
}

// Cards are the numbers of now.
export class Cards {
  constructor(parent) {
    this.parent = parent;
    this.cards = new Map();
  }

  // show changes one card. good is null, or whether the number is as it should be.
  show(name, value, note, good = null) {
    let card = this.cards.get(name);
    if (!card) {
      card = { value: make("dd", { class: "value" }), note: make("dd", { class: "note" }) };
      card.box = make("dl", { class: "card" }, make("dt", {}, name), card.value, card.note);
      this.cards.set(name, card);
      this.parent.append(card.box);
    }
    write(card.value, value);
    write(card.note, note);
    set(card.box, { "data-good": good === null ? null : String(good) });
  }

  render(store, d) {
    const of = (...names) => names.reduce((sum, name) => sum + (store.latest("requests." + name) ?? 0), 0);
    const all = of(...requestStatuses);
    const refused = of("refused", "malformed", "rejected", "withheld");
    const lost = of("shed", "failed");
    const total = requestStatuses.reduce((sum, s) => sum + (d.totals[s] ?? 0), 0);
    this.show("Requests", rate(all), short(total) + " in all");
    this.show("Forwarded", percent(of("forwarded"), all), rate(of("forwarded")));
    this.show("Refused", percent(refused, all), rate(refused));
    this.show("Latency p99", time(store.latest("latency.total.p99")), "p50 " + time(store.latest("latency.total.p50")));
    const inFlight = store.latest("in_flight"), limit = store.column("in_flight_limit").at(-1);
    this.show("In flight", count(inFlight), "limit " + count(limit), limit !== undefined && limit !== null && inFlight >= 0.9 * limit ? false : null);
    this.show("Shed and failed", rate(lost), percent(lost, all) + " of requests", lost > 0 ? false : null);
    const healthy = d.upstreams.filter((u) => u.healthy).length;
    this.show("Upstreams", d.upstreams.length === 0 ? none : healthy + " of " + d.upstreams.length, "healthy", healthy < d.upstreams.length ? false : null);
    this.show("Memory", bytes(store.column("memory").at(-1)), cores(store.latest("cpu"), d.limits.cpus));
  }
}
