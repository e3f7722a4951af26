import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listPackageFiles } from '../../../src/packaging/project-files.ts';
import { vendorDependencies } from '../../../src/packaging/vendor.ts';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'vendor-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function write(path: string, content: string): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), content);
}

const packed = async (overlays: Readonly<Record<string, string>> = {}) =>
  (await listPackageFiles(dir, { overlays })).map(({ path }) => path);

/** A wheel made by hand, so that pip needs no network. */
function wheel(name: string, version: string): string {
  const file = `${name}-${version}-py3-none-any.whl`;
  const script = [
    'import sys, zipfile',
    'name, version, path = sys.argv[1:]',
    'info = f"{name}-{version}.dist-info"',
    'z = zipfile.ZipFile(path, "w")',
    'z.writestr(f"{name}/__init__.py", f"VERSION = {version!r}\\n")',
    'z.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\\nName: {name}\\nVersion: {version}\\n")',
    'z.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\\nGenerator: hand\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")',
    'z.writestr(f"{info}/RECORD", "")',
    'z.close()',
  ].join('\n');
  execFileSync('python3', ['-c', script, name, version, join(dir, file)]);
  return file;
}

describe('python', () => {
  it('installs requirements.txt into vendor/, once per content', async () => {
    const file = wheel('tinydep', '1.0');
    write('requirements.txt', `# needs\n./${file}\n`);
    const lines: string[] = [];
    const first = await vendorDependencies(dir, 'python311', { onLine: (line) => lines.push(line) });
    expect(first).toEqual({ overlays: {}, changed: true });
    expect(readFileSync(join(dir, 'vendor/tinydep/__init__.py'), 'utf8')).toContain('1.0');
    expect(lines.join('\n')).toMatch(/Successfully installed tinydep-1\.0/);
    expect(await packed()).toContain('vendor/tinydep/__init__.py');
    expect((await packed()).filter((path) => path.startsWith('.platform/') || path.endsWith('.pyc'))).toEqual([]);
    expect((await vendorDependencies(dir, 'python311')).changed).toBe(false);

    write('requirements.txt', `./${wheel('tinydep', '2.0')}\n`);
    expect((await vendorDependencies(dir, 'python311')).changed).toBe(true);
    expect(readFileSync(join(dir, 'vendor/tinydep/__init__.py'), 'utf8')).toContain('2.0');
    expect(readdirSync(join(dir, '.platform'))).toEqual(['.gitignore']);
  });

  it('a failure tells the words of pip and leaves vendor/ as it was', async () => {
    write('requirements.txt', `./${wheel('tinydep', '1.0')}\n`);
    await vendorDependencies(dir, 'python311');
    write('requirements.txt', './missing-1.0-py3-none-any.whl\n');
    await expect(vendorDependencies(dir, 'python311')).rejects.toMatchObject({
      code: 'INVALID_PACKAGE',
      message: expect.stringMatching(/python3 could not install the dependencies: .*missing/i),
    });
    expect(readFileSync(join(dir, 'vendor/tinydep/__init__.py'), 'utf8')).toContain('1.0');
    expect(readdirSync(join(dir, '.platform'))).toEqual(['.gitignore']);
  });

  it("leaves a vendor/ alone that is the user's own, and says so", async () => {
    write('requirements.txt', 'requests\n');
    write('vendor/mine.py', 'x');
    const lines: string[] = [];
    const result = await vendorDependencies(dir, 'python311', { onLine: (line) => lines.push(line) });
    expect(result.changed).toBe(false);
    expect(readdirSync(join(dir, 'vendor'))).toEqual(['mine.py']);
    expect(lines.join()).toMatch(/not made by this command/);
  });

  it('needs nothing for comments alone, and names a Python that is not there', async () => {
    write('requirements.txt', '# nothing\n\n');
    expect(await vendorDependencies(dir, 'python311')).toEqual({ overlays: {}, changed: false });
    write('requirements.txt', 'x\n');
    await expect(vendorDependencies(dir, 'python311', { tool: '/nowhere/python3' })).rejects.toThrow(
      '/nowhere/python3 cannot be started, but the dependencies need it',
    );
  });
});

describe('node', () => {
  const manifest = (dependencies: Record<string, string>) =>
    write(
      'package.json',
      JSON.stringify({
        name: 'bot',
        version: '1.0.0',
        scripts: { prepare: 'exit 7' },
        dependencies,
        devDependencies: { absent: 'file:./absent' },
      }),
    );

  it('installs production dependencies beside the project, whose node_modules stays', async () => {
    write('libs/dep/package.json', JSON.stringify({ name: 'dep', version: '1.0.0', main: 'index.js' }));
    write('libs/dep/index.js', 'module.exports = 1;\n');
    write('libs/absent/package.json', JSON.stringify({ name: 'absent', version: '1.0.0' }));
    write(
      'package.json',
      JSON.stringify({
        name: 'bot',
        version: '1.0.0',
        scripts: { prepare: 'exit 7' },
        dependencies: { dep: 'file:./libs/dep' },
        devDependencies: { absent: 'file:./libs/absent' },
      }),
    );
    write('node_modules/own/index.js', 'mine');
    const { overlays, changed } = await vendorDependencies(dir, 'nodejs24');
    expect(changed).toBe(true);
    const files = (await packed(overlays)).filter((path) => path.startsWith('node_modules/'));
    expect(files).toEqual(['node_modules/dep/index.js', 'node_modules/dep/package.json']);
    expect(readFileSync(join(dir, 'node_modules/own/index.js'), 'utf8')).toBe('mine');
  });

  it('a failure tells the words of npm and touches nothing', async () => {
    manifest({ dep: 'file:./nowhere' });
    write('node_modules/own/index.js', 'mine');
    await expect(vendorDependencies(dir, 'nodejs24')).rejects.toMatchObject({
      code: 'INVALID_PACKAGE',
      message: expect.stringMatching(/^npm could not install the dependencies/),
    });
    expect(existsSync(join(dir, 'node_modules/own/index.js'))).toBe(true);
    expect(readdirSync(join(dir, '.platform'))).toEqual(['.gitignore']);
  });

  it('needs nothing without dependencies, and tells a broken package.json', async () => {
    write('package.json', JSON.stringify({ name: 'bot', devDependencies: { x: '1' } }));
    expect(await vendorDependencies(dir, 'nodejs24')).toEqual({ overlays: {}, changed: false });
    write('package.json', '{"dependencies": }');
    await expect(vendorDependencies(dir, 'nodejs24')).rejects.toThrow(/package\.json cannot be read/);
  });
});

it('other runtimes need nothing', async () => {
  write('package.json', JSON.stringify({ dependencies: { x: '1' } }));
  expect(await vendorDependencies(dir, 'gcc13')).toEqual({ overlays: {}, changed: false });
});
