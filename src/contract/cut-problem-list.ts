const MORE = /^has (\d+) more problems like these$/;

/** Text that ends a list of problems that was cut: it stands for `left` more. */
export const moreProblems = (left: number): string => `has ${left} more problems like these`;

/** Returns the number of problems in a list, including those that its last entry stands for. */
export function countProblems(problems: readonly { readonly message?: unknown }[]): number {
  const [, left] = MORE.exec(String(problems.at(-1)?.message)) ?? [];
  return left === undefined ? problems.length : problems.length - 1 + Number(left);
}
