import type { Row } from './bench.ts';
import { short } from './figures.ts';
import { NOTES } from './notes.ts';
import type { Results } from './results.ts';

/** Cores that other programs may use before a wall time means little. */
const BUSY = 0.3;

const HEAD = `# Performance

Made by \`npm run bench\`, which runs the benchmarks in \`bench/\` one after another and writes this document from
\`bench/results.json\`. Ours and the peer are measured in the same run, in turn, and compared: times on another machine, or
on this one in another hour, differ, ratios hardly do. Figures are medians unless the row says otherwise.

"Load" says how busy the machine was: processes that wanted to run, and how many cores programs of others took. A row under
which others took more than ${BUSY} cores is marked with *: its times, and its verdict, wait for a quiet machine. So do rows of
small sizes (\`--quick\`).
`;

const cell = (text: string): string => text.replaceAll('|', '\\|');

function verdict({ met, load }: Row): string {
  if (met === null) return '';
  return `${met ? 'yes' : '**no**'}${load.others > BUSY ? ' *' : ''}`;
}

/** The row of a benchmark, with the day and the commit that it was measured on. */
function line(row: Row, commit: string): string {
  const { ours, unit, peer, peerName, ratio, target, load } = row;
  const title = row.quick ? `${row.title} (small sizes)` : row.title;
  const beside = peer === null ? '' : [`${short(peer)} ${unit}`, ...(peerName === null ? [] : [peerName])].join(', ');
  const busy = `${load.average.toFixed(1)}, ${load.others.toFixed(1)} cores`;
  const cells = [
    title,
    `${short(ours)} ${unit}`,
    beside,
    ratio === null ? '' : short(ratio),
    target,
    verdict(row),
    busy,
    `${row.date.slice(0, 10)}, ${commit}`,
  ];
  return `| ${cells.map(cell).join(' | ')} |`;
}

function madeOn(results: Results): string {
  const groups = Map.groupBy(Object.entries(results), ([, { machine, versions, commit, rows }]) => {
    return JSON.stringify([machine, versions, commit, rows[0]?.date.slice(0, 10)]);
  });
  return [...groups]
    .map(([key, members]) => {
      const [machine, versions, commit, day]: string[] = JSON.parse(key);
      const names = groups.size === 1 ? '' : `${members.map(([name]) => name).join(', ')}: `;
      return `- ${names}${day}, commit ${commit}, ${machine}; ${versions}`;
    })
    .join('\n');
}

/**
 * The document of all rows; the order is that of `names`. `failed`: benchmarks that ended without rows in this run, of
 * which the rows of an earlier run are shown.
 */
export function document(results: Results, names: readonly string[], failed: readonly string[] = []): string {
  const there = Object.fromEntries(names.flatMap((name) => (results[name] ? [[name, results[name]]] : [])));
  const rows = Object.values(there).flatMap((one) => one.rows);
  const judged = rows.filter((row) => row.met !== null);
  const missed = judged.filter((row) => row.met === false);
  const seconds = Object.values(there).reduce((sum, one) => sum + one.seconds, 0);
  const old = failed.filter((name) => name in there);
  const absent = names.filter((name) => results[name] === undefined);
  const parts = [
    HEAD,
    `${madeOn(there)}\n- ${judged.length - missed.length} of ${judged.length} targets met; all of it took ${Math.ceil(seconds / 60)} minutes\n`,
    absent.length === 0 ? '' : `Not measured: ${absent.join(', ')}.\n`,
    old.length === 0 ? '' : `Failed in the last run, so that their rows are of an earlier one: ${old.join(', ')}.\n`,
    '| row | ours | peer | ratio | target | met | load, others | measured |\n|---|---|---|---|---|---|---|---|',
    `${Object.values(there)
      .flatMap(({ rows, commit }) => rows.map((row) => line(row, commit)))
      .join('\n')}\n`,
    '## What else was seen\n',
    `${rows.flatMap((row) => (row.note === '' ? [] : [`- ${row.title} (\`${row.row}\`): ${row.note}`])).join('\n')}\n`,
  ];
  if (missed.length > 0) {
    parts.push('## What is missed, and what the profile says\n');
    const why = (row: Row): string => NOTES[row.row] ?? 'nobody has looked yet.';
    parts.push(`${missed.map((row) => `- ${row.title} (\`${row.row}\`): ${why(row)}`).join('\n')}\n`);
  }
  return parts.filter((part) => part !== '').join('\n');
}
