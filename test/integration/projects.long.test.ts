import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, type TestContext } from 'vitest';
import type { ErrorBody } from '../../src/contract/errors.ts';
import type { Input, Output } from '../../src/contract/operations.ts';
import type { ProjectEvent, ProjectFile, RunLine } from '../../src/contract/project.ts';
import { createSseParser } from '../../src/shared/sse.ts';
import { pidsUnder, ROOT, sharedHost, type TestHost, testHost } from '../support/platform.ts';
import { tempDir } from '../support/temp.ts';
import { call } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

const HOST_SETTINGS = (settings: object) => (dataDir: string) =>
  writeFileSync(join(dataDir, 'settings.json'), JSON.stringify(settings));

async function refused(response: Response): Promise<ErrorBody> {
  const { error }: { error: ErrorBody } = JSON.parse(await response.text());
  return error;
}

const create = (host: TestHost, input: Input<'projects.create'>): Promise<Output<'projects.create'>> =>
  call(host, 'POST', '/api/v1/projects/create', input);

/** Follows a project until the test ends. */
async function follow(
  host: TestHost,
  id: string,
  onTestFinished: TestContext['onTestFinished'],
  query = '',
): Promise<ProjectEvent[]> {
  const events: ProjectEvent[] = [];
  const end = new AbortController();
  onTestFinished(() => end.abort());
  const response = await host.fetch(`/api/v1/projects/${id}/events${query}`, { signal: end.signal });
  expect(response.status).toBe(200);
  const decoder = new TextDecoder();
  const parser = createSseParser(({ data }) => events.push(JSON.parse(data)));
  const reading = async (): Promise<void> => {
    for await (const chunk of response.body ?? []) parser.push(decoder.decode(chunk, { stream: true }));
  };
  reading().catch((error: unknown) => {
    // A host that was killed cuts the stream off.
    if (!end.signal.aborted && !(error instanceof TypeError)) throw error;
  });
  await until('the first event', () => events.length > 0);
  return events;
}

const linesOf = (events: readonly ProjectEvent[]): RunLine[] =>
  events.flatMap((event) => ('lines' in event ? event.lines : []));

const shared = sharedHost();

it('lets nobody reach folders but the owner of a host that only this machine reaches', async ({ onTestFinished }) => {
  const host = shared(onTestFinished);
  const { key } = await call<{ key: string }>(host, 'POST', '/api/v1/keys', { name: 'full key' });
  const asKey = await host.fetch('/api/v1/projects', { headers: { authorization: `Bearer ${key}` } });
  expect(await refused(asKey)).toMatchObject({ code: 'SESSION_REQUIRED' });
  await call(host, 'POST', '/api/v1/users', { name: 'guest', password: 'long enough words' });
  const login = await fetch(`${host.url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'guest', password: 'long enough words' }),
  });
  const { token }: { token: string } = JSON.parse(await login.text());
  const asGuest = await host.fetch('/api/v1/projects', { headers: { authorization: `Bearer ${token}` } });
  expect(await refused(asGuest)).toMatchObject({
    code: 'FORBIDDEN',
    message: 'Only the owner of this host may do that',
  });
  expect((await host.fetch('/api/v1/projects')).status).toBe(200);
});

it('opens no folders where settings.json or the address to listen on forbid it', async ({ onTestFinished }) => {
  const never = await testHost(onTestFinished, HOST_SETTINGS({ projects: 'never' }));
  const body = JSON.stringify({ dir: tempDir() });
  const asked = await never.fetch('/api/v1/projects', { method: 'POST', body });
  expect(await refused(asked)).toMatchObject({ code: 'FORBIDDEN', message: 'This host opens no project folders' });

  for (const [settings, status] of [
    [{}, 403],
    [{ projects: 'always' }, 200],
  ] as const) {
    const dataDir = tempDir('platform-e2e-');
    HOST_SETTINGS(settings)(dataDir);
    const args = ['--data', dataDir, '--port', '0', '--listen', '0.0.0.0', '--insecure', '--engine', 'process'];
    const child = spawn(process.execPath, [join(ROOT, 'out/main/serve.js'), ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const gone = new Promise((resolve) => child.once('close', resolve));
    onTestFinished(async () => {
      child.kill('SIGTERM');
      await gone;
    });
    const line = await new Promise<string>((resolve) => createInterface({ input: child.stdout }).once('line', resolve));
    const { url }: { url: string } = JSON.parse(line);
    const file = await until('host.json', () => existsSync(join(dataDir, 'host.json')) && join(dataDir, 'host.json'));
    const { token }: { token: string } = JSON.parse(readFileSync(file, 'utf8'));
    const answer = await fetch(`${url}/api/v1/projects`, { headers: { authorization: `Bearer ${token}` } });
    expect(answer.status).toBe(status);
  }
});

it('works on a project: files, changes from outside, a run, a version and what differs from it', async ({
  onTestFinished,
}) => {
  const host = await testHost(onTestFinished);
  const dir = join(tempDir(), 'my-bot');
  const project = await create(host, { dir, template: 'node' });
  const { project_id } = project;
  const at = `/api/v1/projects/${project_id}`;
  const read = (path: string): Promise<ProjectFile> => call(host, 'GET', `${at}/file?path=${encodeURIComponent(path)}`);
  expect(project).toMatchObject({ name: 'my-bot', present: true });
  // The same folder is the same project.
  expect((await call<typeof project>(host, 'POST', '/api/v1/projects', { dir })).project_id).toBe(project_id);

  const events = await follow(host, project_id, onTestFinished);
  expect(events[0]).toEqual({ state: { run: null, watching: true } });
  const bot = await read('bot.mjs');
  writeFileSync(join(dir, 'bot.mjs'), `${bot.content}// theirs\n`);
  mkdirSync(join(dir, 'lib/inner'), { recursive: true });
  await until('the change of a file', () =>
    events.some((event) => 'changed' in event && event.changed.includes('bot.mjs')),
  );
  await until('the new folder', () => events.some((event) => 'changed' in event && event.changed.includes('lib')));
  const lost = await host.fetch(`${at}/file`, {
    method: 'PUT',
    body: JSON.stringify({ path: 'bot.mjs', content: 'mine', version: bot.version }),
  });
  expect(await refused(lost)).toMatchObject({
    code: 'FILE_CHANGED',
    details: { version: (await read('bot.mjs')).version },
  });
  // A folder that came later is watched too.
  await until('a file in the new folder', () => {
    writeFileSync(join(dir, 'lib/inner/new.mjs'), String(Math.random()));
    return events.some((event) => 'changed' in event && event.changed.includes('lib/inner/new.mjs'));
  });

  // Removed files can be restored.
  const { kept } = await call<{ kept: string }>(host, 'DELETE', `${at}/file?path=lib`);
  expect(existsSync(join(dir, 'lib'))).toBe(false);
  await call(host, 'POST', `${at}/rename`, { from: kept, to: 'lib' });
  expect(existsSync(join(dir, 'lib/inner/new.mjs'))).toBe(true);

  // Two that are asked for at once are one.
  const starts = await Promise.all([0, 1].map(() => host.fetch(`${at}/run`, { method: 'POST' })));
  const [again] = starts.filter(({ ok }) => !ok);
  if (starts.every(({ ok }) => !ok) || again === undefined) throw new Error('one of the two starts must be refused');
  expect(await refused(again)).toMatchObject({ code: 'BOT_RUNNING' });
  await until('a metric of the run', () => linesOf(events).some(({ metric }) => metric !== null));
  const last = linesOf(events).at(-1)?.seq ?? 0;
  // A returning reader gets the missed lines, once.
  const first = linesOf(events)[0]?.seq ?? 0;
  const resumed = await follow(host, project_id, onTestFinished, `?after=${first}`);
  await until('the missed lines', () => linesOf(resumed).some(({ seq }) => seq >= last));
  const seqs = linesOf(resumed).map(({ seq }) => seq);
  expect(Math.min(...seqs)).toBe(first + 1);
  await call(host, 'POST', `${at}/stop`);
  await until('the end of the run', () =>
    events.some((event) => 'run' in event && event.run.status === 'ended' && event.run.stopped),
  );

  // A run that a killed host leaves behind is ended by the next one; this one says nothing, so a closed pipe does not end it.
  const theirs = readFileSync(join(dir, 'bot.mjs'), 'utf8');
  writeFileSync(
    join(dir, 'bot.mjs'),
    'export const main = () => new Promise(() => setInterval(() => undefined, 1000));\n',
  );
  await call(host, 'POST', `${at}/run`);
  await until('the program', () => pidsUnder(dir).length > 0);
  await host.kill();
  await host.start();
  expect(pidsUnder(dir)).toEqual([]);
  writeFileSync(join(dir, 'bot.mjs'), theirs);
  const later = await follow(host, project_id, onTestFinished);

  const published = await call<Output<'projects.publish'>>(host, 'POST', `${at}/publish`);
  expect(published).toMatchObject({ created: true, custom_bot: { name: 'my-bot' } });
  expect(later.some((event) => 'publish' in event)).toBe(true);
  writeFileSync(join(dir, 'extra.txt'), 'x');
  rmSync(join(dir, 'README.md'));
  writeFileSync(join(dir, 'bot.mjs'), `${bot.content}`);
  // README.md is named by bot-config.yaml only as text: its absence is a difference, not a fault.
  const changes = await call<Output<'projects.changes'>>(host, 'GET', `${at}/changes`);
  expect(changes.version).toBe(published.custom_bot.version);
  expect(changes.items).toEqual([
    { path: 'README.md', change: 'removed' },
    { path: 'bot.mjs', change: 'changed' },
    { path: 'extra.txt', change: 'added' },
  ]);
  const before = await call<ProjectFile>(
    host,
    'GET',
    `${at}/published-file?version=${published.custom_bot.version}&path=bot.mjs`,
  );
  expect(before.content).toContain('// theirs');
  const outside = await host.fetch(
    `${at}/published-file?version=${published.custom_bot.version}&path=..%2F..%2Fcontrol.db`,
  );
  expect(outside.status).toBe(400);
});

it('lists a project of 5,000 files within two seconds, on a busy machine within 20 plain walks', async ({
  onTestFinished,
}) => {
  const host = shared(onTestFinished);
  const dir = tempDir();
  for (let folder = 0; folder < 100; folder++) {
    mkdirSync(join(dir, `folder-${folder}`));
    for (let file = 0; file < 50; file++)
      writeFileSync(join(dir, `folder-${folder}/file-${file}.py`), `value = ${file}\n`);
  }
  // What the machine takes now for a look at each file, because other tests may keep it busy.
  const walked = performance.now();
  for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' })) statSync(join(dir, name));
  const plainMs = performance.now() - walked;
  const begun = performance.now();
  const { project_id } = await call<{ project_id: string }>(host, 'POST', '/api/v1/projects', { dir });
  const events = await follow(host, project_id, onTestFinished);
  const tree = await call<Output<'projects.tree'>>(host, 'GET', `/api/v1/projects/${project_id}/tree`);
  expect(tree.entries).toHaveLength(5100);
  expect(events[0]).toMatchObject({ state: { watching: true } });
  expect(performance.now() - begun).toBeLessThan(Math.max(2000, 20 * plainMs));
});

it('copies a published version into a folder that holds nothing, and opens it', async ({ onTestFinished }) => {
  const host = shared(onTestFinished);
  const first = await create(host, {
    dir: join(tempDir(), 'copied-bot'),
    template: 'node',
  });
  const published = await call<Output<'projects.publish'>>(
    host,
    'POST',
    `/api/v1/projects/${first.project_id}/publish`,
    {},
  );
  const { name, version } = published.custom_bot;
  const dir = join(tempDir(), 'again');
  const copy = { dir, name, version };
  const made = await call<Output<'projects.copy_version'>>(host, 'POST', '/api/v1/projects/copy-version', copy);
  expect(made).toMatchObject({ name: 'again', present: true });
  expect(readFileSync(join(dir, 'bot-config.yaml'), 'utf8')).toBe(
    readFileSync(join(first.dir, 'bot-config.yaml'), 'utf8'),
  );
  // Its owner may write what was read-only in the catalogue.
  expect(statSync(join(dir, 'bot-config.yaml')).mode & 0o777).toBe(0o644);
  writeFileSync(join(dir, 'bot-config.yaml'), readFileSync(join(dir, 'bot-config.yaml')));
  const changes = await call<Output<'projects.changes'>>(host, 'GET', `/api/v1/projects/${made.project_id}/changes`);
  expect(changes.items).toEqual([]);

  const post = (body: object): Promise<Response> =>
    host.fetch('/api/v1/projects/copy-version', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const full = await post(copy);
  expect([full.status, await refused(full)]).toMatchObject([400, { code: 'INVALID_REQUEST' }]);
  const missing = await post({ ...copy, dir: `${dir}-2`, version: '9.9.9' });
  expect([missing.status, await refused(missing)]).toMatchObject([404, { code: 'CUSTOM_BOT_NOT_FOUND' }]);
  expect(existsSync(`${dir}-2`)).toBe(false);
  const inside = await post({ ...copy, dir: join(host.dataDir, 'catalog', 'x') });
  expect([inside.status, await refused(inside)]).toMatchObject([400, { code: 'INVALID_REQUEST' }]);
});
