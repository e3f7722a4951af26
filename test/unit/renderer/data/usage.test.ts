import { describe, expect, it } from 'vitest';
import type { BotStats } from '../../../../src/contract/bot-stats.ts';
import { formatCpu, usageOf } from '../../../../src/renderer/data/usage.ts';

type Program = BotStats['programs'][number];

const START = Date.parse('2026-01-01T00:00:00.000Z');
const program = (role: Program['role'], run: string, cpu: number): Program => ({
  role,
  run_id: run,
  started_at: new Date(START).toISOString(),
  cpu_ms: cpu,
  memory_bytes: 100,
  processes: 2,
  network: null,
});
const look = (sec: number, ...programs: Program[]): BotStats => ({
  bot_id: 'bot_1',
  engine: 'process',
  at: new Date(START + sec * 1000).toISOString(),
  restarts: 0,
  programs,
});

describe('usageOf', () => {
  it('says nothing of a bot of which nothing runs', () => {
    expect(usageOf(look(0), null)).toBeNull();
  });

  it('adds its programs up and needs two looks to tell how busy they are', () => {
    const first = usageOf(look(10, program('bot', 'r1', 1000), program('query', 'r1', 50)), null);
    expect(first).toMatchObject({ cpu: null, memory: 200, processes: 4, network: null });
    const second = usageOf(look(12, program('bot', 'r1', 2000), program('query', 'r1', 50)), first);
    expect(second?.cpu).toBe(0.5);
  });

  it('does not count the life of a new run as one moment, nor go below nothing', () => {
    const first = usageOf(look(10, program('bot', 'r1', 90_000)), null);
    expect(usageOf(look(12, program('bot', 'r2', 300)), first)?.cpu).toBeNull();
    expect(usageOf(look(12, program('bot', 'r1', 80_000)), first)?.cpu).toBe(0);
  });

  it('counts a program that came beside the first one from its start', () => {
    const first = usageOf(look(10, program('bot', 'r1', 1000)), null);
    const second = usageOf(look(11, program('bot', 'r1', 1100), program('query', 'r1', 100)), first);
    expect(second?.cpu).toBeCloseTo(0.2);
  });

  it('tells nothing from two looks at the same moment', () => {
    const first = usageOf(look(10, program('bot', 'r1', 1000)), null);
    expect(usageOf(look(10, program('bot', 'r1', 1000)), first)?.cpu).toBeNull();
  });

  it('adds the traffic of programs with a network of their own', () => {
    const network = { received_bytes: 5, sent_bytes: 7 };
    const stats = look(1, { ...program('bot', 'r1', 0), network }, { ...program('query', 'r1', 0), network });
    expect(usageOf(stats, null)?.network).toEqual({ received: 10, sent: 14 });
  });
});

it('formatCpu writes parts of one core', () => {
  expect([0, 0.0004, 0.0042, 0.0994, 0.0996, 1.8].map(formatCpu)).toEqual([
    '0.0 %',
    '< 0.1 %',
    '0.4 %',
    '9.9 %',
    '10 %',
    '180 %',
  ]);
});
