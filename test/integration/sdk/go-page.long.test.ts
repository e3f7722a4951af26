import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GO_ADAPTER, isHere, RESOURCES } from '../../support/sdk-adapters.ts';
import { tempDir } from '../../support/temp.ts';

const SDK = join(RESOURCES, 'sdk/go');
// Neither the network nor a C compiler is asked for anything.
const ENV = { ...process.env, GOPROXY: 'off', GOFLAGS: '-mod=mod', CGO_ENABLED: '0' };

/** Runs a program in a folder; gives what it writes when it fails, or when it has a remark. */
function said(cwd: string, program: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env: ENV, encoding: 'utf8' });
  return `${stdout}${stderr}${status === 0 ? '' : `ended with ${status}`}`;
}

/** The project that the page of the SDK shows: its go.mod, its bot, and the SDK in the folder `sdk`. */
function projectOfThePage(): string {
  const page = readFileSync(join(SDK, 'README.md'), 'utf8');
  const blocks = [...page.matchAll(/```(\w*)\n([\s\S]*?)```/g)].map(([, language, text]) => ({ language, text }));
  const dir = tempDir('go-page-');
  cpSync(SDK, join(dir, 'sdk'), { recursive: true });
  for (const [name, language] of [
    ['go.mod', ''],
    ['main.go', 'go'],
  ] as const) {
    const texts = blocks.filter((block) => block.language === language).map((block) => block.text ?? '');
    expect(texts).toHaveLength(1);
    writeFileSync(join(dir, name), texts[0] ?? '');
  }
  return dir;
}

describe.runIf(isHere(GO_ADAPTER))('the SDK for Go', () => {
  it('has nothing that go vet or gofmt remarks', () => {
    expect(said(SDK, 'go', 'vet', '.')).toBe('');
    expect(said(join(RESOURCES, 'sdk/adapters/go'), 'go', 'vet', '.')).toBe('');
    expect(said(RESOURCES, 'gofmt', '-l', 'sdk/go', 'sdk/adapters/go')).toBe('');
  });

  it('has a page whose bot builds and runs', () => {
    const dir = projectOfThePage();
    expect(said(dir, 'go', 'vet', '.')).toBe('');
    expect(said(dir, 'go', 'build', '-trimpath', '-o', 'bot', '.')).toBe('');
    const env = { ...ENV, BOT_ID: 'go-1', BOT_CONFIG: '{"symbol":5}' };
    const ended = spawnSync(join(dir, 'bot'), { env, encoding: 'utf8', cwd: dir, timeout: 60_000 });
    // It does not go on with a configuration that does not fit.
    expect(ended.stderr).toContain('BOT_CONFIG does not fit');
    expect(ended.status).toBe(1);
  });
});
