/** A number as digits; anything else that begins like a formula would be one in a spreadsheet. */
const NUMBER = /^-?\d+(?:\.\d+)?$/;
/** Some spreadsheets take full-width signs for these as well. */
const FORMULA = /^[=+\-@＝＋－＠\t\r]/;

/** A cell's text: quoted if needed (RFC 4180), and with an apostrophe in front where a spreadsheet would take it for a formula. */
export function csvCell(text: string): string {
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Rows as CSV, the head first. */
export function csvText(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, ...rows].map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');
}
