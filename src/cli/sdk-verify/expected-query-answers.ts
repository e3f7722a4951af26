/** What the query program of every adapter answers (docs/sdks.md#adapter), in any language. */

export const ok = (data: unknown) => ({ status: 'ok', data });
export const failed = (error: string) => ({ status: 'error', error });

/** Paths of an adapter, sorted as `/info` has them. */
export const PATHS: readonly string[] = [
  '/big',
  '/broken',
  '/config',
  '/echo',
  '/later',
  '/nothing',
  '/token',
  '/write',
];

/** How long `/later` takes. */
export const LATER_MS = 200;
/** The text of `/big`: 1 MiB in UTF-8, in half as many letters. */
export const BIG = 'é'.repeat(512 * 1024);

/** Path, status and body. */
export const ANSWERS: readonly (readonly [string, number, object])[] = [
  ['/echo', 200, ok({ path: '/echo', params: {}, n: '10' })],
  ['/later', 200, ok('late')],
  ['/nothing', 200, ok(null)],
  ['/config', 200, ok({ symbol: 'SPY', n: 5 })],
  ['/big', 200, ok(BIG)],
  ['/health', 200, ok({ status: 'healthy' })],
  ['/info', 200, ok({ available_queries: PATHS })],
  ['/none', 404, { ...failed('No handler for path: /none'), available: PATHS }],
  ['/broken', 500, failed('no luck')],
  ['/write', 500, failed('A query must not change state: write it in the bot, read it in the handler')],
];

const SHOWN = 200;

/** A value as a message shows it. */
export function short(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
