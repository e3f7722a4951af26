import type { Reporter, TestModule } from 'vitest/node';

/**
 * Names the tests that passed only when they were tried again, at the end where nobody misses them: each is a race of
 * the product or of the test, and is to be found. They do not fail a run, since real processes, containers and browsers
 * on a busy machine of two cores would else hold back what has nothing to do with them.
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
