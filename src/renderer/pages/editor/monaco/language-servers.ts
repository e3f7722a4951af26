import type { ProjectSession } from '../../../data/project/project-session.ts';
import type { LanguageHelp } from './language-help.ts';

type Start = (session: ProjectSession, failed: (thrown: unknown) => void) => Promise<LanguageHelp>;

/** Language servers by Monaco's name of the language. They are large: each is loaded with the first file that needs it. */
export const LANGUAGE_SERVERS: ReadonlyMap<string, Start> = new Map([
  ['python', async (session, failed) => new (await import('./python/help.ts')).PythonHelp(session, failed)],
]);
