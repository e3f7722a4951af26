import type { KeyScope } from '../../../contract/account.ts';
import type { Assistant } from '../../../contract/assistant.ts';
import type { HostInfo } from '../../../contract/host.ts';
import { type AssistantName, isAssistant, type Reach } from '../../../shared/assistants.ts';
import { dataDirOf } from '../../../shared/data-dir.ts';

/** Access that an assistant gets. */
export interface Plan {
  readonly assistant: AssistantName;
  readonly scope: KeyScope;
  /** Null: all bots, also later ones. */
  readonly bots: readonly string[] | null;
  readonly extended: boolean;
}

/** The part of the host's information that this page needs. */
export type HostFacts = Pick<HostInfo, 'platform' | 'home_dir' | 'data_dir' | 'command'>;

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** True when this page is shown on the machine of the host, as far as its address tells. */
export function isLocal(origin: string): boolean {
  return LOOPBACK.test(new URL(origin).hostname);
}

/**
 * Returns the assistants on the machine on which this page is shown; none on another machine than the host's, of which it knows
 * nothing.
 */
export function foundHere(known: readonly Assistant[], origin: string): ReadonlySet<AssistantName> {
  const found = known.filter(({ here }) => here === true && isLocal(origin)).map(({ name }) => name);
  return new Set(found.filter(isAssistant));
}

/**
 * Returns the way of an assistant to the host. On the host's own machine its paths are right as they stand, and the host tells
 * them to its owner; from another machine, and for everybody else, the command line must be installed, and gets this address.
 */
export function reachOf(host: HostFacts, origin: string, extended: boolean): Reach {
  const os = host.platform.split(' ')[0] ?? '';
  const { home_dir, data_dir, command } = host;
  if (!isLocal(origin) || home_dir === null || data_dir === null || command === null) {
    const program = ['platform'];
    const machine = { os, home: '~', env: {} };
    return { url: origin, extended, program, typed: program, arguments: ['--url', origin], machine };
  }
  const machine = { os, home: home_dir, env: {} };
  // The folder leads to the host also when it has another port one day.
  const toHost = ['--data', data_dir];
  return { url: origin, extended, program: command, typed: command, arguments: toHost, machine };
}

/** Quotes a word of a command line for a shell. */
export function shellWord(text: string, os: string): string {
  if (os === 'win32') return /^[\w@%+=:,./\\-]+$/.test(text) ? text : `"${text.replaceAll('"', '\\"')}"`;
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Returns the command that does everything on the assistant's machine, its file included. */
export function commandLine(plan: Plan, host: HostFacts, origin: string): string {
  const os = host.platform.split(' ')[0] ?? '';
  const { home_dir, data_dir } = host;
  const isKnown = isLocal(origin) && home_dir !== null && data_dir !== null;
  const usual = isKnown && data_dir === dataDirOf({}, os, home_dir);
  const toHost = isKnown ? (usual ? [] : ['--data', data_dir]) : ['--url', origin];
  const words = [
    'npx',
    'platform',
    'connect',
    plan.assistant,
    ...toHost,
    ...(plan.assistant === 'generic' ? [] : ['--write']),
    ...(plan.scope === 'deploy' ? [] : ['--scope', plan.scope]),
    ...(plan.bots === null ? [] : ['--bots', plan.bots.join(',')]),
    ...(plan.extended ? ['--extended'] : []),
  ];
  return words.map((word) => shellWord(word, os)).join(' ');
}

/** Formats a code while it is typed as the host reads it: capitals, in two groups of four. */
export function codeTyped(text: string): string {
  const letters = text
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, '')
    .slice(0, 8);
  return letters.length > 4 ? `${letters.slice(0, 4)}-${letters.slice(4)}` : letters;
}
