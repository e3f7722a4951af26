import type { Engine } from '../engine/engine.ts';
import type { StartWorker } from '../logs/worker-link.ts';

/** Parts that a host may be built with in place of its own. */
export interface HostParts {
  /** The engines, made of the one for local processes. */
  readonly engines?: (processEngine: Engine) => readonly Engine[];
  /** How long requests wait for an engine to get ready, in ms. */
  readonly patienceMs?: number;
  /** How long a request may take to arrive, in ms. */
  readonly requestMs?: number;
  /** How the threads of telemetry are started. */
  readonly startWorker?: StartWorker;
}
