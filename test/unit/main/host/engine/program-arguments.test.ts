import { expect, it } from 'vitest';
import { interpreterArgs } from '../../../../../src/main/host/engine/program-arguments.ts';
import { needsOf } from '../../../../../src/main/host/engine/runtime-needs.ts';
import { tempDir } from '../../../../support/temp.ts';
import { unitSpec } from '../../../../support/units.ts';

const runner = (file: string): string => `/runners/${file}`;

it.each([
  ['python311', 'a.py', 100, ['/runners/python_runner.py', 'a.py']],
  ['nodejs24', 'a.mjs', undefined, ['/runners/node-runner.mjs', 'a.mjs']],
  ['nodejs24', 'a.mjs', 100, ['--max-old-space-size=75', '/runners/node-runner.mjs', 'a.mjs']],
  ['nodejs24', 'a.mjs', 16, ['--max-old-space-size=16', '/runners/node-runner.mjs', 'a.mjs']],
  ['java21', 'a.jar', 400, ['-Xmx300m', '-jar', 'a.jar']],
  ['scala3', 'a.jar:Main', undefined, ['-cp', 'a.jar', 'Main']],
  ['dotnet8', 'a.dll', 100, ['a.dll']],
  ['ghc96', 'bot', 100, []],
] as const)('%s %s with %s MB is given %j', (runtime, entry, memoryMb, args) => {
  const limits = memoryMb === undefined ? {} : { memoryMb };
  const spec = unitSpec(tempDir(), entry, { runtime, limits });
  expect(interpreterArgs(spec, needsOf(runtime), runner)).toEqual(args);
});
