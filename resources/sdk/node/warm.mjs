import { writeSync } from 'node:fs';

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Whether this program is a query run that was started before its question is known: PLATFORM_QUERY_WARM is the file
 * descriptor to which it reports.
 */
export function isWaiting() {
  return Boolean(process.env.PLATFORM_QUERY_WARM);
}

/** Tells the host how far this program is. */
export function report(word) {
  writeSync(Number(process.env.PLATFORM_QUERY_WARM), `${word}\n`);
}

/** The first line of stdin; nothing when it ends before. */
async function firstLine() {
  let text = '';
  for await (const part of process.stdin.setEncoding('utf8')) {
    text += part;
    const end = text.indexOf('\n');
    if (end >= 0) return text.slice(0, end);
  }
  return undefined;
}

/**
 * Waits for the one question, puts it into the environment, where a plain query run has it, and gives its path. Ends the
 * process when no question comes any more.
 */
export async function receive() {
  report('ready');
  const line = await firstLine();
  if (line === undefined) process.exit(0);
  const { path, params } = JSON.parse(line);
  for (const [name, value] of Object.entries(params)) {
    if (NAME.test(name) && !value.includes('\0')) process.env[`QUERY_PARAM_${name}`] = value;
  }
  process.env.QUERY_PARAMS = JSON.stringify(params);
  process.env.QUERY_PATH = path;
  return path;
}
