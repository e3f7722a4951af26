import { afterAll, describe } from 'vitest';
import { dockerForTests } from '../../support/docker.ts';
import { dockerEngine, endOfHost, newHostId } from '../../support/docker-engine.ts';
import { engineContract } from '../engine-contract.ts';

const found = await dockerForTests();

describe.skipIf('reason' in found)('the Docker engine', () => {
  const address = 'host' in found ? found.host : '';
  const hostId = newHostId();
  // Its network goes with the last host of a data folder.
  afterAll(() => endOfHost(address, hostId));
  engineContract({ name: 'docker', code: 'folder', make: () => dockerEngine(address, hostId).engine });
});
