import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { ErrorCode } from '../../../../../src/contract/errors.ts';
import { LIMITS } from '../../../../../src/contract/limits.ts';
import type { Project, ProjectEvent, ProjectFile } from '../../../../../src/contract/project.ts';
import { HostError } from '../../../../../src/renderer/data/host-error.ts';
import type { Draft, Drafts, Layout } from '../../../../../src/renderer/data/project/drafts.ts';
import { isDirty } from '../../../../../src/renderer/data/project/open-file-state.ts';
import { ProjectSession } from '../../../../../src/renderer/data/project/project-session.ts';
import type { StreamHandlers } from '../../../../../src/renderer/data/socket.ts';

const PROJECT: Project = { project_id: 'prj_1', name: 'bot', dir: '/bot', opened_at: '', present: true };

const refusal = (code: ErrorCode): HostError =>
  new HostError({ code, message: code, hint: null, details: null, request_id: null });

/** A host with files in memory, whose version is their text. */
class Disk {
  readonly files = new Map<string, string>();
  readonly checked: unknown[] = [];
  trees = 0;
  entry: string | null = null;
  kind: ProjectFile['kind'] = 'text';
  readonly removed = new Map<string, string>();
  /** Writes wait for it. */
  held: Promise<void> = Promise.resolve();
  /** Answers to writes wait for it. */
  heldAnswers: Promise<void> = Promise.resolve();
  /** Answers to reads of a path wait for it. */
  readonly heldReads = new Map<string, Promise<void>>();
  /** Folders that are there, listed or not. */
  readonly folders = new Set<string>();
  /** What some calls are refused with before they do anything. */
  readonly refused = new Map<string, HostError>();
  /** Whether the connection goes after a write is done and before it is answered. */
  losesAnswers = false;
  streams = 0;
  tell: (event: ProjectEvent) => void = () => undefined;
  endStream: (error: HostError | null) => void = () => undefined;

  file(path: string): ProjectFile {
    const content = this.files.get(path);
    if (content === undefined) throw refusal('FILE_NOT_FOUND');
    return { path, content, version: content, size_bytes: content.length, kind: this.kind };
  }

  // biome-ignore lint/suspicious/noExplicitAny: the inputs of several operations
  async call(name: string, input: any): Promise<any> {
    const error = this.refused.get(name);
    if (error !== undefined) throw error;
    switch (name) {
      case 'projects.tree':
        this.trees += 1;
        return {
          entries: [...this.files.keys()].map((path) => ({ path, kind: 'file' })),
          truncated: false,
          entry: this.entry,
        };
      case 'projects.read': {
        const answer = this.file(input.path);
        await this.heldReads.get(input.path);
        return answer;
      }
      case 'projects.create_folder':
        if (this.folders.has(input.path)) throw refusal('NAME_TAKEN');
        this.folders.add(input.path);
        return { ok: true };
      case 'projects.rename':
        this.files.set(input.to, this.files.get(input.from) ?? '');
        this.files.delete(input.from);
        return { ok: true };
      case 'projects.check':
        this.checked.push({ overlays: input.overlays, open: input.open });
        return { valid: true, problems: [], warnings: [] };
      case 'projects.delete':
        this.removed.set(input.path, this.files.get(input.path) ?? '');
        this.files.delete(input.path);
        return { kept: `.platform/trash/${input.path}` };
      case 'projects.write':
        await this.held;
        if ((this.files.get(input.path) ?? null) !== input.version) throw refusal('FILE_CHANGED');
        this.files.set(input.path, input.content);
        if (this.losesAnswers) throw HostError.lost();
        await this.heldAnswers;
        return { ...this.file(input.path), version: input.content };
      case 'projects.run':
        return {};
      default:
        throw new Error(`${name} is not asked for here`);
    }
  }
}

/** Drafts that outlive a session, as those of a browser do. */
class MemoryDrafts implements Drafts {
  readonly kept = new Map<string, Draft>();
  kept_layout: Layout | null = null;
  all = async (): Promise<Draft[]> => [...this.kept.values()];
  put = async (draft: Draft): Promise<void> => void this.kept.set(draft.path, draft);
  remove = async (path: string): Promise<void> => void this.kept.delete(path);
  layout = async (): Promise<Layout | null> => this.kept_layout;
  putLayout = async (layout: Layout): Promise<void> => {
    this.kept_layout = layout;
  };
}

let disk: Disk;
let drafts: MemoryDrafts;
let failures: string[];

function unstarted(): ProjectSession {
  const socket = {
    call: disk.call.bind(disk),
    read: disk.call.bind(disk),
    stream: (_: string, __: object, { event, end }: StreamHandlers<'projects.stream'>) => {
      disk.streams += 1;
      disk.tell = event;
      disk.endStream = end ?? disk.endStream;
      return { cancel: () => undefined };
    },
  };
  const voice = { done: () => undefined, failed: (text: string) => void failures.push(text) };
  return new ProjectSession(PROJECT, socket as never, drafts, voice);
}

async function session(): Promise<ProjectSession> {
  const made = unstarted();
  await made.start();
  return made;
}

const fileOf = (of: ProjectSession, path = 'bot.py') => of.store.getState().files.get(path);

/** A page with unsaved work on a file that another program has written since. */
async function contested(): Promise<ProjectSession> {
  const here = await session();
  await here.files.open('bot.py');
  here.files.edit('bot.py', 'mine');
  disk.files.set('bot.py', 'theirs');
  disk.tell({ changed: ['bot.py'] });
  await vi.waitFor(() => expect(fileOf(here)?.trouble).toBe('changed'));
  return here;
}

beforeEach(() => {
  disk = new Disk();
  drafts = new MemoryDrafts();
  failures = [];
  disk.files.set('bot.py', 'one');
});

describe('unsaved work', () => {
  it('is stored while it is typed, comes back, and is gone from the store once it is saved', async () => {
    const first = await session();
    await first.files.open('bot.py');
    first.files.edit('bot.py', 'one, typed');
    await vi.waitFor(() => expect(drafts.kept.get('bot.py')?.text).toBe('one, typed'));
    first.files.edit('bot.py', 'one, typed on');
    await first.close();
    const second = await session();
    expect(fileOf(second)).toMatchObject({ text: 'one, typed on', saved: 'one', trouble: null });
    expect(second.store.getState().active).toBe('bot.py');
    expect(disk.files.get('bot.py')).toBe('one');
    expect(await second.files.save('bot.py')).toBe(true);
    expect(disk.files.get('bot.py')).toBe('one, typed on');
    expect(drafts.kept.size).toBe(0);
  });

  it('is told apart from a file that another program wrote meanwhile, and overwrites nothing', async () => {
    drafts.kept.set('bot.py', { path: 'bot.py', text: 'mine', version: 'one' });
    drafts.kept.set('gone.py', { path: 'gone.py', text: 'mine too', version: 'old' });
    disk.files.set('bot.py', 'theirs');
    const here = await session();
    expect(fileOf(here)).toMatchObject({ text: 'mine', saved: 'theirs', trouble: 'changed' });
    expect(fileOf(here, 'gone.py')).toMatchObject({ text: 'mine too', trouble: 'gone' });
    expect(await here.files.save('bot.py')).toBe(false);
    expect(await here.files.saveAll()).toBe(false);
    expect(disk.files.get('bot.py')).toBe('theirs');
    await here.files.settle('bot.py', 'mine');
    expect(disk.files.get('bot.py')).toBe('mine');
    await here.files.settle('gone.py', 'mine');
    expect(disk.files.get('gone.py')).toBe('mine too');
    expect(drafts.kept.size).toBe(0);
  });

  it('is shown also while the project cannot be read, for example because its folder was renamed', async () => {
    drafts.kept.set('bot.py', { path: 'bot.py', text: 'mine', version: 'one' });
    drafts.kept_layout = { tabs: ['bot.py', 'other.py'], active: 'other.py' };
    disk.refused.set('projects.read', refusal('PROJECT_NOT_FOUND'));
    const here = await session();
    expect(fileOf(here)).toMatchObject({ text: 'mine', trouble: null });
    expect(here.store.getState()).toMatchObject({ tabs: ['bot.py'], active: 'bot.py' });
    expect(failures).toEqual(['Not every file could be read']);
    // Once it can be read again it is as if nothing had happened.
    disk.refused.clear();
    disk.tell({ state: { run: null, watching: true } });
    await vi.waitFor(() => expect(fileOf(here)).toMatchObject({ text: 'mine', saved: 'one', trouble: null }));
    expect(await here.files.save('bot.py')).toBe(true);
    expect(disk.files.get('bot.py')).toBe('mine');
  });

  it('of a file that went while it could not be read is asked about when it is saved', async () => {
    drafts.kept.set('bot.py', { path: 'bot.py', text: 'mine', version: 'one' });
    disk.refused.set('projects.read', refusal('PROJECT_NOT_FOUND'));
    const here = await session();
    disk.refused.clear();
    disk.files.delete('bot.py');
    expect(await here.files.save('bot.py')).toBe(false);
    expect(fileOf(here)).toMatchObject({ text: 'mine', trouble: 'gone' });
  });

  it('that was saved after all does not come back when the file is another one later', async () => {
    // The page went after the host had written and before it could say so.
    drafts.kept.set('bot.py', { path: 'bot.py', text: 'one', version: 'none' });
    await session();
    expect(drafts.kept.size).toBe(0);
    disk.files.set('bot.py', 'two');
    expect(fileOf(await session())).toBeUndefined();
  });

  it('is stored once more by a page that goes, because another page may have taken the draft away', async () => {
    const here = await session();
    await here.files.open('bot.py');
    here.files.edit('bot.py', 'mine');
    await vi.waitFor(() => expect(drafts.kept.get('bot.py')?.text).toBe('mine'));
    drafts.kept.delete('bot.py');
    await here.files.keepDrafts();
    expect(drafts.kept.get('bot.py')?.text).toBe('mine');
  });

  it('is stored once more when another page has saved the file, and with that taken the draft away', async () => {
    const here = await session();
    await here.files.open('bot.py');
    here.files.edit('bot.py', 'mine');
    await vi.waitFor(() => expect(drafts.kept.get('bot.py')?.text).toBe('mine'));
    disk.files.set('bot.py', 'theirs');
    drafts.kept.delete('bot.py');
    disk.tell({ changed: ['bot.py'] });
    await vi.waitFor(() => expect(drafts.kept.get('bot.py')?.text).toBe('mine'));
  });

  it('is not overwritten by another file that is renamed to a path that is free on the disk alone', async () => {
    disk.files.set('other.py', 'other');
    const here = await session();
    await here.files.open('other.py');
    await here.files.open('bot.py');
    here.files.edit('bot.py', 'mine');
    disk.files.delete('bot.py');
    disk.tell({ changed: ['bot.py'] });
    await vi.waitFor(() => expect(fileOf(here)?.trouble).toBe('gone'));
    await expect(here.rename('other.py', 'bot.py')).rejects.toMatchObject({ code: 'NAME_TAKEN' });
    expect(disk.files.get('other.py')).toBe('other');
    expect(fileOf(here)).toMatchObject({ text: 'mine', trouble: 'gone' });
    expect(here.store.getState().tabs).toEqual(['other.py', 'bot.py']);
  });
});

it('remembers what is open when the project is left right after a file was opened', async () => {
  const here = await session();
  await here.files.open('bot.py');
  await here.close();
  expect(drafts.kept_layout).toEqual({ tabs: ['bot.py'], active: 'bot.py' });
});

it('keeps what was opened and typed before it knew what had been open', async () => {
  disk.files.set('other.py', 'other');
  drafts.kept.set('bot.py', { path: 'bot.py', text: 'typed before', version: 'one' });
  drafts.kept_layout = { tabs: ['other.py', 'bot.py'], active: 'other.py' };
  let release = (): void => undefined;
  disk.heldReads.set('other.py', new Promise((resolve) => (release = resolve)));
  const here = unstarted();
  const starting = here.start();
  await here.files.open('bot.py');
  expect(fileOf(here)).toMatchObject({ text: 'typed before', saved: 'one' });
  here.files.edit('bot.py', 'typed early');
  release();
  await starting;
  expect(fileOf(here)).toMatchObject({ text: 'typed early', saved: 'one' });
  expect(here.store.getState()).toMatchObject({ tabs: ['other.py', 'bot.py'], active: 'bot.py' });
});

it('shows the file that was asked for last, whichever is read first', async () => {
  disk.files.set('slow.py', 'slow');
  let release = (): void => undefined;
  disk.heldReads.set('slow.py', new Promise((resolve) => (release = resolve)));
  const here = await session();
  const slow = here.files.open('slow.py', { line: 1, column: 1, length: 0 });
  await here.files.open('bot.py');
  release();
  await slow;
  expect(here.store.getState()).toMatchObject({ tabs: ['bot.py', 'slow.py'], active: 'bot.py', reveal: null });
});

describe('the first file', () => {
  beforeEach(() => {
    disk.files.set('src/bot.py', 'entry');
    disk.entry = 'src/bot.py';
  });

  it('is the entry of the bot where nothing was open before', async () => {
    const here = await session();
    await vi.waitFor(() => expect(here.store.getState().active).toBe('src/bot.py'));
  });

  it('is what was open before, and what was asked for', async () => {
    disk.files.set('other.py', 'other');
    const asked = unstarted();
    await asked.start({ path: 'other.py' });
    await vi.waitFor(() => expect(asked.store.getState().tabs).toEqual(['other.py']));
    await asked.close();
    const again = await session();
    await vi.waitFor(() => expect(disk.trees).toBe(2));
    expect(again.store.getState().tabs).toEqual(['other.py']);
  });

  it('is none when the page was left meanwhile', async () => {
    const here = unstarted();
    const started = here.start();
    await here.close();
    await started;
    expect(here.store.getState().tabs).toEqual([]);
  });
});

it('makes a file in a folder that is there and not listed', async () => {
  disk.folders.add('lib');
  const here = await session();
  await here.create('lib/new.py', 'file');
  expect(here.store.getState().active).toBe('lib/new.py');
});

describe('typing', () => {
  it('is stored again and again while it goes on without a pause', async ({ onTestFinished }) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const here = await session();
    await here.files.open('bot.py');
    for (let key = 0; key < 30; key++) {
      here.files.edit('bot.py', `typed ${key}`);
      await vi.advanceTimersByTimeAsync(100);
      // At most the text of the last quarter of a second is missing.
      expect(Number(drafts.kept.get('bot.py')?.text.split(' ')[1])).toBeGreaterThanOrEqual(key - 3);
    }
    // The check waits for no pause either, nor does the tree while a program writes without one.
    expect(disk.checked.length).toBeGreaterThan(1);
    const before = disk.trees;
    for (let i = 0; i < 30; i++) {
      disk.tell({ changed: ['log.txt'] });
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(disk.trees - before).toBeGreaterThan(1);
  });

  it('goes on while a file is saved, and a second save waits for the first', async () => {
    const here = await session();
    await here.files.open('bot.py');
    here.files.edit('bot.py', 'two');
    let release = (): void => undefined;
    disk.held = new Promise((resolve) => {
      release = resolve;
    });
    const first = here.files.save('bot.py');
    here.files.edit('bot.py', 'three');
    const all = here.files.saveAll();
    release();
    expect([await first, await all]).toEqual([true, true]);
    expect(disk.files.get('bot.py')).toBe('three');
    expect(failures).toEqual([]);
  });

  it('after another program wrote is still asked about when the page is loaded again', async () => {
    const first = await contested();
    first.files.edit('bot.py', 'mine, typed on');
    await first.close();
    const second = await session();
    expect(fileOf(second)).toMatchObject({ text: 'mine, typed on', saved: 'theirs', trouble: 'changed' });
    expect(await second.files.save('bot.py')).toBe(false);
    expect(disk.files.get('bot.py')).toBe('theirs');
  });

  it('is kept when the file becomes one that cannot be edited', async () => {
    const here = await session();
    await here.files.open('bot.py');
    here.files.edit('bot.py', 'mine');
    disk.kind = 'binary';
    disk.files.set('bot.py', 'theirs');
    disk.tell({ changed: ['bot.py'] });
    await vi.waitFor(() => expect(fileOf(here)).toMatchObject({ kind: 'text', text: 'mine', trouble: 'changed' }));
    await here.close();
    expect(fileOf(await session())).toMatchObject({ kind: 'text', text: 'mine', trouble: 'changed' });
  });

  it('goes into the trash with a file that is removed', async () => {
    const here = await session();
    await here.files.open('bot.py');
    here.files.edit('bot.py', 'typed');
    await here.remove('bot.py');
    expect(disk.removed.get('bot.py')).toBe('typed');
    expect(drafts.kept.size).toBe(0);
  });

  it('goes on in a browser that stores nothing, which is said once', async () => {
    drafts.all = drafts.put = () => Promise.reject<never>(new Error('no room'));
    const here = await session();
    await here.files.open('bot.py');
    here.files.edit('bot.py', 'typed');
    await here.files.keepDrafts();
    expect(await here.files.save('bot.py')).toBe(true);
    expect(failures).toEqual(['What you type is not kept here: save it often']);
    // Only a question protects typed text when such a page closes.
    expect(here.store.getState().isKept).toBe(false);
  });

  it('goes on from a save whose answer was lost', async () => {
    const here = await session();
    await here.files.open('bot.py');
    here.files.edit('bot.py', 'two');
    disk.losesAnswers = true;
    let release = (): void => undefined;
    disk.held = new Promise((resolve) => (release = resolve));
    const saving = here.files.save('bot.py');
    here.files.edit('bot.py', 'two, typed on');
    release();
    expect(await saving).toBe(false);
    expect(fileOf(here)).toMatchObject({ text: 'two, typed on', saved: 'two', trouble: null });
    disk.losesAnswers = false;
    expect(await here.files.save('bot.py')).toBe(true);
    expect(disk.files.get('bot.py')).toBe('two, typed on');
  });
});

describe('changes by other programs', () => {
  it('are shown at once where nothing was typed, and a file that went closes', async () => {
    const here = await session();
    await here.files.open('bot.py');
    disk.files.set('bot.py', 'two');
    disk.tell({ changed: ['bot.py'] });
    await vi.waitFor(() => expect(fileOf(here)).toMatchObject({ text: 'two', revision: 1, trouble: null }));
    disk.files.delete('bot.py');
    disk.tell({ changed: ['bot.py'] });
    await vi.waitFor(() => expect(here.store.getState().tabs).toEqual([]));
  });

  it('wait for a choice where something was typed; theirs can be taken', async () => {
    const here = await contested();
    expect(fileOf(here)?.text).toBe('mine');
    await here.files.settle('bot.py', 'theirs');
    const file = fileOf(here);
    expect(file).toMatchObject({ text: 'theirs', trouble: null });
    expect(file !== undefined && isDirty(file)).toBe(false);
  });

  it('that put back what was there are none', async () => {
    const here = await session();
    await here.files.open('bot.py');
    here.files.edit('bot.py', 'mine');
    for (const [content, trouble] of [
      ['theirs', 'changed'],
      ['one', null],
      [null, 'gone'],
      ['one', null],
    ] as const) {
      if (content === null) disk.files.delete('bot.py');
      else disk.files.set('bot.py', content);
      disk.tell({ changed: ['bot.py'] });
      await vi.waitFor(() => expect(fileOf(here)?.trouble).toBe(trouble));
    }
    expect(await here.files.save('bot.py')).toBe(true);
  });

  it('that cannot be loaded are said so, and nothing that was typed goes with them', async () => {
    const here = await contested();
    disk.refused.set('projects.read', HostError.away());
    await here.files.settle('bot.py', 'theirs');
    expect(failures).toEqual(['bot.py could not be read']);
    disk.refused.clear();
    // The user has not given up the text of a removed file.
    disk.files.delete('bot.py');
    await here.files.settle('bot.py', 'theirs');
    expect(fileOf(here)).toMatchObject({ text: 'mine', trouble: 'gone' });
    await here.files.settle('bot.py', 'theirs');
    expect(here.store.getState().tabs).toEqual([]);
  });

  it('that come right after a save are shown, also when they are told of before its answer', async () => {
    const here = await session();
    await here.files.open('bot.py');
    here.files.edit('bot.py', 'mine');
    let release = (): void => undefined;
    disk.heldAnswers = new Promise((resolve) => (release = resolve));
    const saving = here.files.save('bot.py');
    await vi.waitFor(() => expect(disk.files.get('bot.py')).toBe('mine'));
    disk.files.set('bot.py', 'theirs');
    disk.tell({ changed: ['bot.py'] });
    await Promise.resolve();
    release();
    expect(await saving).toBe(true);
    await vi.waitFor(() => expect(fileOf(here)).toMatchObject({ text: 'theirs', saved: 'theirs', trouble: null }));
  });

  it('that come between the last look and a save are noticed by the save', async () => {
    const here = await session();
    await here.files.open('bot.py');
    here.files.edit('bot.py', 'mine');
    disk.files.set('bot.py', 'theirs');
    expect(await here.files.save('bot.py')).toBe(false);
    expect(fileOf(here)).toMatchObject({ text: 'mine', saved: 'theirs', trouble: 'changed' });
    expect(disk.files.get('bot.py')).toBe('theirs');
  });
});

describe('the check of the host', () => {
  it('sees what is typed in the files that it reads, and no other texts', async () => {
    disk.files.set('bot-config.yaml', 'name: a');
    const here = await session();
    await here.files.open('bot.py');
    await here.files.open('bot-config.yaml');
    disk.files.set('notes.txt', 'x');
    await here.files.open('notes.txt');
    here.files.edit('notes.txt', 'typed');
    here.files.edit('bot-config.yaml', 'name: b');
    await vi.waitFor(() =>
      expect(disk.checked).toEqual([
        { overlays: [{ path: 'bot-config.yaml', content: 'name: b' }], open: ['bot.py', 'bot-config.yaml'] },
      ]),
    );
  });
});

it('asks the host about no more texts than one message takes, however long their letters are', async () => {
  const long = '漢'.repeat(100_000);
  const here = await session();
  for (const path of ['a.py', 'b.py', 'c.py', 'd.py', 'e.py']) {
    disk.files.set(path, '');
    await here.files.open(path);
    here.files.edit(path, long);
  }
  await vi.waitFor(() => expect(disk.checked.at(-1)).toMatchObject({ overlays: { length: 2 } }));
  for (const one of disk.checked) expect(Buffer.byteLength(JSON.stringify(one))).toBeLessThan(LIMITS.requestBytes);
});

it('follows the project again after the host would not let it', async ({ onTestFinished }) => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const here = await session();
  disk.endStream(refusal('PROJECT_NOT_FOUND'));
  expect(here.store.getState().error?.code).toBe('PROJECT_NOT_FOUND');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(disk.streams).toBe(2);
  disk.tell({ state: { run: null, watching: true } });
  await vi.advanceTimersByTimeAsync(1000);
  expect(here.store.getState().error).toBeNull();
  await here.close();
  disk.endStream(null);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(disk.streams).toBe(2);
});

it('shows the lines of one run at a time, whoever has started it', async () => {
  const here = await session();
  const line = (seq: number) => ({ seq, ts: '', level: 'info' as const, text: String(seq), metric: null });
  const run = (run_id: string, status: 'running' | 'ended') => ({
    run: { run_id, status, started_at: '', ended_at: null, exit_code: null, stopped: false },
  });
  const shown = (): number[] => here.store.getState().lines.map(({ seq }) => seq);
  disk.tell(run('run_1', 'running'));
  disk.tell({ lines: [line(1)], run_id: 'run_1' });
  disk.tell(run('run_1', 'ended'));
  // What keeps the next one from starting does not take the last one's words away.
  disk.refused.set('projects.run', refusal('INVALID_CONFIG'));
  await expect(here.run()).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
  expect(shown()).toEqual([1]);
  disk.tell(run('run_2', 'running'));
  disk.tell({ lines: [line(2)], run_id: 'run_2' });
  expect(shown()).toEqual([2]);
});

it('shows each line of a run once, whoever tells it twice', async () => {
  const here = await session();
  const line = (seq: number) => ({ seq, ts: '', level: 'info' as const, text: String(seq), metric: null });
  disk.tell({ lines: [line(1), line(2)], run_id: 'run_1' });
  disk.tell({ lines: [line(2), line(3)], run_id: 'run_1' });
  expect(here.store.getState().lines.map(({ seq }) => seq)).toEqual([1, 2, 3]);
});
