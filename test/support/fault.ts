import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { FaultPoint } from '../../src/node/fault-point.ts';
import { tempDir } from './temp.ts';

const LISTENER = pathToFileURL(join(import.meta.dirname, 'fault.mjs')).href;

/** Where hosts that are started with `env` die, at any time of the test's choice. */
export class Fault {
  readonly #file = join(tempDir('platform-fault-'), 'point');

  constructor() {
    this.set(null);
  }

  /** To be added to the environment of a host. */
  get env(): Readonly<Record<string, string>> {
    return { NODE_OPTIONS: `--import ${LISTENER}`, TEST_FAULT_FILE: this.#file };
  }

  /** From now on the hosts die where they reach this point, or reach it for the n-th time since they began, or nowhere. */
  set(point: FaultPoint | null, nth = 1): void {
    writeFileSync(this.#file, point === null ? '' : `${point} ${nth}`);
  }
}
