/** A command in a form that can be copied and run: in the folder of the product, `platform` is not on the path. */
export function typed(words: string): string {
  return `npx platform ${words}`;
}

/** A command as the host writes it, `platform bot list`. */
export function typedHere(command: string): string {
  return command.replace(/^platform /, typed(''));
}

/** A text of the host with its commands, which stand in backticks, as they are typed here. */
export function hintHere(text: string): string {
  return text.replaceAll('`platform ', `\`${typed('')}`);
}
