import { beforeAll, describe, expect, it } from 'vitest';
import type { Adapter } from '../../../src/cli/sdk-verify/adapter.ts';
import { readVectors, runVector } from '../../../src/cli/sdk-verify/vectors.ts';
import { variants } from '../../support/proof.ts';
import { built, CPP_ADAPTER, NODE_ADAPTER, PYTHON_ADAPTER, RESOURCES } from '../../support/sdk-adapters.ts';
import { tempDir } from '../../support/temp.ts';

const cases = readVectors(RESOURCES);

describe.each(variants([NODE_ADAPTER, PYTHON_ADAPTER], [CPP_ADAPTER]))('$language does what the vectors say', (sdk) => {
  let adapter: Adapter | undefined;
  // A compiler takes longer than all cases together.
  beforeAll(async () => {
    adapter = await built(sdk);
  });

  it.concurrent.each(cases)('$name', async (one) => {
    if (adapter === undefined) throw new Error('not built');
    expect(await runVector(adapter, one, tempDir('vector-'))).toEqual({ is: 'ok' });
  });
});
