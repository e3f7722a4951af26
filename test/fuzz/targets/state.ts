import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PlatformError } from '../../../src/contract/errors.ts';
import { decodeKey, encodeKey, keyProblem } from '../../../src/main/host/state/key-name.ts';
import { LocalState } from '../../../src/main/host/state/local-state.ts';
import { readValue } from '../../../src/main/host/state/read-value.ts';
import type { SeededRandom } from '../../support/seeded-random.ts';
import { anyJson, mutateBytes, mutateText } from '../mutate.ts';
import { expectThat, type FuzzTarget } from '../target.ts';

const KEYS = ['bot_state', 'a.b', '.hidden', '%41', 'é🙂', 'CON', 'x'.repeat(128), 'a b'];
const NOW = { now: Date.now, wait: () => Promise.resolve() };

/** A state key and the bytes of its file, which a bot may have written itself: the value, or an error that says why not. */
export const state: FuzzTarget = {
  name: 'state',
  limitMs: 5000,
  make(random: SeededRandom) {
    const key = mutateText(random, random.pick(KEYS), ['..', '/', '\\', '\0', '%', '.json']);
    const value = Buffer.from(JSON.stringify(anyJson(random, 4))).toString('latin1');
    return JSON.stringify([key, random.below(2) === 0 ? value : mutateBytes(random, value)]);
  },
  async open(dir) {
    const folder = join(dir, '.platform');
    mkdirSync(folder);
    return {
      async run(input) {
        const [key, bytes]: [string, string] = JSON.parse(input);
        if (keyProblem(key) !== null) return;
        const name = encodeKey(key);
        expectThat(/^[\w.%-]+$/.test(name) && !name.startsWith('.'), `the file of a key is ${JSON.stringify(name)}`);
        // Halves of characters cannot be written as UTF-8.
        if (key.isWellFormed()) expectThat(decodeKey(name) === key, `${JSON.stringify(key)} is not read as written`);
        const file = join(folder, name);
        writeFileSync(file, Buffer.from(bytes, 'latin1'));
        try {
          const found = await readValue(new LocalState(dir), key, NOW);
          const wanted: unknown = JSON.parse(Buffer.from(bytes, 'latin1').toString('utf8'));
          expectThat(JSON.stringify(found?.value) === JSON.stringify(wanted), 'another value than the file holds');
        } catch (error) {
          if (!(error instanceof PlatformError && error.code === 'INVALID_REQUEST')) throw error;
        } finally {
          rmSync(file, { force: true });
        }
      },
      close: () => Promise.resolve(),
    };
  },
};
