import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type TestContext } from 'vitest';
import { makeKey } from './mcp.ts';
import { assistantOf, type McpAssistant } from './mcp-client.ts';
import { TestHost } from './platform.ts';
import { tempDir } from './temp.ts';
import { until } from './until.ts';

type Finished = TestContext['onTestFinished'];

/** In the environment of the host alone. */
export const TRIAL_SECRET = 'a-secret-of-the-host-0123456789';

/** A host on which code is tried. */
export interface TrialPlace {
  readonly host: TestHost;
  /** Folders of trials that are there, and of files that were given for one. */
  readonly trials: () => string[];
}

/** Starts one; `docker`: it demands containers, of the engine at this address; `engine`: of its bots, without containers. */
export async function trialPlace(
  onTestFinished: Finished,
  docker: string | null = null,
  engine: TestHost['engine'] = 'process',
): Promise<TrialPlace> {
  const temp = tempDir('trial-temp-');
  const host = new TestHost();
  host.env = { TMPDIR: temp, MY_SECRET: TRIAL_SECRET, ...(docker === null ? {} : { DOCKER_HOST: docker }) };
  host.engine = docker === null ? engine : 'docker';
  onTestFinished(() => host.stop());
  await host.start();
  const namesIn = (dir: string, begin: string) => readdirSync(dir).filter((name) => name.startsWith(begin));
  return { host, trials: () => [...namesIn(host.dataDir, '.trial-'), ...namesIn(temp, '')] };
}

/** An assistant with a key of its own. */
export const connect = async (host: TestHost, onTestFinished: Finished, scope = 'deploy'): Promise<McpAssistant> =>
  assistantOf(host, await makeKey(host, { scope, extended: true }), { onTestFinished });

/** The files of a bot. */
export function filesOf(bot: string, type = 'realtime'): Record<string, string> {
  return {
    'bot-config.yaml': `name: tried-bot\nversion: "1.0.0"\ndescription: d\nauthor: a\ntype: ${type}\nruntime: nodejs22\nentrypoints:\n  bot: bot.mjs\nschema:\n  bot: bot-schema.json\n`,
    'bot-schema.json': JSON.stringify({
      title: 't',
      description: 'd',
      type: 'object',
      properties: { file: { type: 'string' } },
    }),
    'bot.mjs': bot,
  };
}

/** Tells its process id in the file that its settings name. */
export const MARKS = `import { writeFileSync } from 'node:fs';
const { file } = JSON.parse(process.env.BOT_CONFIG);
if (file) writeFileSync(file, String(process.pid));
setInterval(() => {}, 60_000);
`;

/** True while a process is there. */
export function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Begins a trial of half a minute, and waits until its program runs. */
export async function begunTrial(assistant: McpAssistant) {
  const file = join(tempDir(), 'ran');
  const given = new AbortController();
  const input = { files: filesOf(MARKS), settings: { file }, seconds: 30 };
  const answer = assistant.ask('custom_bot_verify', input, { signal: given.signal, onprogress: () => undefined });
  answer.catch(() => undefined);
  const pid = await until('the program of the trial', async () => {
    if (!existsSync(file)) return null;
    return Number(readFileSync(file, 'utf8')) || null;
  });
  expect(isThere(pid)).toBe(true);
  return { answer, pid, giveUp: () => given.abort() };
}
