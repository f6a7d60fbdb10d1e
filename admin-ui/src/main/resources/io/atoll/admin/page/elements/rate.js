// What a total grows by a second: from how it has grown since it was looked at before. Null until it was seen twice.
const LEAST_MILLIS = 1500;
const MOST_KEPT = 4096;

const before = new Map();

export function rate(key, total) {
  const now = performance.now();
  const known = before.get(key);
  if (!known) {
    if (before.size >= MOST_KEPT) {
      before.delete(before.keys().next().value);
    }
    before.set(key, { at: now, total, rate: null });
    return null;
  }
  if (now - known.at >= LEAST_MILLIS) {
    known.rate = Math.max(0, total - known.total) / (now - known.at) * 1000;
    known.at = now;
    known.total = total;
  }
  return known.rate;
}
