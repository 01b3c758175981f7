// A box to paste a request into, and the verdict on it. Nothing of it is kept, here or there.

import { bytes, count } from "./format.js";
import { make, set, table, write } from "./dom.js";
import { diff } from "./diff.js";

const answerMs = 10000; // for a verdict
const contextMax = 80; // characters around a difference

export class Judge {
  constructor(parent) {
    this.text = make("textarea", { rows: 10, spellcheck: "false", autocomplete: "off", autocapitalize: "off", placeholder: '{"id": "1", "imp": [ ... ]}' });
    this.partner = make("select", { autocomplete: "off" }, make("option", { value: "" }, "none"));
    this.partnerBox = make("label", { hidden: "" }, "Partner ", this.partner);
    this.button = make("button", { type: "button" }, "Judge");
    this.clear = make("button", { type: "button" }, "Clear");
    this.note = make("span", { class: "hint" }, "Nothing that is pasted is kept.");
    this.status = make("p", { class: "verdict", role: "status" });
    this.out = make("div", { class: "judged" });
    parent.replaceChildren(
      make("label", { class: "paste" }, "Bid request", this.text),
      make("div", { class: "head" }, make("div", { class: "controls" }, this.partnerBox, this.button, this.clear), this.note),
      this.status, this.out);
    this.button.addEventListener("click", () => this.ask());
    this.clear.addEventListener("click", () => { this.text.value = ""; this.show(""); this.text.focus(); });
    this.text.addEventListener("keydown", (e) => { if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) this.ask(); });
  }

  // load asks for partners and limits, and returns what is known.
  async load() {
    const r = await fetch(new URL("/judge", location.origin), { cache: "no-store", signal: AbortSignal.timeout(answerMs) });
    if (!r.ok) throw new Error("status " + r.status);
    const d = await r.json();
    this.partner.replaceChildren(make("option", { value: "" }, "none"), ...d.partners.map((name) => make("option", { value: name }, name)));
    set(this.partnerBox, { hidden: d.partners.length > 0 ? null : "" });
    write(this.note, "At most " + bytes(d.bytes_max) + ". Nothing that is pasted is kept.");
    return d;
  }

  show(status, ...content) {
    write(this.status, status);
    set(this.status, { "data-action": null });
    this.out.replaceChildren(...content);
  }

  async ask() {
    const text = this.text.value;
    const query = this.partner.value ? "?partner=" + encodeURIComponent(this.partner.value) : "";
    set(this.button, { disabled: "" });
    try {
      const r = await fetch(new URL("/judge" + query, location.origin), {
        method: "POST", body: text, headers: { "Content-Type": "application/json" }, cache: "no-store", signal: AbortSignal.timeout(answerMs),
      });
      const d = await r.json();
      if (!r.ok) throw new Error(d.error?.message ?? "status " + r.status);
      this.show(summary(d), ...judged(d, text));
      set(this.status, { "data-action": d.action });
    } catch (e) {
      this.show("No verdict: " + (e.name === "TimeoutError" ? "no answer in " + answerMs / 1000 + " s" : e instanceof TypeError ? "no connection" : e.message));
    }
    set(this.button, { disabled: null });
  }
}

function summary(d) {
  return d.action === "refuse" ? "refuse · " + d.reason + " · nbr " + d.nbr : "forward";
}

// judged returns what there is to say about a verdict.
function judged(d, text) {
  const places = numbered(d);
  const parts = [];
  if (d.shadow) parts.push(make("p", { class: "facts" }, "If nothing was in shadow: " + summary(d.shadow)));
  if (d.observed) parts.push(make("p", { class: "facts" }, "If everything was enforced: " + summary(d.observed)));
  for (const e of d.errors) parts.push(make("p", { class: "facts" }, make("code", {}, e.id), " has no value: " + e.error));
  parts.push(section("Findings", d.findings.length === 0 ? quiet("None.") : make("ol", { class: "findings" }, ...places.map(finding)),
    d.dropped > 0 ? quiet("And " + count(d.dropped) + " more.") : null));
  if (text.trim() !== "") parts.push(section("Text", marked(text, places)));
  if (d.fraud.signals.length > 0) parts.push(section("Fraud score", score(d.fraud)));
  if (d.result !== undefined) parts.push(section("Edits", edits(d), difference(text, d.result)));
  return parts;
}

const quiet = (text) => make("p", { class: "quiet" }, text);

function section(title, ...content) {
  return make("section", {}, make("h3", {}, title), ...content);
}

// numbered numbers the findings.
function numbered(d) {
  return d.findings.map((f, i) => ({ ...f, number: i + 1 }));
}

function finding(f) {
  const place = f.line ? "line " + count(f.line) + ", column " + count(f.column) + ", byte " + count(f.offset) : "";
  return make("li", {},
    make("p", {}, make("b", { class: "n" }, String(f.number)), " ", make("span", { class: "severity " + f.severity }, f.severity), " ", make("code", {}, f.id), " ", f.message),
    f.path || place ? make("p", { class: "place" }, f.path ? make("code", {}, f.path) : null, f.path && place ? ", " + place : place) : null);
}

// marked shows the text with a mark at each place. Offsets are in bytes.
function marked(text, places) {
  const data = new TextEncoder().encode(text);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const part = (from, to) => decoder.decode(data.subarray(from, to));
  const byOffset = new Map();
  for (const p of places) {
    if (p.offset === undefined) continue;
    const at = Math.min(p.offset, data.length);
    byOffset.set(at, [...(byOffset.get(at) ?? []), p]);
  }
  const offsets = [...byOffset.keys()].sort((a, b) => a - b);
  const out = [];
  let done = 0;
  offsets.forEach((at, i) => {
    const here = byOffset.get(at);
    const worst = ["refuse", "warn", "observe"].find((s) => here.some((p) => p.severity === s));
    const to = Math.min(tokenEnd(data, at), offsets[i + 1] ?? data.length);
    out.push(part(done, at), make("mark", { class: worst + (at === to ? " end" : ""), title: here.map((p) => p.id).join(", ") },
      at === to ? "the text ends here" : part(at, to), make("sup", {}, here.map((p) => p.number).join(","))));
    done = to;
  });
  out.push(part(done, data.length));
  return make("pre", { class: "excerpt whole", tabindex: "0", role: "region", "aria-label": "The request, with the places of findings marked" }, ...out);
}

// tokenEnd returns where the token ends that begins at an offset: a string, a number or word, or one
// character.
function tokenEnd(data, at) {
  const quote = 0x22, backslash = 0x5c;
  let i = at + 1;
  if (data[at] === quote) {
    while (i < data.length && data[i] !== quote) i += data[i] === backslash ? 2 : 1;
    return Math.min(i + 1, data.length);
  }
  const word = (c) => (c >= 0x30 && c <= 0x39) || (c >= 0x41 && c <= 0x5a) || (c >= 0x61 && c <= 0x7a) || c === 0x2b || c === 0x2d || c === 0x2e;
  if (word(data[at])) while (i < data.length && word(data[i])) i++;
  while (i < data.length && (data[i] & 0xc0) === 0x80) i++; // the rest of a character
  return Math.min(i, data.length);
}

function score(f) {
  const rows = f.signals.map((s) => [count(s.points), make("code", {}, s.id), make("span", {}, s.message, s.path ? make("code", { class: "path" }, " " + s.path) : null)]);
  for (const family of f.families) {
    rows.push([count(family.counts), family.name, family.counts < family.points ? count(family.points) + ", of which at most " + count(family.counts) + " count" : "the family together"]);
  }
  rows.push([count(f.score), "score", f.score >= f.threshold ? "reaches the threshold " + f.threshold : "below the threshold " + f.threshold]);
  return table("Fraud score", [{ title: "Points", class: "number" }, { title: "Signal", class: "signal" }, { title: "What it says" }], rows);
}

function edits(d) {
  return make("ul", {}, ...d.edits.map((e) => make("li", {}, e.action + " ", make("code", {}, e.path))),
    d.scrubs.length > 0 ? make("li", {}, "by the scrubs " + d.scrubs.join(", ")) : null);
}

// difference shows what goes on, with what it replaces.
function difference(before, after) {
  const parts = diff(before, after);
  return make("pre", { class: "excerpt whole diff", tabindex: "0", role: "region", "aria-label": "What the edits change" }, ...parts.map((p, i) => {
    if (p.kind === "removed") return make("del", {}, p.text);
    if (p.kind === "added") return make("ins", {}, p.text);
    return shortened(p.text, i > 0, i < parts.length - 1);
  }));
}

// shortened leaves out what is far from a difference.
function shortened(text, before, after) {
  const keep = (before ? contextMax : 0) + (after ? contextMax : 0);
  if (text.length <= keep + 1) return text;
  return (before ? text.slice(0, contextMax) : "") + "…" + (after ? text.slice(-contextMax) : "");
}
