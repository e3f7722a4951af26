import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { nodePackage, nodeProgram, OLDEST_NODE } from '../../../src/node/bundled-node.ts';

const ROOT = join(import.meta.dirname, '../../..');
const SYSTEMS = [
  ['linux', 'x64'],
  ['linux', 'arm64'],
  ['darwin', 'x64'],
  ['darwin', 'arm64'],
  ['win32', 'x64'],
] as const;

it('the product brings one and the same Node for five systems, and the installers pack it', async () => {
  const { optionalDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const names = SYSTEMS.map(([platform, arch]) => nodePackage(platform, arch));
  expect(Object.keys(optionalDependencies).sort()).toEqual([...names].sort());
  const versions = new Set([
    ...Object.values(optionalDependencies),
    readFileSync(join(ROOT, '.node-version'), 'utf8').trim(),
  ]);
  expect([...versions]).toHaveLength(1);
  expect(String([...versions][0]).split('.')[0]).toBe(String(OLDEST_NODE));
  // The command that npm starts imports nothing, so that it can tell an older Node so.
  expect(readFileSync(join(ROOT, 'scripts/run.mjs'), 'utf8')).toContain(`const WANTED = ${OLDEST_NODE};`);
  const { nodeFolder } = await import(join(ROOT, 'installers/electron-builder.config.mjs'));
  expect(SYSTEMS.map(([platform, arch]) => basename(nodeFolder(platform, arch)))).toEqual(names);
});

it('the program stands where each package has it', () => {
  expect(nodeProgram('/node', 'darwin')).toBe(join('/node', 'bin', 'node'));
  expect(nodeProgram('/node', 'win32')).toBe(join('/node', 'bin', 'node.exe'));
});
