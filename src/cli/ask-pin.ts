import { readHidden } from './prompt-password.ts';

/** True where a person can be asked: no program types a PIN for them. */
export const isAtTerminal = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true;

/** Reads a new PIN, typed twice; null if the two differ. */
export async function readNewPin(): Promise<string | null> {
  const pin = await readHidden('New PIN, at least 6 characters: ');
  return pin === (await readHidden('Again: ')) ? pin : null;
}

/** Asks for the PIN, or for a new one where none was chosen yet. Null without a terminal, and where a new one was not typed alike. */
export async function askPin(isChosen: boolean): Promise<string | null> {
  if (!isAtTerminal()) return null;
  if (isChosen) return readHidden('PIN: ');
  process.stderr.write('This needs a PIN, and you have none yet. Choose one: you will be asked for it from now on.\n');
  return readNewPin();
}
