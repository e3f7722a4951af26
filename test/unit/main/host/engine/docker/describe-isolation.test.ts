import { describe, expect, it } from 'vitest';
import { describeEngine } from '../../../../../../src/main/host/engine/docker/describe-isolation.ts';
import type { DockerFacts } from '../../../../../../src/main/host/engine/docker/facts.ts';
import { FACTS } from '../../../../../support/docker-facts.ts';

function aspects(over: Partial<DockerFacts> = {}) {
  const { isolation } = describeEngine({ ...FACTS, ...over }, 'unix:///engine.sock');
  return Object.fromEntries(isolation.map(({ aspect, level, note }) => [aspect, { level, note }]));
}

describe('how far containers isolate', () => {
  it('says of the network what is not cut off, and how to cut it off', () => {
    const { network, ...rest } = aspects();
    expect(network).toEqual({ level: 'partial', note: expect.stringContaining('options.network "none"') });
    expect(network?.note).toContain('on all its addresses it does reach');
    expect(Object.values(rest).map(({ level }) => level)).toEqual(Object.values(rest).map(() => 'full'));
  });

  it('claims no limit that the engine cannot hold', () => {
    const { memory, cpu, processes } = aspects({ limits: { memory: false, cpu: true, processes: false } });
    expect(memory).toEqual({ level: 'none', note: expect.stringContaining('cgroups') });
    expect(processes?.level).toBe('none');
    expect(cpu?.level).toBe('full');
  });

  it('claims no filter of system calls without seccomp', () => {
    expect(aspects({ seccomp: false })['system calls']).toMatchObject({ level: 'partial' });
    expect(aspects()['system calls']).toMatchObject({ level: 'full' });
  });

  it('says as whom bots run', () => {
    expect(aspects().user?.note).toContain('nobody (65534)');
    expect(aspects({ user: { uid: 1000, gid: 1000, handOver: false } }).user?.note).toContain('(1000)');
    const rootless = aspects({ rootless: true, user: { uid: 0, gid: 0, handOver: false } });
    expect(rootless.user?.note).toContain('the user of the engine');
  });
});
