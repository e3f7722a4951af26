import { describe, expect, it } from 'vitest';
import { BotOptions } from '../../../../../src/contract/bot.ts';
import { deployEnd, deploySteps } from '../../../../../src/renderer/components/deploy-steps.ts';
import { checkConfig } from '../../../../../src/renderer/components/schema-form/check-config.ts';
import { moveWord } from '../../../../../src/renderer/components/version-move.ts';
import {
  freeName,
  type OfferedEngines,
  optionsSchema,
  planOf,
  requestOf,
  requestText,
  startLike,
  withAllowedEngine,
} from '../../../../../src/renderer/pages/deploy/draft.ts';
import { toldBy } from '../../../../../src/renderer/pages/deploy/problems-by-field.ts';

const DRAFT = {
  name: "Ada's bot",
  config: { a: 1 },
  schedule: '0 * * * *',
  timezone: 'UTC',
  options: {},
  enabled: true,
};

describe('a duplicate', () => {
  it('has all of the bot but its secrets, and is switched off', () => {
    const schema = {
      type: 'object',
      properties: { api_key: { type: 'string' }, levels: { type: 'array' }, venue: { type: 'object' } },
    };
    const config = {
      api_key: 'typed in clear',
      symbol: 'ETH',
      levels: [1, '********'],
      venue: { pass: '********', n: 2 },
    };
    const bot = { name: 'Grid', config, schedule: '0 * * * *', timezone: 'Asia/Tokyo', options: { memory_mb: 64 } };
    expect(startLike(schema, bot)).toEqual({
      name: 'Grid copy',
      config: { symbol: 'ETH', levels: [1], venue: { n: 2 } },
      schedule: '0 * * * *',
      timezone: 'Asia/Tokyo',
      options: { memory_mb: 64 },
      enabled: false,
    });
  });
});

describe('a request to deploy', () => {
  it('leaves out what is left to its defaults', () => {
    const realtime = { name: 'grid', version: '1.0.0', type: 'realtime' } as const;
    expect(requestOf(realtime, DRAFT, 'bot_1')).toEqual({ ...requestOf(realtime, DRAFT), guards_of: 'bot_1' });
    expect(requestOf(realtime, DRAFT)).toEqual({
      name: "Ada's bot",
      type: 'realtime/grid',
      version: '1.0.0',
      config: { a: 1 },
    });
    const changed = { ...DRAFT, timezone: 'Asia/Tokyo', enabled: false, options: { memory_mb: 64 } };
    expect(requestOf({ ...realtime, type: 'scheduled' }, changed)).toMatchObject({
      schedule: '0 * * * *',
      timezone: 'Asia/Tokyo',
      enabled: false,
      options: { memory_mb: 64 },
    });
  });

  it('reads in a file as it runs, and says what is in the form', () => {
    const hard = { ...DRAFT, name: 'a\u202etob', config: { text: 'one\ntwo \\n "three"' } };
    const request = requestOf({ name: 'grid', version: '1.0.0', type: 'realtime' }, hard);
    const text = requestText(request);
    expect(text).toContain('"name": "a\\u202etob",\n');
    expect(JSON.parse(text)).toEqual(request);
  });

  it('begins with a name that is free', () => {
    expect(freeName('grid', new Set(['grid', 'grid 2']))).toBe('grid 3');
  });
});

describe('a schedule', () => {
  it('is told in words with its next times', () => {
    const plan = planOf('0 14 * * 1-5', 'UTC', Date.parse('2026-01-02T14:00:00Z'), 2);
    expect(plan).toEqual({
      words: 'every weekday at 14:00 UTC',
      times: [Date.parse('2026-01-05T14:00:00Z'), Date.parse('2026-01-06T14:00:00Z')],
    });
  });

  it('that is none is told with what to do', () => {
    expect(planOf('61 * * * *', 'UTC', 0)).toMatchObject({
      problem: expect.stringContaining('minute field'),
      field: 'schedule',
    });
    expect(planOf('* * * * *', 'Berlin', 0)).toMatchObject({ hint: 'Write "Europe/Berlin".', field: 'timezone' });
    // In the night between, the clock of Berlin is set to summer time.
    expect(planOf('0 9 * * *', 'Europe/Berlin', Date.parse('2026-03-28T12:00Z'), 1)).toEqual({
      words: 'every day at 09:00 Europe/Berlin',
      times: [Date.parse('2026-03-29T07:00Z')],
    });
  });
});

const OFFERED: OfferedEngines = {
  engines: [
    { name: 'docker', summary: 'In a container', options: ['cpus', 'tmp_mb', 'network'] },
    { name: 'process', summary: 'As a process', options: [] },
  ],
  allowed: undefined,
};

describe('the options of the form', () => {
  it('are those of the contract, with its limits', () => {
    const { properties } = optionsSchema('scheduled', 'docker', OFFERED) as { properties: Record<string, object> };
    expect(Object.keys(properties).sort()).toEqual(Object.keys(BotOptions.shape).sort());
    const contract = (options: object): boolean => BotOptions.safeParse(options).success;
    const form = (options: object): boolean =>
      checkConfig(optionsSchema('scheduled', 'docker', OFFERED), options).length === 0;
    for (const key of ['memory_mb', 'cpus', 'tmp_mb', 'max_processes', 'max_open_files', 'timeout_sec']) {
      for (const value of [0, 0.05, 1, 15, 16, 17.5, 256, 257, 65_536, 100_001, 604_801, 1_048_577]) {
        expect([key, value, form({ [key]: value })]).toEqual([key, value, contract({ [key]: value })]);
      }
    }
  });

  it('offer the engines alone that the host lets a new bot have, and say why', () => {
    const engineOf = (allowed?: readonly string[]) =>
      (optionsSchema('realtime', 'docker', { ...OFFERED, allowed }).properties as Record<string, object>).engine;
    expect(engineOf()).toMatchObject({
      enum: ['docker', 'process'],
      description: 'docker: In a container. process: As a process.',
    });
    expect(optionsSchema('realtime', '', { engines: [], allowed: undefined }).properties).toMatchObject({
      engine: { enum: ['docker', 'sandbox', 'process'] },
    });
    expect(engineOf(['docker'])).toMatchObject({
      enum: ['docker'],
      description: expect.stringContaining('less than this host demands'),
    });
    expect(withAllowedEngine({ engine: 'process', cpus: 2 }, ['docker'])).toEqual({ cpus: 2 });
    expect(withAllowedEngine({ engine: 'docker' }, ['docker'])).toEqual({ engine: 'docker' });
  });

  it('offer a local process and a realtime bot only what they can be held to', () => {
    const { properties } = optionsSchema('realtime', 'process', OFFERED) as { properties: Record<string, object> };
    expect(Object.keys(properties)).toEqual(['engine', 'memory_mb', 'max_processes', 'max_open_files']);
  });
});

describe('what the host refuses', () => {
  it('stands at its field', () => {
    const details = [
      { path: 'config.levels[0].x', message: 'is required' },
      { path: 'options.memory_mb', message: 'must be at least 16', hint: 'More.' },
      { path: 'schedule', message: 'has six fields', hint: 'Write five.' },
    ];
    expect(toldBy({ code: 'INVALID_REQUEST', message: '', details })).toEqual({
      name: undefined,
      schedule: 'has six fields. Write five.',
      timezone: undefined,
      config: [details[0]],
      options: [{ path: 'config.memory_mb', message: 'must be at least 16', hint: 'More.' }],
      placed: true,
    });
    expect(toldBy({ code: 'NAME_TAKEN', message: 'Taken', details: null }).name).toBe('Taken');
    expect(toldBy({ code: 'ENGINE_UNAVAILABLE', message: '', details: null }).placed).toBe(false);
    expect(toldBy(null).placed).toBe(false);
  });
});

describe('the steps of a deployment', () => {
  const reason = (code: string) => ({ code, message: 'words', hint: null, at: '' });
  const bot = { status: 'starting', reason: null, type: 'realtime/grid', enabled: true } as const;
  const states = (...args: Parameters<typeof deploySteps>) => deploySteps(...args).map((one) => one.state);

  it('go on one after the other', () => {
    expect(states({ phase: 'publishing', bot: null }, true)).toEqual(['going', 'waiting', 'waiting', 'waiting']);
    expect(states({ phase: 'deploying', bot: null }, true)).toEqual(['done', 'going', 'waiting', 'waiting']);
    expect(states({ phase: 'starting', bot: { ...bot, reason: reason('PREPARING') } }, false)).toEqual([
      'done',
      'going',
      'waiting',
    ]);
    expect(states({ phase: 'starting', bot }, false)).toEqual(['done', 'done', 'going']);
    expect(states({ phase: 'starting', bot: { ...bot, status: 'running' } }, false)).toEqual(['done', 'done', 'done']);
  });

  it('say what the host gets ready, and why it failed', () => {
    expect(deploySteps({ phase: 'starting', bot: { ...bot, reason: reason('PREPARING') } }, false)[1]?.note).toBe(
      'words',
    );
    const failed = { phase: 'starting', bot: { ...bot, status: 'backing_off', reason: reason('CRASHED') } } as const;
    expect(deploySteps(failed, false)[2]).toMatchObject({ state: 'failed', note: 'words' });
    expect(deployEnd(failed)).toBe('failed');
  });

  it('end where the bot should be', () => {
    expect(deployEnd({ phase: 'starting', bot: { ...bot, status: 'stopped', enabled: false } })).toBe('done');
    expect(deployEnd({ phase: 'starting', bot: { ...bot, type: 'scheduled/x', status: 'scheduled' } })).toBe('done');
    expect(deployEnd({ phase: 'deploying', bot: null })).toBeNull();
  });
});

describe('a change of version', () => {
  it('is called going back when all go back', () => {
    const versions = ['1.10.0', '1.9.0', '1.0.0'];
    expect(moveWord(versions, '1.9.0', [{ version: '1.10.0' }, { version: '1.9.0' }])).toBe('Roll back');
    expect(moveWord(versions, '1.9.0', [{ version: '1.10.0' }, { version: '1.0.0' }])).toBe('Update');
    expect(moveWord(versions, '1.10.0', [])).toBe('Update');
  });
});
