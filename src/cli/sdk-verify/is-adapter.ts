import { type Adapter, end, makePlace, startAdapter, within } from './adapter.ts';

/** A function that no SDK has. */
const NONE = 'no.such.function';
const ANSWER_MS = 10_000;

/** True for a program that says it does not know a function which no SDK has, as an adapter does; in the empty folder `dir`. */
export async function isAdapter(adapter: Adapter, dir: string): Promise<boolean> {
  const running = startAdapter(adapter, makePlace(dir));
  try {
    running.child.stdin?.end(JSON.stringify({ steps: [{ fn: NONE, args: [] }] }));
    const ended = await within(ANSWER_MS, running.ended);
    return ended?.code === 64 && ended.stderr.trimEnd().split('\n').at(-1) === `unknown function: ${NONE}`;
  } finally {
    await end(running);
  }
}
