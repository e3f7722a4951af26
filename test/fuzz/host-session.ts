import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import process from 'node:process';
import { deploy, publish } from '../../bench/support/publish.ts';
import { startHost } from '../../src/cli/start-host-on-folder.ts';
import { isJsonObject } from '../../src/shared/json.ts';
import { expectThat } from './target.ts';

/** Memory that a host may take, whatever it is asked: bytes. */
const MOST_MEMORY = 1.5 * 1024 ** 3;
/** Inputs between two looks at memory and at what has piled up. */
const LOOK_EVERY = 100;

const QUERY = `import { writeFileSync } from 'node:fs';
writeFileSync(process.env.QUERY_RESULT_FILE, JSON.stringify({ status: 'ok', data: JSON.parse(process.env.QUERY_PARAMS) }));
`;
const PACKAGE = {
  'bot.mjs': 'console.log("ran");\n',
  'query.mjs': QUERY,
  'bot-config.yaml':
    'name: fuzz\nversion: "1.0.0"\ntype: scheduled\nruntime: nodejs22\nentrypoints:\n  bot: bot.mjs\n  query: query.mjs\nschema:\n  bot: bot-schema.json\n',
  'bot-schema.json': '{"type":"object","properties":{"n":{"type":"integer"},"api_key":{"type":"string"}}}',
};

/** A request to the host. */
export interface FuzzRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** Its answer; `text` is null for a stream of events, of which only the beginning is read. */
export interface FuzzAnswer {
  readonly status: number;
  readonly text: string | null;
}

/** A real host with a bot and a project, for targets that ask it. */
export interface FuzzHost {
  /** Sends a request as the owner of the host, with the stand-ins ($bot, $project, $dir …) replaced. */
  send(asked: FuzzRequest): Promise<FuzzAnswer>;
  /**
   * Call after each input: checks that the host is alive with bounded memory, and removes created things now and then.
   */
  settle(): Promise<void>;
  close(): Promise<void>;
}

function residentBytes(pid: number): number {
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

function read(answer: IncomingMessage, done: (answer: FuzzAnswer) => void): void {
  const status = answer.statusCode ?? 0;
  if (answer.headers['content-type']?.startsWith('text/event-stream') === true) {
    answer.destroy();
    done({ status, text: null });
    return;
  }
  const chunks: Buffer[] = [];
  answer.on('data', (chunk: Buffer) => chunks.push(chunk));
  answer.on('end', () => done({ status, text: Buffer.concat(chunks).toString('utf8') }));
}

/** Starts the built host on a folder of its own. */
export async function fuzzHost(dir: string): Promise<FuzzHost> {
  const dataDir = join(dir, 'data');
  const projects = join(dir, 'projects');
  for (const path of [dataDir, projects]) mkdirSync(path);
  writeFileSync(join(dataDir, 'settings.json'), JSON.stringify({ rate_limit: 1_000_000 }));
  const { PATH, LANG } = process.env;
  const env = { PATH, LANG, HOME: dir, PLATFORM_ENGINE: 'process' };
  const host = await startHost({ dataDir, flags: ['--port', '0'], env, background: false });
  const { url, pid } = host;
  const token: string = JSON.parse(readFileSync(join(dataDir, 'host.json'), 'utf8')).token;
  const agent = new Agent({ keepAlive: true });

  const send = (asked: FuzzRequest): Promise<FuzzAnswer> =>
    new Promise((done, fail) => {
      const { method, path, headers, body } = asked;
      const outgoing = request(`${url}${path}`, {
        method,
        agent,
        headers: { authorization: `Bearer ${token}`, ...headers },
      });
      outgoing.once('response', (answer) => {
        answer.once('error', fail);
        read(answer, done);
      });
      outgoing.once('error', fail);
      outgoing.end(body ?? undefined);
    });
  const json = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
    const headers = { 'content-type': 'application/json' };
    const { text } = await send({ method, path, headers, body: body === undefined ? null : JSON.stringify(body) });
    const value: unknown = JSON.parse(text ?? 'null');
    return isJsonObject(value) ? value : {};
  };
  const idsOf = async (path: string, field: string): Promise<string[]> => {
    const { items } = await json('GET', path);
    return Array.isArray(items) ? items.filter(isJsonObject).map((one) => String(one[field])) : [];
  };

  await publish({ url, token }, PACKAGE);
  const bot = await deploy(
    { url, token },
    { name: 'the bot', type: 'scheduled/fuzz', version: '1.0.0', schedule: '0 0 1 1 *', config: { n: 1 } },
  );
  const made = await json('POST', '/api/v1/projects/create', {
    dir: join(projects, 'one'),
    template: 'node',
    name: 'one',
  });
  const [user = ''] = await idsOf('/api/v1/users', 'user_id');
  const standIns: Record<string, string> = {
    $bot: bot,
    $project: String(made.project_id),
    $user: user,
    $dir: projects,
  };
  const filled = (text: string): string =>
    text.replaceAll(/\$(?:bot|project|user|dir)\b/g, (name) => standIns[name] ?? name);

  let inputs = 0;
  return {
    send: (asked) =>
      send({ ...asked, path: filled(asked.path), body: asked.body === null ? null : filled(asked.body) }),
    async settle() {
      inputs += 1;
      if (inputs % LOOK_EVERY !== 0) return;
      const resident = residentBytes(pid);
      expectThat(resident < MOST_MEMORY, `the host takes ${Math.round(resident / 1024 / 1024)} MB`);
      for (const [path, field, keep] of [
        ['/api/v1/bots', 'bot_id', bot],
        ['/api/v1/users', 'user_id', user],
        ['/api/v1/projects', 'project_id', standIns.$project],
        ['/api/v1/keys', 'key_id', ''],
      ] as const) {
        for (const id of await idsOf(path, field)) if (id !== keep) await json('DELETE', `${path}/${id}`);
      }
    },
    async close() {
      agent.destroy();
      host.stop();
      await host.exited;
    },
  };
}
