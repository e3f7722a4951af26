const MINUS = '−';

/** A measured value for people: about six figures, thousands apart, so that values of one series keep their width. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-6 || size >= 1e15)) return value.toExponential(3).replace('-', MINUS);
  if (Number.isInteger(value)) return signed(value, size.toLocaleString('en-US'));
  // Prices keep two places, what is small keeps four figures.
  const places = size >= 1 ? Math.max(2, 6 - Math.ceil(Math.log10(size + 1))) : 3 - Math.floor(Math.log10(size));
  const text = size.toLocaleString('en-US', { minimumFractionDigits: 0, maximumFractionDigits: Math.min(12, places) });
  const fraction = text.split('.')[1] ?? '';
  return signed(value, size >= 1 && fraction.length === 1 ? `${text}0` : text);
}

function signed(value: number, size: string): string {
  return value < 0 ? `${MINUS}${size}` : size;
}

/** How a value moved: sign, difference, and per cent where that means something. */
export function formatChange(from: number, to: number): string {
  const by = to - from;
  if (by === 0) return 'no change';
  const sign = by > 0 ? '+' : MINUS;
  const part = from === 0 ? null : (Math.abs(by) / Math.abs(from)) * 100;
  const difference = formatNumber(Number(Math.abs(by).toPrecision(6)));
  if (part === null || part >= 10_000) return `${sign}${difference}`;
  return `${sign}${difference} (${sign}${part < 0.01 ? '<0.01' : part.toFixed(part < 10 ? 2 : 1)} %)`;
}
