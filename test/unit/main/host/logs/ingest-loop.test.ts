import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { BotIngest } from '../../../../../src/main/host/logs/bot-ingest.ts';
import { IngestLoop } from '../../../../../src/main/host/logs/ingest-loop.ts';
import { ReadBuffers } from '../../../../../src/main/host/logs/spool-tail.ts';
import { ledgerParts } from '../../../../support/ledger-parts.ts';
import { logRows } from '../../../../support/log-files.ts';
import { tempDir } from '../../../../support/temp.ts';

const HEAD = 'Traceback (most recent call last):\n';
const REST = '  File "bot.py", line 1, in <module>\n    look()\nKeyError: \'TSLA\'\n';

/** The loop with one file of a bot, on a clock that the test moves. */
class OneFile {
  readonly #dataDir = tempDir('ingest-loop-');
  readonly #path = join(this.#dataDir, 'bots/bot_1/runs/run_1/bot.out');
  readonly loop = new IngestLoop({
    dataDir: this.#dataDir,
    retention: () => ({ days: 30, bytes: 1e9 }),
    shortage: () => null,
    buffers: new ReadBuffers(),
    ...ledgerParts(this.#dataDir),
    now: () => 5000,
    emit: () => undefined,
  });

  constructor() {
    mkdirSync(dirname(this.#path), { recursive: true });
    this.print('');
    this.loop.openBot('bot_1', []);
    this.attach('run_1');
    onTestFinished(() => this.loop.end());
  }

  attach(runId: string): void {
    this.loop.attach({ botId: 'bot_1', runId, path: this.#path, source: 'stderr' });
  }

  print(text: string): void {
    appendFileSync(this.#path, text);
  }

  stored(): string[] {
    return [...logRows<{ line: string }>(this.#dataDir, 'bot_1', 'select line from log order by seq')].map(
      ({ line }) => line,
    );
  }
}

describe('a traceback that is written in parts', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate', 'performance'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
  });

  it('is one entry, also when the bot was silent for long before', () => {
    const file = new OneFile();
    file.print('begun\n');
    vi.advanceTimersByTime(60_000);
    file.print(HEAD);
    vi.advanceTimersByTime(900);
    expect(file.stored()).toEqual(['begun']);
    file.print(REST);
    vi.advanceTimersByTime(300);
    expect(file.stored()).toEqual(['begun', (HEAD + REST).trimEnd()]);
  });

  it('is stored as far as it has come when the rest stays away, and at once when its program has ended', () => {
    const file = new OneFile();
    file.print(HEAD);
    vi.advanceTimersByTime(1500);
    expect(file.stored()).toEqual([HEAD.trimEnd()]);
    const other = new OneFile();
    other.print(HEAD);
    void other.loop.finish('bot_1', 'run_1');
    vi.advanceTimersByTime(200);
    expect(other.stored()).toEqual([HEAD.trimEnd()]);
  });
});

const idsOf = (bots: readonly unknown[]): string[] =>
  bots.map((bot) => (bot instanceof BotIngest ? bot.botId : 'another'));

describe('a bot at rest', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate', 'performance'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
  });

  it('has what the host says of it stored, and its program when it prints again', () => {
    const file = new OneFile();
    file.print('begun\n');
    void file.loop.finish('bot_1', 'run_1');
    vi.advanceTimersByTime(130_000);
    expect(file.stored()).toEqual(['begun']);
    file.loop.hostLine('bot_1', 'info', 'still there', null);
    vi.advanceTimersByTime(300);
    expect(file.stored()).toEqual(['begun', 'still there']);
    vi.advanceTimersByTime(130_000);
    file.attach('run_2');
    file.print('back\n');
    vi.advanceTimersByTime(1500);
    expect(file.stored()).toEqual(['begun', 'still there', 'back']);
  });

  it('is asked nothing in a pulse while another one prints', () => {
    const file = new OneFile();
    file.loop.know(Array.from({ length: 200 }, (_, at) => `quiet_${at}`));
    vi.advanceTimersByTime(130_000);
    const asked = vi.spyOn(BotIngest.prototype, 'needsCommit', 'get');
    for (let round = 0; round < 10; round += 1) {
      file.print('line\n');
      vi.advanceTimersByTime(25);
    }
    const bots = new Set(idsOf(asked.mock.contexts));
    expect([...bots].filter((botId) => botId.startsWith('quiet')).length).toBeLessThan(20);
    expect(bots).toContain('bot_1');
  });

  it('has its turn of retention once a minute, also when nobody opened its log', () => {
    const file = new OneFile();
    const turns = vi.spyOn(BotIngest.prototype, 'retain');
    file.loop.know(['quiet_1', 'quiet_2']);
    vi.advanceTimersByTime(2000);
    const first = idsOf(turns.mock.contexts);
    expect(first.toSorted()).toEqual(['bot_1', 'quiet_1', 'quiet_2']);
    vi.advanceTimersByTime(60_000);
    expect(turns).toHaveBeenCalledTimes(6);
    file.loop.retentionChanged();
    vi.advanceTimersByTime(200);
    expect(turns).toHaveBeenCalledTimes(9);
  });
});
