import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeKey, mcpHost } from '../support/mcp.ts';
import { variants } from '../support/proof.ts';
import { tempDir } from '../support/temp.ts';
import { runInstalled } from './installed.ts';
import { keyProxy } from './key-proxy.ts';

/** Revisions, and scenarios that must pass for real: everything that does not ask for a tool of a fixed test name. */
const NEWEST = [
  {
    revision: '2026-07-28',
    passing: {
      'completion-complete': 2,
      'tools-list': 4,
      'resources-list': 2,
      'sep-2164-resource-not-found': 4,
      'prompts-list': 2,
      'dns-rebinding-protection': 2,
      caching: 8,
      'input-required-result-unsupported-methods': 2,
      'input-required-result-validate-input': 3,
      'http-header-validation': 14,
      'server-sse-multiple-streams': 1,
    },
  },
];
const OLDER = [
  {
    revision: '2025-11-25',
    passing: {
      'server-initialize': 2,
      ping: 2,
      'completion-complete': 2,
      'tools-list': 3,
      'resources-list': 2,
      'prompts-list': 2,
      'dns-rebinding-protection': 2,
    },
  },
];
const REVISIONS = variants<{ revision: string; passing: Readonly<Record<string, number>> }>(NEWEST, OLDER);

const baselineOf = (revision: string): string => join(import.meta.dirname, `baseline-${revision}.yml`);

describe('the official conformance suite', () => {
  it.for(REVISIONS)(
    'is passed for $revision, but for the baseline',
    async ({ revision, passing }, { onTestFinished }) => {
      const host = await mcpHost(onTestFinished);
      const proxy = await keyProxy(host.url, await makeKey(host));
      onTestFinished(() => proxy.close());
      const args = ['server', '--url', proxy.url, '--requirements', revision];
      const run = await runInstalled('conformance', tempDir(), ...args, '--expected-failures', baselineOf(revision));
      expect(run.code, `${run.stdout}\n${run.stderr}`).toBe(0);
      const passed = [...run.stdout.matchAll(/^✓ ([\w-]+): (\d+) passed, 0 failed$/gm)];
      const counts = Object.fromEntries(passed.map((match) => [match[1] ?? '', Number(match[2])]));
      expect(counts).toMatchObject(passing);
    },
  );

  it.for(REVISIONS)('has a reason for every entry of the baseline of $revision', ({ revision, passing }) => {
    const lines = readFileSync(baselineOf(revision), 'utf8').split('\n');
    const entries = lines.filter((line) => line.startsWith('  - '));
    expect(entries.length).toBeGreaterThan(20);
    expect(entries.filter((line) => !/^ {2}- [\w-]+ # .{10,}$/.test(line))).toEqual([]);
    const names = entries.map((line) => line.split(' ')[3]);
    expect(names.filter((name) => Object.hasOwn(passing, name ?? ''))).toEqual([]);
  });
});
