import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLogger, type LoggerOptions } from '../../../src/node/logger.ts';
import { tempDir } from '../../support/temp.ts';

const clock = { now: () => Date.UTC(2026, 0, 2, 3, 4, 5, 6), monotonic: () => 0 };

function open(over: Partial<LoggerOptions> = {}) {
  const dir = tempDir();
  const file = join(dir, 'host.log');
  const echoed: string[] = [];
  const logger = createLogger({ file, mask: (line) => line, clock, echo: (line) => echoed.push(line), ...over });
  onTestFinished(() => logger.close());
  const lines = (name = 'host.log') =>
    readFileSync(join(dir, name), 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  return { dir, file, logger, echoed, lines };
}

describe('the host log', () => {
  it('is one JSON object a line, for its owner alone', () => {
    const { logger, lines, file, echoed } = open();
    logger.info('started', { port: 4747 });
    logger.error('failed', { error: new RangeError('too far', { cause: 'reason' }), big: 5n });
    const [first = '', second = ''] = lines();
    expect(JSON.parse(first)).toEqual({
      time: '2026-01-02T03:04:05.006Z',
      level: 'info',
      message: 'started',
      port: 4747,
    });
    expect(JSON.parse(second)).toMatchObject({
      error: { name: 'RangeError', message: 'too far', cause: 'reason' },
      big: '5',
    });
    expect(echoed).toEqual(lines());
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('leaves out what is below its level and what comes after its end', () => {
    const { logger, lines } = open({ level: 'warn' });
    logger.info('no');
    logger.warn('yes');
    logger.close();
    logger.error('too late');
    expect(lines().map((line) => JSON.parse(line).message)).toEqual(['yes']);
  });

  it('masks the whole line before anybody sees it', () => {
    const { logger, lines, echoed } = open({ mask: (line) => line.replaceAll('hunter2', '********') });
    logger.info('key hunter2', { nested: { token: 'hunter2' } });
    expect([...lines(), ...echoed].join('\n')).not.toContain('hunter2');
  });

  it('logs what cannot be written as JSON', () => {
    const { logger, lines } = open();
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    logger.info('round', { circle });
    expect(JSON.parse(lines()[0] ?? '')).toMatchObject({
      message: 'round',
      unloggable: expect.stringContaining('circular'),
    });
  });

  it('begins a new file when one is full and keeps only so many', () => {
    const { logger, dir, lines } = open({ maxBytes: 200, keep: 2 });
    for (let n = 0; n < 20; n++) logger.info(`line ${n}`, { pad: 'x'.repeat(40) });
    expect(readdirSync(dir).sort()).toEqual(['host.log', 'host.log.1', 'host.log.2']);
    const messages = ['host.log.2', 'host.log.1', 'host.log'].flatMap((name) =>
      lines(name).map((line) => JSON.parse(line).message),
    );
    expect(messages.at(-1)).toBe('line 19');
    expect(messages).toEqual(messages.map((_, at) => `line ${20 - messages.length + at}`));
  });
});
