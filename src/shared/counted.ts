/** A number with its noun, as in `1 row` and `2,400 rows`. `many` is for nouns whose plural takes more than an s. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
}
