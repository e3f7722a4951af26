/** The SVG path of a small line through values, within a box; the line of a constant value runs in the middle. */
export function sparklinePath(values: readonly number[], width: number, height: number): string {
  const low = Math.min(...values);
  const high = Math.max(...values);
  const step = width / Math.max(1, values.length - 1);
  const y = (value: number): number => (high === low ? height / 2 : ((high - value) / (high - low)) * height);
  return values.map((value, index) => `${index === 0 ? 'M' : 'L'}${round(index * step)} ${round(y(value))}`).join('');
}

const round = (value: number): number => Math.round(value * 10) / 10;
