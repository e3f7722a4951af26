import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { needsOf } from '../../../../../src/main/engine/command-line.ts';
import { missingIn } from '../../../../../src/main/engine/docker/image-check.ts';
import { tempDir } from '../../../../support/temp.ts';
import { RUNNERS } from '../../../../support/units.ts';

describe('what an image lacks', () => {
  it.each([
    ['python311', '3.11.2', null],
    ['python311', '3.13.0', null],
    ['python311', '4.0.0', null],
    ['python311', '3.9.19', 'it has Python 3.9.19, and 3.11 or later is needed'],
    ['python311', '2.7.18', 'it has Python 2.7.18, and 3.11 or later is needed'],
    ['python311', '', 'it has no python3'],
    ['nodejs22', '22.1.0', null],
    ['nodejs22', '24.0.0', null],
    ['nodejs22', '20.19.0', 'it has Node 20.19.0, and 22 or later is needed'],
    ['nodejs22', '', 'it has no node'],
    ['java21', 'java', null],
    ['scala3', '', 'it has no java'],
    ['dotnet8', '6.0.36 8.0.11 ', null],
    ['dotnet8', '6.0.36 ', 'it has .NET 6.0.36, and 8 or later is needed'],
    ['dotnet8', '', 'it has no dotnet'],
    ['gcc13', '', null],
    ['rust-stable', '', null],
  ])('for %s, that says %j', (runtime, found, missing) => {
    expect(missingIn(needsOf(runtime), `shell\nfound ${found}\n`)).toBe(missing);
  });

  it.each(['', 'shel', 'no shell\n'])('is the shell itself when it said %j', (said) => {
    expect(missingIn(needsOf('gcc13'), said)).toMatch(/no \/bin\/sh, or is made for another processor/);
  });
});

describe('the script that looks', () => {
  /** What it says on this machine, with other programs first on its path. */
  function said(kind: string, programs: Record<string, string> = {}): string {
    const dir = tempDir('image-check-');
    for (const [name, body] of Object.entries(programs)) {
      writeFileSync(join(dir, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
    }
    const source = readFileSync(join(RUNNERS, 'image-check.sh'), 'utf8');
    const script = join(dir, 'check.sh');
    // The path inside a container.
    writeFileSync(script, source.replaceAll('/run/bot/said', join(dir, 'said')));
    execFileSync('/bin/sh', [script, kind], { env: { PATH: `${dir}:${process.env.PATH}` } });
    return readFileSync(join(dir, 'said'), 'utf8');
  }

  it.skipIf(process.platform === 'win32').each([
    ['none', {}, 'shell\nfound \n'],
    ['node', { node: 'echo 22.1.0' }, 'shell\nfound 22.1.0\n'],
    ['python', { python3: 'echo 3.11.2' }, 'shell\nfound 3.11.2\n'],
    ['python', { python3: 'echo none here >&2; exit 127' }, 'shell\nfound \n'],
    ['java', { java: 'exit 0' }, 'shell\nfound java\n'],
    ['java', { java: 'exit 1' }, 'shell\nfound \n'],
    [
      'dotnet',
      { dotnet: "printf 'Microsoft.AspNetCore.App 7.0.1 [/x]\\nMicrosoft.NETCore.App 8.0.11 [/x y]\\n'" },
      'shell\nfound 8.0.11 \n',
    ],
  ])('for %s with %j says %j', (kind, programs, text) => {
    expect(said(kind, programs)).toBe(text);
  });
});
