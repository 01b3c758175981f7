// Numbers with their units. Everything returns plain text.

const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
export const none = "–";

// significant returns a number with three digits, without zeros at its end.
function significant(v) {
  if (v === 0) return "0";
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(v))));
  return String(Number(v.toFixed(Math.min(digits, 6))));
}

function known(v) {
  return typeof v === "number" && Number.isFinite(v);
}

export function count(v) {
  return known(v) ? grouped.format(v) : none;
}

// short is a number in little space: 1.2k, 3.4M.
export function short(v) {
  if (!known(v)) return none;
  const size = Math.abs(v);
  if (size >= 1e9) return significant(v / 1e9) + "G";
  if (size >= 1e6) return significant(v / 1e6) + "M";
  if (size >= 1e4) return significant(v / 1e3) + "k";
  if (size > 0 && size < 10) return String(Number(v.toPrecision(2)));
  return size >= 100 ? grouped.format(v) : significant(v);
}

export function rate(v) {
  return known(v) ? short(v) + "/s" : none;
}

// time takes milliseconds.
export function time(ms) {
  if (!known(ms)) return none;
  if (ms === 0) return "0";
  if (ms < 1) return significant(ms * 1000) + " µs";
  return ms < 1000 ? significant(ms) + " ms" : significant(ms / 1000) + " s";
}

export function bytes(v) {
  if (!known(v)) return none;
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let i = 0;
  for (; v >= 1024 && i < units.length - 1; i++) v /= 1024;
  return significant(v) + " " + units[i];
}

export function percent(part, whole) {
  if (!known(part) || !known(whole) || whole <= 0) return none;
  const share = (100 * part) / whole;
  if (share > 99.9 && part < whole) return "> 99.9 %"; // 100 % says that nothing is missing
  if (share > 0 && share < 0.1) return "< 0.1 %";
  return significant(Math.round(share * 10) / 10) + " %";
}

// span takes seconds.
export function span(seconds) {
  const s = Math.max(0, Math.floor(seconds));
  if (s < 60) return s + " s";
  if (s < 3600) return Math.floor(s / 60) + " min " + (s % 60) + " s";
  if (s < 86400) return Math.floor(s / 3600) + " h " + Math.floor((s % 3600) / 60) + " min";
  return Math.floor(s / 86400) + " d " + Math.floor((s % 86400) / 3600) + " h";
}

// clock is a time of the day.
export function clock(ms, seconds = true) {
  const d = new Date(ms);
  const two = (n) => String(n).padStart(2, "0");
  return two(d.getHours()) + ":" + two(d.getMinutes()) + (seconds ? ":" + two(d.getSeconds()) : "");
}

// day is the day of a time and a space, or nothing for today.
export function day(ms) {
  const d = new Date(ms);
  return d.toDateString() === new Date().toDateString() ? "" : d.toLocaleDateString("en", { month: "short", day: "numeric" }) + " ";
}
