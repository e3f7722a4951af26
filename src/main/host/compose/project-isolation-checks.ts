import type { Isolation } from '../bots/isolation.ts';
import type { ProjectsOptions } from '../projects/projects.ts';

const RUN_ELSEWHERE = 'Publish the project and deploy it as a bot, or run it on your own machine with `platform dev`.';
const INSTALL_ELSEWHERE =
  'Publish the project from your own machine with `platform custom-bot deploy`, which installs its dependencies there.';

/**
 * Returns the checks by which the isolation of the host allows or refuses programs of a project folder as plain
 * processes of this machine.
 */
export const projectChecks = (isolation: Isolation): Pick<ProjectsOptions, 'checkRun' | 'checkInstall'> => ({
  checkRun: () =>
    isolation.checkPlainProcess('A project that runs here, as a plain process of this machine,', RUN_ELSEWHERE),
  checkInstall: () =>
    isolation.checkPlainProcess(
      'A tool that installs the dependencies of the project, as a plain process of this machine,',
      INSTALL_ELSEWHERE,
    ),
});
