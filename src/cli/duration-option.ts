import { UsageError } from './usage-error.ts';

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** A length of time such as 90s, 5m, 2h or 1d as seconds; a number alone is seconds. Throws UsageError. */
export function durationOption(option: string, text: string, words: string): number {
  const [, digits = '', unit = 's'] = /^(\d{1,9})([smhd])?$/.exec(text) ?? [];
  if (digits === '') throw new UsageError(`--${option} takes a time such as 90s, 5m, 2h or 1d, not "${text}".`, words);
  return Number(digits) * (unit === 'm' || unit === 'h' || unit === 'd' ? SECONDS[unit] : 1);
}
