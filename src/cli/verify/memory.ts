import { formatBytes } from '../../shared/format-quantity.ts';
import { type Check, subject } from '../check-result.ts';
import type { Trial } from './trial.ts';

/** Time and memory of one measurement, milliseconds and bytes. */
interface Sample {
  readonly at: number;
  readonly bytes: number;
}

/** Less than this is what runtimes take while they warm up, bytes and bytes a second. */
const GROWTH = 8 * 1024 ** 2;
const SLOPE = 256 * 1024;
/** Fewer samples show no slope. */
const ENOUGH = 9;

const memory = subject(
  'memory',
  'Memory',
  'The system eventually kills a program that keeps growing, whatever it is doing then.',
);

function median(samples: readonly Sample[]): Sample {
  const sorted = [...samples].sort((a, b) => a.bytes - b.bytes);
  const middle = sorted[Math.floor(sorted.length / 2)];
  const first = samples[0];
  const last = samples.at(-1);
  if (middle === undefined || first === undefined || last === undefined) throw new RangeError('no samples');
  return { bytes: middle.bytes, at: (first.at + last.at) / 2 };
}

/** Watches what the programs of a bot take. The first third is left out: programs take most of their memory at their start. */
export class MemoryWatch {
  readonly #samples: Sample[] = [];

  async look({ client }: Pick<Trial, 'client'>, botId: string): Promise<void> {
    const { programs } = await client.call('bots.stats', { bot_id: botId });
    const bytes = programs.reduce((sum, one) => sum + one.memory_bytes, 0);
    if (bytes > 0) this.#samples.push({ at: performance.now(), bytes });
  }

  check(): Check {
    const all = this.#samples;
    const most = all.reduce((bytes, one) => Math.max(bytes, one.bytes), 0);
    if (all.length < ENOUGH) {
      return memory.spare(
        most === 0 ? 'it ended before it could be measured' : `${formatBytes(most)}; too short to see a growth`,
      );
    }
    const third = Math.floor(all.length / 3);
    const [early, late] = [median(all.slice(third, 2 * third)), median(all.slice(2 * third))];
    const grown = late.bytes - early.bytes;
    const slope = (grown / (late.at - early.at)) * 1000;
    const seconds = ((all.at(-1)?.at ?? 0) - (all[0]?.at ?? 0)) / 1000;
    const text = `${formatBytes(late.bytes)} after ${seconds.toFixed(0)} s`;
    if (grown < GROWTH || slope < SLOPE) return memory.ok(text);
    return memory.fault(
      `${text}, growing by ${formatBytes(slope)} a second`,
      'Look for lists and maps that only grow; measure for longer with --seconds 60.',
    );
  }
}
