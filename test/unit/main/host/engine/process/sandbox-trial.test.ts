import { describe, expect, it } from 'vitest';
import { sandboxProblem } from '../../../../../../src/contract/sandbox-trial.ts';
import { readTrial } from '../../../../../../src/main/host/engine/process/sandbox-trial.ts';

const HELD = 'files held\nnetwork held\nsockets held\nprograms held\nlimits held\n';

describe('what the trial of a sandbox says', () => {
  it('is that everything held', () => {
    const trial = readTrial(HELD, null);
    expect(trial).toEqual({ files: null, network: null, sockets: null, programs: null, limits: null });
    expect(sandboxProblem(trial)).toBeNull();
  });

  it('is what was open, which keeps bots from starting', () => {
    const trial = readTrial(HELD.replace('files held', 'files open a file outside can be read'), null);
    expect(trial.files).toBe('a file outside can be read');
    expect(sandboxProblem(trial)).toBe('files: a file outside can be read');
  });

  it('counts an aspect that was not tried as open, with the reason for that', () => {
    expect(readTrial('files held\n', 'killed')).toMatchObject({ files: null, sockets: 'killed', limits: 'killed' });
    expect(readTrial('files held\n', null).limits).toBe('it was not tried');
    expect(sandboxProblem(readTrial('', 'no Landlock'))).toBe('no Landlock');
  });

  it('does not hang on the network, which bots have unless they ask for none', () => {
    expect(
      sandboxProblem(readTrial(HELD.replace('network held', 'network open a port can be opened'), null)),
    ).toBeNull();
  });
});
