import { type ZipFile, zip } from './zip.ts';

/** Start of a bundle: the file of this program, and the arguments after it. */
export interface BundleContent {
  readonly version: string;
  readonly extended: boolean;
  readonly os: string;
  /** Absolute path of the command line's JavaScript file. */
  readonly program: string;
  readonly arguments: readonly string[];
}

/** The desktop runs this with a Node of its own; it loads the installed program, so a bundle never becomes outdated. */
function entrySource({ program, arguments: args }: BundleContent): string {
  return `'use strict';
const { existsSync } = require('node:fs');
const { pathToFileURL } = require('node:url');

const program = ${JSON.stringify(program)};
const key = process.env.PLATFORM_API_KEY || '';
// A setting that was left empty may come as its own name.
if (key === '' || key.startsWith('\${')) delete process.env.PLATFORM_API_KEY;
const fail = (text) => {
  process.stderr.write(\`\${text}\\n\`);
  process.exitCode = 1;
};
if (existsSync(program)) {
  process.argv = [process.argv[0], program, ...${JSON.stringify(args)}];
  import(pathToFileURL(program).href).catch((error) => fail(error.message));
} else {
  fail(\`The Bot Platform is no longer at \${program}. Make a new bundle: platform connect claude-desktop --bundle FILE.mcpb\`);
}
`;
}

function manifest({ version, extended, os }: BundleContent): object {
  return {
    manifest_version: '0.3',
    name: extended ? 'bot-platform-extended' : 'bot-platform',
    display_name: extended ? 'Bot Platform, further tools' : 'Bot Platform',
    version,
    description: extended
      ? 'Write, publish and drive your own custom bots on this machine.'
      : 'Deploy, watch, diagnose and change your own trading bots on this machine.',
    author: { name: 'Bot Platform' },
    license: 'MIT',
    server: {
      type: 'node',
      entry_point: 'server/index.js',
      mcp_config: {
        command: 'node',
        args: [`\${__dirname}/server/index.js`],
        env: { PLATFORM_API_KEY: `\${user_config.api_key}` },
      },
    },
    tools_generated: true,
    prompts_generated: true,
    user_config: {
      api_key: {
        type: 'string',
        title: 'API key',
        description: 'Made by: platform keys create "Claude Desktop" --scope deploy',
        sensitive: true,
        required: true,
      },
    },
    compatibility: { platforms: [os], runtimes: { node: '>=20.11.0' } },
  };
}

/** A bundle (.mcpb, manifest version 0.3) that Claude Desktop installs by a double click. It holds no key: it asks. */
export function bundle(content: BundleContent): Buffer {
  const files: ZipFile[] = [
    { name: 'manifest.json', data: Buffer.from(`${JSON.stringify(manifest(content), null, 2)}\n`) },
    { name: 'server/index.js', data: Buffer.from(entrySource(content)) },
  ];
  return zip(files);
}
