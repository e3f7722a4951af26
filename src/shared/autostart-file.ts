/**
 * Path of the file by which desktops of Linux start a program at log-in (freedesktop.org, Desktop Application
 * Autostart).
 */
export function autostartFile(env: Readonly<Record<string, string | undefined>>, home: string): string {
  const config = env.XDG_CONFIG_HOME?.startsWith('/') === true ? env.XDG_CONFIG_HOME : `${home}/.config`;
  return `${config.replace(/\/+$/, '')}/autostart/bot-platform.desktop`;
}
