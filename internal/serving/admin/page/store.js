// The points of the plots, as the page has received them. They outlive a restart of the gateway.

export class Store {
  constructor() {
    this.columns = { time: [] };
    this.max = 600;
    this.marks = []; // {time, text}: restarts and reloads
  }

  get length() {
    return this.columns.time.length;
  }

  // add appends new points; those that are here already are skipped.
  add(series, max) {
    this.max = max;
    const last = this.columns.time.at(-1) ?? 0;
    const from = series.time.findIndex((t) => t > last);
    if (from < 0) return;
    const before = this.length;
    for (const name of Object.keys(series)) {
      const column = (this.columns[name] ??= new Array(before).fill(null));
      for (let i = from; i < series.time.length; i++) column.push(series[name][i]);
    }
    const surplus = this.length - this.max;
    for (const column of Object.values(this.columns)) {
      while (column.length < this.length) column.push(null); // a series that this version lacks
      if (surplus > 0 && column !== this.columns.time) column.splice(0, surplus);
    }
    if (surplus > 0) this.columns.time.splice(0, surplus);
    this.marks = this.marks.filter((m) => m.time >= this.columns.time[0]);
  }

  mark(time, text) {
    this.marks.push({ time, text });
  }

  column(name) {
    return this.columns[name] ?? [];
  }

  // latest is the mean of the last points of a series: single seconds are too restless to read.
  latest(name, points = 3) {
    const values = this.column(name).slice(-points).filter((v) => v !== null);
    return values.length === 0 ? null : values.reduce((a, b) => a + b, 0) / values.length;
  }

  // nearest returns the index of the point nearest to a time.
  nearest(time) {
    let best = -1;
    this.columns.time.forEach((t, i) => {
      if (best < 0 || Math.abs(t - time) < Math.abs(this.columns.time[best] - time)) best = i;
    });
    return best;
  }
}
