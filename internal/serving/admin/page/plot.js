// A plot of lines or stacked areas over time, with a cursor that all plots share.

import { clock } from "./format.js";
import { draw, make, set, write } from "./dom.js";

const height = 190;
const margin = { top: 10, right: 12, bottom: 22, left: 58 };
const leastSeconds = 60; // that the axis shows
const gapMs = 3500; // a line is broken where points are missing
let plots = 0;

export class Plot {
  // o has title, hint (a function of the store), lines ([{name, series, shape}]), format, and
  // optionally stacked, or log with the floor of its axis.
  constructor(o) {
    this.o = o;
    this.width = 0;
    this.id = "plot" + ++plots;
    this.svg = draw("svg", { role: "img", tabindex: 0, "aria-labelledby": this.id, height });
    this.grid = draw("g", { class: "grid" });
    this.marks = draw("g", { class: "marks" });
    this.cursor = draw("line", { class: "cursor", y1: margin.top, y2: height - margin.bottom, visibility: "hidden" });
    this.empty = draw("text", { class: "empty", "text-anchor": "middle", y: height / 2 });
    this.lines = o.lines.map((l) => {
      const line = {
        ...l, path: draw("path", { class: (o.stacked || l.area ? "area " : "line ") + l.shape }),
        value: make("b", {}), dot: draw("circle", { class: "dot " + l.shape, r: 3.5, visibility: "hidden" }),
      };
      line.item = make("li", {}, make("i", { class: "key " + l.shape, "aria-hidden": "true" }), l.name + " ", line.value);
      return line;
    });
    this.svg.append(this.grid, ...this.lines.map((l) => l.path), this.marks, this.cursor, ...this.lines.map((l) => l.dot), this.empty);
    this.hint = make("p", { class: "hint" });
    this.figure = make("figure", { class: "panel" },
      make("figcaption", {}, make("h2", { id: this.id }, o.title), this.hint), this.svg,
      make("ul", { class: "legend" }, ...this.lines.map((l) => l.item)));
    new ResizeObserver(() => { this.width = Math.floor(this.svg.clientWidth); this.again?.(); }).observe(this.svg);
  }

  // render shows the points of a store within a window of seconds. cursor is a time, or null.
  render(store, seconds, cursor) {
    this.again = () => this.render(store, seconds, cursor);
    write(this.hint, this.o.hint?.(store) ?? "");
    const times = store.column("time");
    if (this.width === 0 || times.length === 0) return;
    set(this.svg, { viewBox: `0 0 ${this.width} ${height}` });
    const to = times.at(-1);
    // A gateway that has just started has no minutes to show.
    const from = Math.max(to - seconds * 1000, Math.min(times[0], to - leastSeconds * 1000));
    let first = times.findIndex((t) => t >= from);
    if (first > 0) first--; // the line comes from the edge
    this.x = (t) => margin.left + ((t - from) / (to - from)) * (this.width - margin.left - margin.right);
    this.timeAt = (px) => from + ((px - margin.left) / (this.width - margin.left - margin.right)) * (to - from);
    const values = this.lines.map((l) => store.column(l.series));
    const tops = this.o.stacked ? stack(values, times.length) : values;
    const range = this.range(tops, first);
    this.y = scale(range, this.o.log);
    this.drawGrid(range, from, to);
    const silent = !this.lines.some((l, i) => values[i].slice(first).some((v) => v !== null && (v > 0 || !this.o.quiet)));
    write(this.empty, silent ? this.o.quiet ?? "No numbers in this time" : "");
    set(this.empty, { x: margin.left + (this.width - margin.left - margin.right) / 2 });
    this.lines.forEach((l, i) => {
      const base = this.o.stacked && i > 0 ? tops[i - 1] : null;
      set(l.path, { d: silent ? "" : this.path(times, tops[i], base, first, this.o.stacked || l.area) });
      const shown = values[i].slice(first).some((v) => v !== null && v > 0);
      set(l.item, { hidden: (this.o.stacked || l.optional) && !shown ? "" : null });
    });
    this.drawMarks(store.marks.filter((m) => m.time > from));
    this.drawCursor(store, times, values, tops, cursor !== null && cursor >= from ? store.nearest(cursor) : -1);
  }

  // range returns the least and the greatest value of the axis.
  range(tops, first) {
    let least = Infinity, most = 0;
    tops.forEach((column) => {
      for (let n = Math.max(first, 0); n < column.length; n++) {
        const v = column[n];
        if (v === null || v === undefined) continue;
        most = Math.max(most, v);
        if (v > 0) least = Math.min(least, v);
      }
    });
    if (this.o.log) {
      if (!Number.isFinite(least)) return { least: 0.1, most: 10, ticks: [0.1, 1, 10] };
      const low = Math.floor(Math.log10(this.o.floor ?? least)), high = Math.max(Math.ceil(Math.log10(most)), low + 1);
      const ticks = [];
      for (let n = low; n <= high; n++) ticks.push(10 ** n);
      return { least: 10 ** low, most: 10 ** high, ticks };
    }
    const high = Math.max(most * 1.08, this.o.least ?? 1);
    const step = niceStep(high / 4, this.o.binary);
    const top = Math.ceil(high / step) * step;
    const ticks = [];
    for (let v = 0; v <= top + step / 2; v += step) ticks.push(v);
    return { least: 0, most: top, ticks };
  }

  drawGrid(range, from, to) {
    const nodes = [];
    for (const v of range.ticks) {
      const y = this.y(v).toFixed(1);
      nodes.push(draw("line", { x1: margin.left, x2: this.width - margin.right, y1: y, y2: y, class: v === range.least ? "base" : "" }),
        draw("text", { x: margin.left - 8, y, "text-anchor": "end", "dominant-baseline": "middle" }, this.o.format(v)));
    }
    const step = [10, 15, 30, 60, 120, 300].find((s) => ((to - from) / 1000 / s) * 70 <= this.width - margin.left) ?? 600;
    for (let t = Math.ceil(from / 1000 / step) * step * 1000; t <= to; t += step * 1000) {
      const x = this.x(t);
      if (x < margin.left + 10 || x > this.width - margin.right - 10) continue;
      nodes.push(draw("text", { x: x.toFixed(1), y: height - 5, "text-anchor": "middle" }, clock(t, step < 60)));
    }
    this.grid.replaceChildren(...nodes);
  }

  // path is the line through points, or the area between it and a base.
  path(times, tops, base, first, area) {
    let d = "", run = [];
    const y = (v) => this.y(v ?? 0).toFixed(1);
    const end = () => {
      if (run.length === 0) return;
      const x = run.map((n) => Math.max(this.x(times[n]), margin.left).toFixed(1));
      d += "M" + run.map((n, i) => x[i] + " " + y(tops[n])).join("L");
      if (run.length === 1) d += "h0.1"; // a dot
      if (area) d += "L" + run.map((n, i) => x[i] + " " + y(base ? base[n] : 0)).reverse().join("L") + "Z";
      run = [];
    };
    for (let n = Math.max(first, 0); n < times.length; n++) {
      const v = tops[n];
      if (v === null || v === undefined || (run.length > 0 && times[n] - times[run.at(-1)] > gapMs)) end();
      if (v !== null && v !== undefined && !(this.o.log && v <= 0 && !area)) run.push(n);
    }
    end();
    return d;
  }

  drawMarks(marks) {
    this.marks.replaceChildren(...marks.flatMap((m) => {
      const x = this.x(m.time).toFixed(1);
      return [draw("line", { x1: x, x2: x, y1: margin.top, y2: height - margin.bottom }),
        draw("text", { x: Number(x) + (x > this.width - 80 ? -4 : 4), y: margin.top + 8, "text-anchor": x > this.width - 80 ? "end" : "start" }, m.text)];
    }));
  }

  drawCursor(store, times, values, tops, at) {
    const shown = at >= 0 ? at : times.length - 1;
    if (at >= 0) write(this.hint, "at " + clock(times[at]));
    set(this.cursor, { visibility: at >= 0 ? "visible" : "hidden", x1: this.x(times[shown]), x2: this.x(times[shown]) });
    this.lines.forEach((l, i) => {
      const v = at >= 0 ? values[i][at] : store.latest(l.series);
      write(l.value, (l.format ?? this.o.format)(v));
      const visible = at >= 0 && v !== null && v !== undefined && !(this.o.stacked && v === 0) && !(this.o.log && v <= 0);
      set(l.dot, { visibility: visible ? "visible" : "hidden", ...(visible ? { cx: this.x(times[at]), cy: this.y(tops[i][at]) } : {}) });
    });
  }

  // spoken is what a screen reader says about a point.
  spoken(store, time) {
    const at = store.nearest(time);
    if (at < 0) return "";
    return this.o.title + " at " + clock(store.column("time")[at]) + ": " +
      this.lines.filter((l) => !l.item.hidden).map((l) => l.name + " " + (l.format ?? this.o.format)(store.column(l.series)[at])).join(", ");
  }
}

// stack adds columns up.
function stack(columns, length) {
  const sums = new Array(length).fill(0);
  return columns.map((column) => {
    for (let n = 0; n < length; n++) sums[n] += column[n] ?? 0;
    return sums.slice();
  });
}

// niceStep rounds up to 1, 2 or 5 times a power of ten, or to a power of two.
function niceStep(v, binary) {
  if (binary) return 2 ** Math.ceil(Math.log2(v));
  const power = 10 ** Math.floor(Math.log10(v));
  return [1, 2, 5, 10].map((n) => n * power).find((n) => n >= v * 0.999);
}

function scale(range, log) {
  const top = margin.top, bottom = height - margin.bottom;
  const clamp = (y) => Math.min(Math.max(y, top - 4), bottom);
  if (!log) return (v) => clamp(bottom - ((v - range.least) / (range.most - range.least)) * (bottom - top));
  const low = Math.log10(range.least), high = Math.log10(range.most);
  return (v) => (v <= 0 ? bottom : clamp(bottom - ((Math.log10(v) - low) / (high - low)) * (bottom - top)));
}
