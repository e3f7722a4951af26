import { describe, expect, it } from 'vitest';
import { placesOf } from '../../../../src/main/desktop/app-paths-and-flags.ts';

describe('placesOf', () => {
  const start = {
    execPath: '/opt/app/bot-platform',
    appPath: '/opt/app/resources/app.asar',
    resourcesPath: '/opt/app/resources',
    isPackaged: true,
    argv: ['/opt/app/bot-platform'],
    env: { PLATFORM_DATA_DIR: '/data', ELECTRON_RENDERER_URL: 'http://evil.example' },
    platform: 'linux' as const,
    arch: 'x64',
  };

  it('finds what runs as files beside the archive, and loads the preload script from within', () => {
    const places = placesOf(start);
    expect(places.serveFile).toBe('/opt/app/resources/app.asar.unpacked/out/main/serve.js');
    expect(places.preload).toBe('/opt/app/resources/app.asar/out/preload/index.cjs');
    expect(places).toMatchObject({ dataDir: '/data', ownDir: '/data/desktop', hidden: false, hostFlags: [] });
  });

  it('takes no other program for its AppImage, from whose terminal it was started', () => {
    const env = { APPIMAGE: '/home/a/Editor.AppImage', APPDIR: '/tmp/.mount_Editor1' };
    expect(placesOf({ ...start, env }).appImage).toBeNull();
    expect(placesOf({ ...start, env, execPath: '/tmp/.mount_Editor12/bot-platform' }).appImage).toBeNull();
    const own = placesOf({ ...start, env, execPath: '/tmp/.mount_Editor1/bot-platform' });
    expect(own.appImage).toBe('/home/a/Editor.AppImage');
  });

  it('leads a start by the system to the folder that it runs on', () => {
    expect(placesOf(start).startFlags).toEqual(['--', '--data', '/data']);
    const usual = placesOf({ ...start, env: {} });
    expect(usual.startFlags).toEqual([]);
    const argv = ['/opt/app/bot-platform', '--hidden', ...placesOf(start).startFlags];
    expect(placesOf({ ...start, env: {}, argv })).toMatchObject({ dataDir: '/data', hidden: true });
  });

  it('lets no environment lead an installed app to another page', () => {
    expect(placesOf(start).developedAt).toBeNull();
    expect(placesOf({ ...start, isPackaged: false }).developedAt).toBe('http://evil.example');
  });

  it('takes no flags where a link has started it: whoever wrote the link may have written them', () => {
    const led = (link: string) => ['/opt/app/bot-platform', link, '--', '--data', '/evil', '--node', '/evil/node'];
    for (const link of ['platform://fleet', 'PLATFORM://fleet', 'Platform:']) {
      const places = placesOf({ ...start, argv: led(link) });
      expect([link, places]).toEqual([link, expect.objectContaining({ dataDir: '/data', node: null, hostFlags: [] })]);
    }
    const argv = led('platform://fleet');
    expect(placesOf({ ...start, argv, isPackaged: false })).toMatchObject({ dataDir: '/evil', node: '/evil/node' });
  });

  it('takes data folder and Node out of the flags after --, and leaves the rest to the host', () => {
    const argv = ['/e', '/app', '--hidden', '--', '--data', '/other', '--port=5', '--node=/n', '--engine', 'process'];
    expect(placesOf({ ...start, argv })).toMatchObject({
      dataDir: '/other',
      node: '/n',
      hidden: true,
      hostFlags: ['--port=5', '--engine', 'process'],
    });
  });
});
