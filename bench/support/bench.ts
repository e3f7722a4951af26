import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { short } from './figures.ts';
import { type Load, loadMeter } from './processes.ts';
import { haveTools } from './tools.ts';

/** A bound of a row: on our figure, or on its ratio to the peer's. */
export interface Bound {
  readonly of: 'ours' | 'ratio';
  readonly most?: number;
  readonly least?: number;
}

/** A measurement. `ratio` is ours divided by the peer's. */
export interface Row {
  /** Stable name, by which `--only` finds it. */
  readonly row: string;
  readonly title: string;
  readonly ours: number;
  readonly peer: number | null;
  readonly peerName: string | null;
  readonly unit: string;
  readonly ratio: number | null;
  /** In words; empty where nothing is promised. */
  readonly target: string;
  /** Null where nothing is promised. */
  readonly met: boolean | null;
  /** What else was seen. */
  readonly note: string;
  /** Sizes that are too small to judge by. */
  readonly quick: boolean;
  readonly date: string;
  readonly load: Load;
}

export interface Measured {
  readonly row: string;
  readonly title: string;
  readonly unit: string;
  readonly ours: number;
  /** The peer's measurement in the same run. */
  readonly peer?: { readonly name: string; readonly value: number };
  readonly bounds?: readonly Bound[];
  readonly note?: string;
}

/** Sizes of a benchmark: for a run whose figures count, and for a quick try. */
export type Sizes = Readonly<Record<string, readonly [full: number, quick: number]>>;

const fits = (value: number, { most = Infinity, least = -Infinity }: Bound): boolean => value <= most && value >= least;

function inWords(bound: Bound, unit: string, peer: string): string {
  const what = bound.of === 'ratio' ? ` × ${peer}` : ` ${unit}`;
  const most = bound.most === undefined ? [] : [`≤ ${bound.most}${what}`];
  const least = bound.least === undefined ? [] : [`≥ ${bound.least}${what}`];
  return [...most, ...least].join(', ');
}

/** One benchmark: reads its arguments, keeps its rows with the load that they were made under, prints them for people. */
export class Bench<S extends Sizes> {
  readonly quick: boolean;
  readonly sizes: { readonly [Name in keyof S]: number };
  readonly #json: string | null;
  readonly #rows: Row[] = [];
  #load = loadMeter();

  /** Throws on an argument that is no `name=number` of these sizes, `--quick` or `--json FILE`. */
  constructor(sizes: S, args: readonly string[] = process.argv.slice(2)) {
    this.quick = args.includes('--quick');
    const json = args.indexOf('--json');
    this.#json = json < 0 ? null : (args[json + 1] ?? null);
    const given = args.filter(
      (arg, index) => arg !== '--quick' && (json < 0 || (index !== json && index !== json + 1)),
    );
    const chosen = Object.entries(sizes).map(([name, [full, quick]]) => [name, this.quick ? quick : full]);
    this.sizes = Object.fromEntries(chosen);
    for (const arg of given) {
      const [name = '', value = ''] = arg.split('=');
      if (!Object.hasOwn(sizes, name) || !/^\d+$/.test(value)) {
        const usual = chosen.map(([each, size]) => `${each}=${size}`).join(' ');
        throw new Error(`${arg} is not understood. Usage: node bench/${this.#name} [--quick] [--json FILE] ${usual}`);
      }
      Object.assign(this.sizes, { [name]: Number(value) });
    }
    haveTools([basename(this.#name, '.ts')]);
  }

  get #name(): string {
    return basename(process.argv[1] ?? '');
  }

  /** Load is counted from here on for the rows that follow. */
  mark(): void {
    this.#load = loadMeter();
  }

  row(measured: Measured): void {
    const { row, title, unit, ours, peer, note = '' } = measured;
    // Where the peer could not be measured nothing can be said of a ratio.
    const bounds = (measured.bounds ?? []).filter((bound) => bound.of === 'ours' || peer !== undefined);
    const ratio = peer === undefined ? null : ours / peer.value;
    const judged = bounds.map((bound) => fits(bound.of === 'ratio' ? (ratio ?? Number.NaN) : ours, bound));
    const made: Row = {
      row,
      title,
      unit,
      ours,
      peer: peer?.value ?? null,
      peerName: peer?.name ?? null,
      ratio,
      target: bounds.map((bound) => inWords(bound, unit, peer?.name ?? '')).join(', '),
      met: bounds.length === 0 ? null : judged.every((one) => one),
      note,
      quick: this.quick,
      date: new Date().toISOString(),
      load: this.#load(),
    };
    this.#rows.push(made);
    console.log(inLine(made));
  }

  /** Writes the rows to the file of `--json`, if given. */
  done(): void {
    if (this.#json !== null) writeFileSync(this.#json, `${JSON.stringify(this.#rows, null, 2)}\n`);
  }
}

function inLine({ title, ours, unit, peer, peerName, ratio, target, met, note, load }: Row): string {
  const beside = peer === null || ratio === null ? '' : `; ${peerName} ${short(peer)} ${unit}: ${short(ratio)}x`;
  const judged = met === null ? '' : `; ${target}: ${met ? 'met' : 'MISSED'}`;
  const seen = note === '' ? '' : `; ${note}`;
  return `${title}: ${short(ours)} ${unit}${beside}${judged}${seen} (load ${short(load.average)}, others ${short(load.others)} cores)`;
}

/** Rows that a benchmark has handed over. */
export function readRows(file: string): Row[] {
  return JSON.parse(readFileSync(file, 'utf8'));
}
