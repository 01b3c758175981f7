// The list of the last refused requests. While somebody reads in it, newer ones wait.

import { bytes, clock, count } from "./format.js";
import { make, set, write } from "./dom.js";

const keptMax = 40;
const shownMax = 12; // until somebody asks for more

export class Rejects {
  constructor(parent, newer) {
    this.parent = parent;
    this.newer = newer;
    this.items = []; // the latest first
    this.known = 0; // the number of the latest
    this.dirty = true;
    newer.addEventListener("click", () => { this.draw(); this.parent.querySelector("summary")?.focus(); });
  }

  // restart forgets the numbers of the process before.
  restart() {
    this.known = 0;
  }

  // clear forgets all, for those of another partner.
  clear() {
    this.known = 0;
    this.items = [];
    this.waiting = 0;
    this.draw();
  }

  add(list) {
    if (list.length === 0) return;
    this.known = list[0].number;
    this.items = [...list, ...this.items].slice(0, keptMax);
    this.waiting = Math.min((this.waiting ?? 0) + list.length, keptMax);
  }

  render() {
    if (!this.dirty && !this.waiting) return;
    if (!this.dirty && this.isRead()) {
      write(this.newer, "Show " + count(this.waiting) + (this.waiting === keptMax ? " or more" : "") + " newer");
      set(this.newer, { hidden: null });
      return;
    }
    this.draw();
  }

  // isRead reports whether the list should stay as it is.
  isRead() {
    return this.parent.matches(":hover, :focus-within") || this.parent.querySelector("details[open]") !== null;
  }

  draw() {
    this.dirty = false;
    this.waiting = 0;
    set(this.newer, { hidden: "" });
    if (this.items.length === 0) {
      this.parent.replaceChildren(make("p", { class: "quiet" }, "None since the start."));
      return;
    }
    const shown = this.items.slice(0, this.all ? keptMax : shownMax);
    this.parent.replaceChildren(...shown.map(reject));
    if (this.items.length <= shownMax) return;
    const more = make("button", { type: "button", class: "more" }, this.all ? "Show fewer" : "Show all " + this.items.length);
    more.addEventListener("click", () => { this.all = !this.all; this.draw(); this.parent.querySelector(".more")?.focus(); });
    this.parent.append(more);
  }
}

function reject(r) {
  const f = r.findings.find((f) => f.id === r.reason) ?? r.findings[0];
  const when = new Date(r.time);
  return make("details", { class: "reject" },
    make("summary", {},
      make("time", { datetime: r.time }, clock(when.getTime())), make("span", { class: "id" }, make("code", {}, r.reason), r.observed ? make("span", { class: "severity" }, "observed") : null),
      f?.path ? make("code", { class: "path" }, f.path) : make("span", { class: "path" }, f?.message ?? ""), make("span", { class: "partner" }, r.source || r.partner || "")),
    make("div", { class: "inside" },
      make("p", { class: "facts" }, facts(r)),
      make("ol", {}, ...r.findings.map(finding))));
}

function facts(r) {
  const parts = ["nbr " + r.nbr, "fraud score " + r.score, bytes(r.bytes)];
  if (r.observed) parts.unshift("let through, because it is only observed");
  if (r.source) parts.push("read at " + r.source);
  if (r.source && r.partner) parts.push("partner " + r.partner);
  if (r.request_id) parts.push("X-Request-Id " + r.request_id);
  parts.push(r.full ? "as it was sent" : "values are redacted");
  return parts.join(" · ");
}

function finding(f) {
  const place = f.offset >= 0 ? "byte " + count(f.offset) : f.path ? "" : "the whole request";
  return make("li", {},
    make("p", {}, make("span", { class: "severity " + f.severity }, f.severity), " ", make("code", {}, f.id), " ", f.message),
    make("p", { class: "place" }, f.path ? make("code", {}, f.path) : null, f.path && place ? ", " + place : place),
    f.excerpt ? excerpt(f.excerpt) : null);
}

// excerpt marks the place. What is not printable was escaped by the gateway.
function excerpt(e) {
  const end = e.mark === "";
  return make("pre", { class: "excerpt" }, e.before, make("mark", { class: end ? "end" : "" }, end ? "the text ends here" : e.mark), e.after);
}
