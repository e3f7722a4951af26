import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';
import type { Engine } from './docker/suite-daemon.ts';

export { dockerAt, USUAL_IMAGES } from '../../scripts/test-images.ts';
export { Daemon, type DaemonOptions } from './docker/daemon.ts';
export { leftOvers } from './docker/left-overs.ts';
export { type Layer, Registry } from './docker/registry.ts';
export { whyNoDaemon } from './docker/suite-daemon.ts';

/**
 * The Docker engine of this run, started for the first test that asks, or why there is none:
 *
 *     const engine = await dockerForTests();
 *     describe.skipIf('reason' in engine)('…', …)
 */
export async function dockerForTests(): Promise<Engine> {
  const port = inject('dockerPort');
  if (port === undefined) return { reason: 'this project of vitest.config.ts has no Docker' };
  const answer: Engine | { readonly failed: string } = JSON.parse(await text(connect(port, '127.0.0.1')));
  if ('failed' in answer) throw new Error(`There is no Docker engine for the tests. ${answer.failed}`);
  return answer;
}
