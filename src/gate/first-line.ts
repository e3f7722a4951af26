/** The first line of a connection from a sandbox or from the host. */
export type FirstLine =
  | { readonly is: 'program'; readonly identity: string }
  | { readonly is: 'host'; readonly identity: string }
  | { readonly is: 'connect'; readonly identity: string; readonly address: string; readonly port: number }
  | { readonly is: 'name'; readonly identity: string; readonly name: string };

const MARK = 'BP1 ';
const MOST_BYTES = 300;
const LINE = /^BP1 ([A-Za-z0-9_-]{1,128}) (?:(P|H)|C ([0-9a-f:.]{2,45}) (\d{1,5})|R ([\x21-\x7e]{1,254}))$/;

/** True where bytes can be the beginning of such a line. */
export const mayBeFirstLine = (bytes: Buffer): boolean => {
  const text = bytes.toString('latin1', 0, MARK.length);
  return text === MARK.slice(0, text.length);
};

/** Reads it with the bytes that it takes. `null`: more are needed. */
export function readFirstLine(bytes: Buffer): { readonly line: FirstLine; readonly length: number } | null | 'broken' {
  const end = bytes.indexOf(10);
  if (end === -1) return bytes.length > MOST_BYTES ? 'broken' : null;
  const found = end > MOST_BYTES ? null : LINE.exec(bytes.toString('latin1', 0, end));
  if (found === null) return 'broken';
  const [, identity = '', role, address, port, name] = found;
  const length = end + 1;
  if (role === 'H') return { line: { is: 'host', identity }, length };
  if (role === 'P') return { line: { is: 'program', identity }, length };
  if (address !== undefined) return { line: { is: 'connect', identity, address, port: Number(port) }, length };
  return { line: { is: 'name', identity, name: name ?? '' }, length };
}
