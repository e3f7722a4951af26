import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { LABELS } from '../../../../../../src/main/host/engine/docker/container-create-options.ts';
import { dockerEngine } from '../../../../../support/docker-engine.ts';
import { tempDir } from '../../../../../support/temp.ts';
import { until } from '../../../../../support/until.ts';

const ANSWERS: Readonly<Record<string, unknown>> = {
  '/version': { Version: '28.2.2', ApiVersion: '1.50' },
  '/info': { ID: 'one', OSType: 'linux', SecurityOptions: [] },
  '/_ping': {},
  '/networks': [],
};

/** An engine with one container, which refuses to list what it has for the first few times. */
function busyEngine(refusals: number) {
  const socket = join(tempDir('engine-'), 'docker.sock');
  const removed: string[] = [];
  let asked = 0;
  const server = createServer(({ url = '', method }, response) => {
    const path = url.split('?')[0] ?? '';
    const isList = path === '/containers/json';
    if (isList) asked += 1;
    if (method === 'DELETE') removed.push(path);
    const refuses = isList && asked <= refusals;
    const list = [{ Id: 'c0ffee', Labels: { [LABELS.run]: 'run_of_nobody' } }];
    const answer = refuses ? { message: 'busy' } : isList ? list : (ANSWERS[path] ?? {});
    response.writeHead(refuses ? 500 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { socket, removed, start: () => once(server.listen(socket), 'listening') };
}

it.skipIf(process.platform === 'win32')(
  'what nobody knows is removed when the engine is back, and again when it refused',
  async () => {
    const busy = busyEngine(1);
    const { engine, reports } = dockerEngine(busy.socket, 'a'.repeat(32));
    onTestFinished(() => engine.close());
    expect(await engine.endOrphans((runId) => runId === 'run_of_somebody')).toEqual([]);
    await busy.start();
    await until('its removal', () => busy.removed.length > 0);
    expect(busy.removed).toEqual(['/containers/c0ffee']);
    expect(reports).toEqual([expect.stringContaining('could not be removed')]);
  },
);
