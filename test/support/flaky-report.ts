import type { Reporter, TestModule } from 'vitest/node';

/**
 * Lists at the end the tests that passed only on a retry: each is a race of the product or of the test, to be found.
 * They do not fail a run, because real processes, containers and browsers on a busy machine of two cores would block
 * unrelated changes.
 */
export class FlakyReport implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const flaky = modules.flatMap((module) =>
      [...module.children.allTests('passed')]
        .filter((test) => test.diagnostic()?.flaky === true)
        .map((test) => ({ name: `${module.relativeModuleId} > ${test.fullName}`, errors: test.result().errors ?? [] })),
    );
    if (flaky.length === 0) return;
    console.log(`\nPassed only at the second try (${flaky.length}): a race to be found`);
    for (const { name, errors } of flaky) {
      console.log(`  ${name}`);
      for (const { message } of errors) console.log(`    ${message.split('\n').slice(0, 4).join('\n    ')}`);
    }
  }
}
