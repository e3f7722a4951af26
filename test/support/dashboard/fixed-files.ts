import type { VersionDiff, VersionFiles, VersionFileText } from '../../../src/contract/custom-bot.ts';
import type { Project } from '../../../src/contract/project.ts';
import { back } from './fixed-bots.ts';

const HOUR = 3_600_000;

/** Files of every version of the fixed world, and the folders that its owner has opened. */
const TEXTS: Readonly<Record<string, string>> = {
  'bot-config.yaml': [
    'name: sma-crossover',
    'type: realtime',
    'runtime: nodejs24',
    'entrypoints:',
    '  bot: src/bot.mjs',
    'schema:',
    '  bot: bot-schema.json',
    '',
  ].join('\n'),
  'src/bot.mjs': "import { parse, metric } from '@bot-platform/sdk';\n\nconst { config } = parse();\n",
};
const facts = (path: string) => ({ size_bytes: TEXTS[path]?.length ?? 0, executable: false });

export function filesOf(name: string, version: string): VersionFiles {
  const items = Object.keys(TEXTS).map((path) => ({ path, ...facts(path) }));
  return { name, version, items, total: items.length };
}

export function fileOf(name: string, version: string, path: string): VersionFileText {
  return { name, version, path, ...facts(path), text: TEXTS[path] ?? null, truncated: false };
}

export function diffOf(name: string, from: string, to: string): VersionDiff {
  const [before, after] = [
    { size_bytes: 80, executable: false },
    { size_bytes: 96, executable: false },
  ];
  return { name, from, to, items: [{ path: 'src/bot.mjs', kind: 'changed', before, after }], total: 1 };
}

export const PROJECTS: readonly Project[] = [
  {
    project_id: 'project_1',
    name: 'sma-crossover',
    dir: '/home/ann/bots/sma-crossover',
    opened_at: back(HOUR),
    present: true,
  },
  {
    project_id: 'project_2',
    name: 'momentum',
    dir: '/home/ann/bots/momentum',
    opened_at: back(72 * HOUR),
    present: false,
  },
];
