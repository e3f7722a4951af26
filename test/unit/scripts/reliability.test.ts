import { expect, it } from 'vitest';
import { namesMadeBy, type Result, renewReport, testsFor } from '../../../scripts/reliability.ts';

const REPORT = `# Words before

<!-- Figures: written by scripts/reliability.ts -->
<!-- End of figures -->

Words behind.
`;
const result = (name: string, over: Partial<Result> = {}): Result => ({
  ...{ name, what: 'A case', full: true, figures: { lost: 0, lines: 1_000_000, engine: 'process' }, day: '2026-01-01' },
  ...over,
});

const everyName = () => true;

it('renews the rows that were run, keeps the others and every word, and says which had fewer rounds', () => {
  const first = renewReport(
    REPORT,
    [result('R10'), result('audit'), result('R2-docker', { full: false }), result('S1')],
    'One machine.',
    everyName,
  );
  const second = renewReport(
    first,
    [result('R10', { what: 'Another case' }), result('P9')],
    'Another machine.',
    everyName,
  );
  expect(second).toBe(`# Words before

<!-- Figures: written by scripts/reliability.ts -->
Another machine.

| row | case | counted and measured | rounds | day |
|---|---|---|---|---|
| R2-docker | A case | lost **0**, lines **1,000,000**, engine **process** | fewer | 2026-01-01 |
| R10 | Another case | lost **0**, lines **1,000,000**, engine **process** | all | 2026-01-01 |
| P9 | A case | lost **0**, lines **1,000,000**, engine **process** | all | 2026-01-01 |
| S1 | A case | lost **0**, lines **1,000,000**, engine **process** | all | 2026-01-01 |
| audit | A case | lost **0**, lines **1,000,000**, engine **process** | all | 2026-01-01 |
<!-- End of figures -->

Words behind.
`);
  expect(() => renewReport('# Nothing', [], '', everyName)).toThrow('no place for figures');
});

it('drops rows that no test makes any more', () => {
  const before = ['P9', 'R1-docker', 'R3-a-b', 'R30', 'peers-9', 'what'].map((name) => result(name));
  const first = renewReport(REPORT, before, 'One machine.', everyName);
  const tests = [
    "prove('P9', 'what is looked at', {",
    `prove('R3', what, {}, \`R1-\${engine}\`)`,
    `const row = \`R3-a-\${point}\`;`,
  ];
  const names = renewReport(first, [result('peers-10')], 'One machine.', namesMadeBy(tests))
    .split('\n')
    .flatMap((line) => /^\| (\S+) \| A case/.exec(line)?.[1] ?? []);
  expect(names).toEqual(['R1-docker', 'R3-a-b', 'P9']);
});

it('finds the tests of a row by its number', () => {
  const tests = [
    { path: 'test/reliability/fork-bomb.long.test.ts', text: "await prove('R11', 'A fork bomb', figures);" },
    { path: 'test/reliability/killed-host.long.test.ts', text: "await prove(\n    'R1',\n    'The host is killed'" },
    { path: 'test/security/yaml-bombs.test.ts', text: "await prove('S3', 'YAML', figures); // R11" },
  ];
  expect(testsFor(['r01', 'S3', 'fork', '-t', 'r1x'], tests)).toEqual([
    'test/reliability/killed-host.long.test.ts',
    'test/security/yaml-bombs.test.ts',
    'fork',
    '-t',
    'r1x',
  ]);
  expect(testsFor(['r11'], tests)).toEqual(['test/reliability/fork-bomb.long.test.ts']);
  expect(() => testsFor(['r99'], tests)).toThrow('No test proves row R99');
});
