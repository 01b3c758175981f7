// JavaScript's JSON.parse. All of its numbers are doubles.
import { Buffer } from "node:buffer";

const places = process.argv.slice(2).map((p) => p.split("/").slice(1));

function shown(value, nested) {
  switch (typeof value) {
    case "string":
      return "s" + Buffer.from(value, "utf8").toString("hex");
    case "number": {
      const bits = Buffer.alloc(8);
      bits.writeDoubleBE(value);
      return "n" + bits.toString("hex");
    }
    case "boolean":
      return value ? "t" : "f";
    case "object":
      if (value === null) return "-";
      if (!Array.isArray(value)) return "{";
      return "[" + (nested ? "" : value.map((v) => shown(v, true)).join(",")) + "]";
  }
  return "-"; // undefined
}

function values(text) {
  let root;
  try {
    root = JSON.parse(text);
  } catch {
    return "refused";
  }
  return places
    .map((segments) => {
      let value = root;
      for (const name of segments) value = value === null || typeof value !== "object" ? undefined : value[name];
      return shown(value, false);
    })
    .join("\t");
}

let rest = Buffer.alloc(0);
for await (const chunk of process.stdin) {
  rest = rest.length ? Buffer.concat([rest, chunk]) : chunk;
  let at = 0;
  let lines = "";
  while (rest.length >= at + 4 && rest.length >= at + 4 + rest.readUInt32BE(at)) {
    const end = at + 4 + rest.readUInt32BE(at);
    lines += values(rest.toString("utf8", at + 4, end)) + "\n";
    at = end;
  }
  rest = rest.subarray(at);
  if (lines) process.stdout.write(lines);
}
