import type { Engine } from '../engine/engine.ts';
import type { StartWorker } from '../logs/worker-link.ts';

/** Replacements for parts of a host. */
export interface HostParts {
  /** Returns the engines of the host, given the engine for local processes. */
  readonly engines?: (processEngine: Engine) => readonly Engine[];
  /** Time for which requests wait for an engine to get ready, in ms. */
  readonly patienceMs?: number;
  /** Time within which a request must arrive as a whole, in ms. */
  readonly requestMs?: number;
  /** Starts the worker threads of telemetry. */
  readonly startWorker?: StartWorker;
}
