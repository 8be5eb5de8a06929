/** Formats a size: `7 B`, `312 kB`, `4.2 MB`, in decimal units. */
export function formatBytes(bytes: number): string {
  if (bytes < 1e3) return `${bytes} B`;
  if (bytes < 1e6) return `${Math.round(bytes / 1e3)} kB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`;
}

const counts = new Intl.NumberFormat('en');

/** Formats a number: `78,579`. */
export function formatCount(count: number): string {
  return counts.format(count);
}

/** A number of things: `1 file`, `78,579 files`. */
export function formatThings(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** Formats a duration, with a useful precision: `31 s`, `2 min`, `1 h 5 min`. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(1, Math.round(seconds));
  if (whole < 100) return `${whole} s`;
  const minutes = Math.round(whole / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** The first `length` UTF-16 units of a text, without half a character at the end, which programs refuse in JSON. */
export function prefixOf(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}
