import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createStore } from 'zustand/vanilla';
import type { OpenFile } from '../../../../../../../src/renderer/data/project/open-file-state.ts';
import type { ProjectSession } from '../../../../../../../src/renderer/data/project/project-session.ts';
import { EMPTY } from '../../../../../../../src/renderer/data/project/state.ts';
import { ProjectTexts } from '../../../../../../../src/renderer/pages/editor/monaco/python/project-texts.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const file = (path: string): { path: string; kind: 'file' } => ({ path, kind: 'file' });
const typed = (path: string, text: string): [string, OpenFile] => [path, { path, text, kind: 'text' } as OpenFile];

/** A project with these files on the disk, of which none is open. */
function project(disk: Record<string, string | null>) {
  const store = createStore(() => ({ ...EMPTY, entries: Object.keys(disk).map(file) }));
  const session = { store, files: { onDisk: async (path: string) => disk[path] ?? null } } as unknown as ProjectSession;
  const given: Record<string, string>[] = [];
  const texts = new ProjectTexts(session, (all) => void given.push(Object.fromEntries(all)));
  return { store, disk, given, texts };
}

it("gives the project's own Python as it is typed, and from the disk where it is not open", async () => {
  const { store, given, texts } = project({
    'bot.py': 'a = 1',
    'vendor/numpy/core.py': 'b',
    '.venv/c.py': 'c',
    'notes.md': 'd',
    'gone.py': null,
  });
  await vi.runAllTimersAsync();
  expect(given.at(-1)).toEqual({ 'bot.py': 'a = 1' });
  store.setState({ files: new Map([typed('bot.py', '\ufeffa = 2'), typed('new.py', 'e'), typed('notes.md', 'f')]) });
  await vi.runAllTimersAsync();
  expect(given.at(-1)).toEqual({ 'bot.py': 'a = 2', 'new.py': 'e' });
  store.setState({ files: new Map() });
  texts.flush();
  expect(given.at(-1)).toEqual({ 'bot.py': 'a = 1' });
});

it('reads the disk again when another program has changed the folder, and nothing more after its end', async () => {
  const { store, disk, given, texts } = project({ 'bot.py': 'old' });
  await vi.runAllTimersAsync();
  disk['bot.py'] = 'new';
  store.setState({ entries: [file('bot.py')] });
  await vi.runAllTimersAsync();
  expect(given.at(-1)).toEqual({ 'bot.py': 'new' });
  const count = given.length;
  texts.close();
  store.setState({ files: new Map([typed('bot.py', 'later')]), entries: [] });
  await vi.runAllTimersAsync();
  expect(given).toHaveLength(count);
});
