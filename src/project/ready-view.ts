import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { VIEW_FILE } from '../shared/view-markup.ts';

/** Views that a new project can begin with, by the metrics that they draw. */
export const READY_VIEWS = ['numbers', 'crossover'] as const;
export type ReadyView = (typeof READY_VIEWS)[number];

const PLACE_OF_SDK = '{{view.js}}';

/** Puts a ready view into the folder of a project: one document, with the SDK of views inside. */
export function addReadyView(dir: string, view: ReadyView, resourcesDir: string): void {
  const read = (path: string): string => readFileSync(join(resourcesDir, path), 'utf8');
  const sdk = read('sdk/view/view.js');
  const path = join(dir, VIEW_FILE);
  mkdirSync(dirname(path), { recursive: true });
  // A function, because text in place of a match may not be taken for a reference to it.
  writeFileSync(
    path,
    read(`views/${view}.html`).replace(PLACE_OF_SDK, () => `\n${sdk}`),
  );
}
