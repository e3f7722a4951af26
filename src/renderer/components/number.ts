const MINUS = '−';
/** More places than this are noise for people. */
const MOST_PLACES = 12;

function placesOf(size: number): number {
  if (size === 0 || Number.isInteger(size)) return 0;
  // Prices keep two places, small values four figures.
  const figures = size >= 1 ? Math.max(2, 6 - Math.ceil(Math.log10(size + 1))) : 3 - Math.floor(Math.log10(size));
  return Math.min(MOST_PLACES, figures);
}

/** A measured value for people: about six figures, thousands apart, so that values of one series keep their width. */
export function formatNumber(value: number, most = MOST_PLACES, least = 0): string {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  const sign = value < 0 ? MINUS : '';
  if (size !== 0 && (size < 1e-6 || size >= 1e15)) return `${sign}${size.toExponential(3)}`;
  const places = Math.min(most, placesOf(size));
  const text = size.toLocaleString('en-US', {
    minimumFractionDigits: least,
    maximumFractionDigits: Math.max(least, places),
  });
  const fraction = text.split('.')[1] ?? '';
  return `${sign}${size >= 1 && fraction.length === 1 && places > 1 ? `${text}0` : text}`;
}

/** Returns the number of decimal places of the longest text among these values. */
export function decimalsOf(...values: readonly number[]): number {
  return Math.max(0, ...values.map((value) => formatNumber(value).split('.')[1]?.length ?? 0));
}

/** Renders the change of a value: sign, difference, and per cent where that means something. */
export function formatChange(from: number, to: number): string {
  const by = to - from;
  if (by === 0) return 'no change';
  const sign = by > 0 ? '+' : MINUS;
  // Across zero a share says nothing.
  const part = from === 0 || from < 0 !== to < 0 ? null : (Math.abs(by) / Math.abs(from)) * 100;
  const exact = formatNumber(Math.abs(by), Math.max(1, decimalsOf(to)));
  const difference = exact === '0' ? formatNumber(Number(Math.abs(by).toPrecision(2))) : exact;
  if (part === null || part >= 10_000) return `${sign}${difference}`;
  return `${sign}${difference} (${sign}${part < 0.01 ? '<0.01' : part.toFixed(part < 10 ? 2 : 1)} %)`;
}

/** The change of a value where there is little room: its share, or the difference where a share says nothing. */
export function changeWords(from: number, to: number): string {
  const share = /\((.+)\)$/.exec(formatChange(from, to))?.[1];
  return from === to ? 'unchanged' : (share ?? formatChange(from, to));
}

/** A count where there is little room: `999`, `1.2K`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US', { notation: 'compact', maximumFractionDigits: 1 });
}
