// What differs between two texts of JSON, token by token (Myers, "An O(ND) Difference Algorithm").

const tokens = /"(?:[^"\\]|\\[\s\S])*"|[^\s"{}[\],:]+|\s+|[{}[\],:"]/g;
const differencesMax = 400; // tokens; beyond, everything between the first and the last one differs

// diff returns parts in order: {kind, text}, where kind is "same", "removed" or "added".
export function diff(before, after) {
  const a = before.match(tokens) ?? [], b = after.match(tokens) ?? [];
  let from = 0, end = 0;
  while (from < a.length && from < b.length && a[from] === b[from]) from++;
  while (end < a.length - from && end < b.length - from && a.at(-1 - end) === b.at(-1 - end)) end++;
  const inner = [a.slice(from, a.length - end), b.slice(from, b.length - end)];
  const steps = script(...inner) ?? [...inner[0].map((text) => ["removed", text]), ...inner[1].map((text) => ["added", text])];
  return joined([...a.slice(0, from).map(same), ...steps, ...a.slice(a.length - end).map(same)]);
}

const same = (text) => ["same", text];

// script returns the shortest list of steps, or null if it is too long.
function script(a, b) {
  const rows = [];
  let row = new Map([[1, 0]]);
  for (let d = 0; d <= Math.min(a.length + b.length, differencesMax); d++) {
    rows.push(new Map(row));
    for (let k = -d; k <= d; k += 2) {
      let x = down(row, k, d) ? row.get(k + 1) : row.get(k - 1) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      row.set(k, x);
      if (x >= a.length && x - k >= b.length) return back(a, b, rows);
    }
  }
  return null;
}

const down = (row, k, d) => k === -d || (k !== d && (row.get(k - 1) ?? -1) < (row.get(k + 1) ?? -1));

// back walks from the end to the beginning.
function back(a, b, rows) {
  const steps = [];
  let x = a.length, y = b.length;
  for (let d = rows.length - 1; d >= 0; d--) {
    const k = x - y;
    const next = down(rows[d], k, d) ? k + 1 : k - 1;
    const px = d === 0 ? 0 : rows[d].get(next), py = d === 0 ? 0 : px - next;
    while (x > px && y > py && x > 0 && y > 0 && a[x - 1] === b[y - 1]) {
      steps.unshift(same(a[x - 1]));
      x--;
      y--;
    }
    if (d === 0) break;
    if (x === px) steps.unshift(["added", b[--y]]);
    else steps.unshift(["removed", a[--x]]);
  }
  return steps;
}

// joined puts steps of the same kind together.
function joined(steps) {
  const parts = [];
  for (const [kind, text] of steps) {
    if (parts.at(-1)?.kind === kind) parts.at(-1).text += text;
    else parts.push({ kind, text });
  }
  return parts;
}
