/** How a value is spelled out: what stands for each of its characters or bytes, and what stands between them. */
interface Spelling {
  readonly units: (value: string) => readonly string[];
  readonly glues: readonly string[];
}

const bytesAs =
  (write: (byte: number) => string) =>
  (value: string): readonly string[] =>
    Array.from(Buffer.from(value), write);

const hex = (byte: number): string => byte.toString(16).padStart(2, '0');

/** As hex dumps group them: by two bytes. */
const pairs = (value: string): readonly string[] =>
  Buffer.from(value)
    .toString('hex')
    .match(/.{1,4}/g) ?? [];

const SPELLINGS: readonly Spelling[] = [
  {
    units: (value) => [...value],
    glues: [' ', '  ', '   ', '-', '.', '_', ',', ', ', ':', '/', '|', '\t', "', '", "','", '" "', '+'],
  },
  { units: (value) => Array.from(value, (c) => JSON.stringify(c).slice(1, -1)), glues: ['", "', '","'] },
  {
    units: bytesAs(hex),
    glues: [' ', ':', '-', ',', ', ', '.', '=', ' 0x', ',0x', ', 0x', '0x', '\\x', '%', '\\u00', ';&#x'],
  },
  { units: pairs, glues: [' '] },
  { units: bytesAs(String), glues: [' ', ',', ', ', '-', '.', ':', ';&#'] },
  { units: bytesAs((byte) => byte.toString(8).padStart(3, '0')), glues: [' ', ', ', ',', '\\'] },
  { units: bytesAs((byte) => byte.toString(2).padStart(8, '0')), glues: ['', ' ', ',', ', '] },
];

/** This many characters in a row are more than chance, whatever follows. */
const ENOUGH_UNITS = 10;
/** Shorter values have no such forms. */
const SHORTEST = 8;
/** Length that the keyword automaton searches: the rest is made only if a text contains this much. */
const HEAD = 6;

/** A form of a value, made only when its beginning occurs in a text: there are many forms. */
export class Spelled {
  /** What the keyword automaton looks for. */
  readonly head: string;
  readonly #value: string;
  readonly #spelling: Spelling;
  readonly #glue: string;
  /** Kept from the first time on: a text may hold its beginning at each of its letters. */
  #made: { readonly text: string; readonly enough: number } | null = null;

  constructor(head: string, value: string, spelling: Spelling, glue: string) {
    this.head = head;
    this.#value = value;
    this.#spelling = spelling;
    this.#glue = glue;
  }

  /** The whole form, and how much of it counts as found even if it is cut off. */
  made(): { readonly text: string; readonly enough: number } {
    this.#made ??= this.#make();
    return this.#made;
  }

  #make(): { readonly text: string; readonly enough: number } {
    const units = this.#spelling.units(this.#value);
    return { text: units.join(this.#glue), enough: units.slice(0, ENOUGH_UNITS).join(this.#glue).length };
  }
}

/** The forms of a value that is spelled out, as lists of codes, dumps and letters with something between them show it. */
export function spelledForms(value: string): Spelled[] {
  if (value.length < SHORTEST) return [];
  return SPELLINGS.flatMap((spelling) => {
    const first = spelling.units(value.slice(0, HEAD));
    return spelling.glues
      .map((glue) => new Spelled(first.join(glue).slice(0, HEAD), value, spelling, glue))
      .filter(({ head }) => !/[\r\n]/.test(head));
  });
}
