import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isStrategy, STRATEGIES } from '../../../src/contract/strategies.ts';
import { DESCRIPTORS, SUMMARIES } from '../../../src/runtimes/all.ts';
import { knownInterpreter } from '../../../src/runtimes/descriptors.ts';
import { atLeast, programName, readPathAndVersion } from '../../../src/runtimes/interpreter-version.ts';
import {
  DEFAULT_RUNTIME,
  DEFAULT_TEMPLATE,
  RUNTIME_NAMES,
  TEMPLATES,
  templateOf,
} from '../../../src/runtimes/registry.ts';
import { ROOT } from '../../support/platform.ts';

describe('the list of families', () => {
  it('has each with its summary and its descriptor, in one order', () => {
    expect(DESCRIPTORS.map(({ summary }) => summary)).toEqual(SUMMARIES);
  });

  it('gives no name twice, and the first runtime and template as defaults', () => {
    expect(new Set(RUNTIME_NAMES).size).toBe(RUNTIME_NAMES.length);
    expect([DEFAULT_RUNTIME, DEFAULT_TEMPLATE]).toEqual(['python311', 'python']);
  });

  it('gives an oldest version to every runtime with an interpreter', () => {
    const without = DESCRIPTORS.filter((one) => knownInterpreter(one) !== null)
      .flatMap(({ summary }) => Object.entries(summary.runtimes))
      .filter(([, { least }]) => least === undefined);
    expect(without).toEqual([]);
  });

  it('has a template of each strategy, in the language of another one where there is one', () => {
    expect(templateOf('dca', 'node')).toBe('node-dca');
    expect(templateOf('dca', 'python-grid')).toBe('python-dca');
    expect(templateOf('grid', 'cpp')).toBe('python-grid');
    expect(templateOf('empty', 'node-grid')).toBe('node');
    const strategies = new Set([...TEMPLATES.values()].map(({ strategy }) => strategy));
    expect([...strategies].sort()).toEqual(STRATEGIES.map(({ id }) => id).sort());
    expect([isStrategy('grid'), isStrategy('martingale'), isStrategy(null)]).toEqual([true, false, false]);
  });

  it('names templates, runners and SDKs that are there', () => {
    const named = [
      ...[...TEMPLATES.values()].flatMap(({ name, copies = [] }) => [
        join('templates', name),
        ...copies.map(({ from }) => from),
      ]),
      ...DESCRIPTORS.flatMap(({ args }) => {
        const runners: string[] = [];
        const runner = (file: string): string => {
          runners.push(join('runners', file));
          return file;
        };
        args({ file: 'bot', mainClass: null }, runner, []);
        return runners;
      }),
    ];
    expect(named).toContain(join('runners', 'python_runner.py'));
    expect(named.filter((path) => !existsSync(join(ROOT, 'resources', path)))).toEqual([]);
  });
});

describe('a version', () => {
  it.each([
    ['3.11.2', '3.11', true],
    ['3.9.19', '3.11', false],
    ['4.0', '3.11', true],
    ['24.0.0', '22', true],
    ['20.19.0', '22', false],
    ['3', '3.1', false],
    ['none', '3', false],
    ['1.0', '', true],
  ])('%s is at least %j: %s', (version, least, fits) => {
    expect(atLeast(version, least)).toBe(fits);
  });
});

describe('the answer of an interpreter', () => {
  it.each([
    ['/usr/bin/python3\n3.11.2\n', '/usr/bin/python3', '3.11.2'],
    ['C:\\Program Files\\nodejs\\node.exe\r\n24.1.0\r\n', 'C:\\Program Files\\nodejs\\node.exe', '24.1.0'],
    ['a warning\n/usr/bin/node\n24.0.0-nightly\nmore\n', '/usr/bin/node', '24.0.0-nightly'],
  ])('%j is a program and its version', (output, program, version) => {
    expect(readPathAndVersion(output)).toEqual([{ program, version }]);
  });

  it.each(['', '3.11.2\n', '\n3.11.2\n', '/usr/bin/python3\nPython\n'])('%j is none', (output) => {
    expect(readPathAndVersion(output)).toEqual([]);
  });

  it('comes from a program that Windows may know by another name', () => {
    const python = { program: 'python3', windowsProgram: 'python' };
    expect([programName(python, 'linux'), programName(python, 'win32')]).toEqual(['python3', 'python']);
    expect(programName({ program: 'java' }, 'win32')).toBe('java');
  });
});

it('keeps the paths of runners that a program of an earlier release starts later, such as workers of its cluster', () => {
  const late = ['node-again.mjs', 'node-dry-run.mjs', 'node-runner.mjs', 'python_runner.py'];
  expect(late.filter((name) => !existsSync(join(ROOT, 'resources/runners', name)))).toEqual([]);
});
