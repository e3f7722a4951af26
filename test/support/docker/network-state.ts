import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const FORWARDING = '/proc/sys/net/ipv4/ip_forward';
const FAMILIES = ['iptables', 'ip6tables'] as const;

/** Changes of a daemon to the whole machine that outlive it. */
interface NetworkState {
  readonly bridge: boolean;
  readonly forwarding: string;
  readonly rules: Readonly<Record<(typeof FAMILIES)[number], string>>;
}

function output(command: string, args: readonly string[], input = ''): string {
  const { status, stdout, stderr } = spawnSync(command, args, { input, encoding: 'utf8' });
  return status === 0 ? stdout : `# ${stderr ?? ''}`;
}

/** From /proc, because /sys shows the network of the process that mounted it. */
function hasBridge(): boolean {
  return /^\s*docker0:/m.test(readFileSync('/proc/self/net/dev', 'utf8'));
}

function stateNow(): NetworkState {
  return {
    bridge: hasBridge(),
    forwarding: readFileSync(FORWARDING, 'utf8').trim(),
    rules: { iptables: output('iptables-save', []), ip6tables: output('ip6tables-save', []) },
  };
}

/** Keeps how the network is before the first daemon starts. A file that a killed run has left is older and stays. */
export function rememberNetwork(file: string): void {
  if (!existsSync(file)) writeFileSync(file, JSON.stringify(stateNow()));
}

function policyOf(rules: string): string | undefined {
  return /^\*filter$[^*]*?^:FORWARD (\w+)/m.exec(rules)?.[1];
}

/** What `iptables-restore --noflush` needs to take away all that Docker added, and only that. */
export function withoutDocker(before: string, now: string): string {
  if (before.includes(':DOCKER')) return '';
  const tables = now.matchAll(/^\*(\w+)$([^*]*?)^COMMIT$/gm);
  return [...tables]
    .map(([, table = '', body = '']) => {
      const rules = body.split('\n').filter((line) => line.startsWith('-A ') && /DOCKER|docker0|\bbr-/.test(line));
      const chains = [...body.matchAll(/^:(DOCKER\S*) /gm)].map((match) => match[1]);
      const policy = table === 'filter' ? policyOf(before) : undefined;
      const lines = [
        ...(policy !== undefined && policy !== '-' ? [`:FORWARD ${policy}`] : []),
        ...rules.map((rule) => rule.replace('-A', '-D')),
        ...chains.map((chain) => `-F ${chain}`),
        ...chains.map((chain) => `-X ${chain}`),
      ];
      return `*${table}\n${lines.join('\n')}\nCOMMIT\n`;
    })
    .join('');
}

/** Restores the network; only while no daemon runs. */
export function restoreNetwork(file: string): void {
  if (!existsSync(file)) return;
  const before: NetworkState = JSON.parse(readFileSync(file, 'utf8'));
  for (const family of FAMILIES) {
    const change = withoutDocker(before.rules[family], stateNow().rules[family]);
    if (change !== '') output(`${family}-restore`, ['--noflush'], change);
  }
  if (!before.bridge && hasBridge()) output('ip', ['link', 'delete', 'docker0']);
  if (readFileSync(FORWARDING, 'utf8').trim() !== before.forwarding) writeFileSync(FORWARDING, before.forwarding);
}
