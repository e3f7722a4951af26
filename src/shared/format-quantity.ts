const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const finite = (value: number): boolean => Number.isFinite(value);

/** Two neighbouring units, the second left out where it is 0: `2 h 14 min`. */
function pair(ms: number, big: number, bigName: string, small: number, smallName: string): string {
  const whole = Math.floor(ms / big);
  const rest = Math.floor((ms - whole * big) / small);
  return rest === 0 ? `${whole} ${bigName}` : `${whole} ${bigName} ${rest} ${smallName}`;
}

/** A length of time for people, at most two units: `820 ms`, `4.2 s`, `3 min 5 s`, `2 h 14 min`, `5 d 3 h`. */
export function formatDuration(ms: number): string {
  if (!finite(ms)) return 'unknown';
  if (ms < 0) return `-${formatDuration(-ms)}`;
  if (ms > 0 && ms < 1) return 'under 1 ms';
  if (Math.round(ms) < SECOND) return `${Math.round(ms)} ms`;
  const tenths = Math.round(ms / 100);
  if (tenths < 100) return tenths % 10 === 0 ? `${tenths / 10} s` : `${(tenths / 10).toFixed(1)} s`;
  const rounded = Math.round(ms / SECOND) * SECOND;
  if (rounded < MINUTE) return `${rounded / SECOND} s`;
  if (rounded < HOUR) return pair(rounded, MINUTE, 'min', SECOND, 's');
  if (rounded < DAY) return pair(rounded, HOUR, 'h', MINUTE, 'min');
  return pair(rounded, DAY, 'd', HOUR, 'h');
}

const BYTE_UNITS = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** A size for people in powers of 1024 with three figures: `512 B`, `1.50 KiB`, `20.0 MiB`. */
export function formatBytes(bytes: number): string {
  if (!finite(bytes)) return 'unknown';
  if (bytes < 0) return `-${formatBytes(-bytes)}`;
  if (bytes < 1024) return `${Math.round(bytes)} B`;
  let value = bytes / 1024;
  let unit = 0;
  while (value >= 999.5 && unit < BYTE_UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return `${value.toFixed(digits)} ${BYTE_UNITS[unit]}`;
}

/** An instant seen from another, in its biggest unit: `just now`, `in 5 min`, `3 h ago`. Both are ms since the epoch. */
export function formatRelative(atMs: number, nowMs: number): string {
  const distance = Math.abs(atMs - nowMs);
  if (!finite(distance)) return 'unknown';
  if (distance < 5 * SECOND) return 'just now';
  const [size, name] =
    distance < MINUTE
      ? [SECOND, 's']
      : distance < HOUR
        ? [MINUTE, 'min']
        : distance < DAY
          ? [HOUR, 'h']
          : ([DAY, 'd'] as const);
  const text = `${Math.floor(distance / size)} ${name}`;
  return atMs > nowMs ? `in ${text}` : `${text} ago`;
}
