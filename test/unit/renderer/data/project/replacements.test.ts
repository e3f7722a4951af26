import { beforeEach, expect, it } from 'vitest';
import type { Output } from '../../../../../src/contract/operations.ts';
import type { Project } from '../../../../../src/contract/project.ts';
import { HostError } from '../../../../../src/renderer/data/host-error.ts';
import type { Drafts } from '../../../../../src/renderer/data/project/drafts.ts';
import { ProjectSession } from '../../../../../src/renderer/data/project/project-session.ts';
import { type Wanted, withUnsaved } from '../../../../../src/renderer/data/project/replacements.ts';
import { matchesIn } from '../../../../../src/shared/project-text-matches.ts';

const PROJECT: Project = { project_id: 'prj_1', name: 'bot', dir: '/bot', opened_at: '', present: true };
const PRICE: Wanted = { text: 'price', matchCase: true };

let disk: Map<string, string>;
let kinds: Map<string, string>;
let failures: string[];
let done: { readonly text: string; readonly undo: (() => void) | undefined }[];

const refused = (code: 'FILE_CHANGED'): HostError =>
  new HostError({ code, message: code, hint: null, details: null, request_id: null });

/** A host with files in memory, whose version is their text. */
// biome-ignore lint/suspicious/noExplicitAny: the inputs of several operations
async function answer(name: string, input: any): Promise<any> {
  const content = disk.get(input.path) ?? null;
  if (name === 'projects.read') {
    return { path: input.path, content, version: content, size_bytes: 0, kind: kinds.get(input.path) ?? 'text' };
  }
  if (name === 'projects.write') {
    if (content !== input.version) throw refused('FILE_CHANGED');
    disk.set(input.path, input.content);
    return { version: input.content };
  }
  if (name === 'projects.check') return { valid: true, problems: [], warnings: [] };
  if (name === 'projects.search') {
    const matches = [...disk].flatMap(([path, text]) => [...matchesIn(path, text, input.text, input.match_case)]);
    return { matches, truncated: false };
  }
  throw new Error(`${name} is not asked for here`);
}

const drafts: Drafts = {
  all: async () => [],
  put: async () => undefined,
  remove: async () => undefined,
  layout: async () => null,
  putLayout: async () => undefined,
};

let here: ProjectSession;

beforeEach(() => {
  disk = new Map([
    ['bot.py', 'price = 1\nprint(price)\n'],
    ['other.py', 'price\r\n'],
  ]);
  kinds = new Map();
  failures = [];
  done = [];
  here = new ProjectSession(PROJECT, { call: answer, read: answer } as never, drafts, {
    done: (text, undo) => void done.push({ text, undo }),
    failed: (text) => void failures.push(text),
  });
});

async function found(wanted: Wanted = PRICE): Promise<Output<'projects.search'>> {
  return withUnsaved(await here.search(wanted), here.store.getState().files, wanted);
}

const textOf = (path: string): string | undefined => here.store.getState().files.get(path)?.text;

it('replaces what was found in open and in closed files, and undoes both', async () => {
  await here.files.open('bot.py');
  await here.replacements.replace(PRICE, (await found()).matches, 'close');
  expect([...disk.values()]).toEqual(['close = 1\nprint(close)\n', 'close\r\n']);
  expect(textOf('bot.py')).toBe('close = 1\nprint(close)\n');
  expect(done.map(({ text }) => text)).toEqual(['Replaced in 3 places of 2 files']);
  done[0]?.undo?.();
  await expect.poll(() => [...disk.values()]).toEqual(['price = 1\nprint(price)\n', 'price\r\n']);
  expect(textOf('bot.py')).toBe('price = 1\nprint(price)\n');
  expect(failures).toEqual([]);
});

it('finds and replaces what is typed and not saved, and leaves it unsaved', async () => {
  await here.files.open('bot.py');
  here.files.edit('bot.py', 'a = price\n');
  const { matches } = await found();
  expect(matches.map(({ path, line, column }) => `${path}:${line}:${column}`)).toEqual(['bot.py:1:5', 'other.py:1:1']);
  await here.replacements.replace(PRICE, matches, 'b');
  expect(textOf('bot.py')).toBe('a = b\n');
  expect(disk.get('bot.py')).toBe('price = 1\nprint(price)\n');
  done[0]?.undo?.();
  await expect.poll(() => textOf('bot.py')).toBe('a = price\n');
  expect(disk.get('bot.py')).toBe('price = 1\nprint(price)\n');
});

it('leaves a file that is no longer as it was shown, and says so', async () => {
  const { matches } = await found();
  disk.set('bot.py', 'price = 1\nprint(price, price)\n');
  await here.replacements.replace(PRICE, matches, 'close');
  expect([...disk.values()]).toEqual(['price = 1\nprint(price, price)\n', 'close\r\n']);
  expect(failures).toEqual(['bot.py was left as it is']);
});

it('undoes nothing in a file that has been changed since', async () => {
  await here.replacements.replace(PRICE, (await found()).matches, 'close');
  disk.set('bot.py', 'rewritten\n');
  done[0]?.undo?.();
  await expect.poll(() => disk.get('other.py')).toBe('price\r\n');
  expect(disk.get('bot.py')).toBe('rewritten\n');
  expect(failures).toEqual(['bot.py was left as it is']);
});

it('changes no file that the editor only shows', async () => {
  kinds.set('bot.py', 'read only');
  const { matches } = await found();
  await here.replacements.replace(PRICE, matches, 'close');
  await here.files.open('bot.py');
  await here.replacements.replace(PRICE, matches, 'close');
  expect(disk.get('bot.py')).toBe('price = 1\nprint(price)\n');
  expect(failures).toContain('bot.py was left as it is');
});
