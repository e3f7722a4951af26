import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { pageLink } from '../../../src/cli/page-link.ts';
import { tempDir } from '../../support/temp.ts';
import { json, refuse, smallHost } from './small-host.ts';

const NAME = { program: 'npx platform', data: null, url: null, bot: null };
const nothing = (): never => {
  throw new Error('nothing is printed here');
};

/** What a command prints to: a terminal of 80 columns, or a pipe. */
function output(terminal: boolean, asJson = false) {
  return {
    json: asJson,
    colours: false,
    columns: terminal ? 80 : Number.POSITIVE_INFINITY,
    line: nothing,
    note: nothing,
    data: nothing,
    raw: nothing,
    table: nothing,
    progress: nothing,
  };
}

/** The folder of a host that runs at `url`. */
function dataDirOf(url: string): string {
  const dataDir = tempDir();
  const found = {
    url,
    port: 1,
    pid: process.pid,
    started_at: new Date().toISOString(),
    version: '1',
    token: 'local_t',
  };
  writeFileSync(join(dataDir, 'host.json'), JSON.stringify(found), { mode: 0o600 });
  return dataDir;
}

describe('the way to the page', () => {
  it('is a link that logs in, on a terminal', async () => {
    const host = await smallHost(onTestFinished, (_, response) =>
      json(response, 200, { url: 'http://host/#enter=ticket', expires_at: '2026-01-01T00:00:00.000Z' }),
    );
    const link = await pageLink({ out: output(true), dataDir: dataDirOf(host.url), name: NAME }, host.url);
    expect(link.address).toBe('http://host/#enter=ticket');
    expect(link.about).toBe('logs you in once, within 10 minutes; later: npx platform open');
    expect(host.seen[0]).toMatchObject({ url: '/api/v1/auth/link', headers: { 'x-api-key': 'local_t' } });
  });

  it.each([
    ['a pipe', output(false)],
    ['a program', output(true, true)],
  ])('is the plain address and a command for %s, and no link is made', async (_, out) => {
    const host = await smallHost(onTestFinished, (_, response) => json(response, 200, {}));
    const link = await pageLink({ out, dataDir: dataDirOf(host.url), name: NAME }, host.url);
    expect(link).toEqual({ address: host.url, about: 'opened logged in by: npx platform open' });
    expect(host.seen).toEqual([]);
  });

  it('is the plain address where the host makes no link', async () => {
    const host = await smallHost(onTestFinished, (_, response) =>
      refuse(response, 404, { code: 'ROUTE_NOT_FOUND', message: 'no such route' }),
    );
    const link = await pageLink({ out: output(true), dataDir: dataDirOf(host.url), name: NAME }, host.url);
    expect(link.address).toBe(host.url);
  });
});
