/** The part of a Vite plugin that is used here. */
interface TransformPlugin {
  readonly name: string;
  transform(code: string, id: string): string | null;
}

/** How often Monaco does what the policy refuses, file by file: a release that does it elsewhere must not go unseen. */
const EXPECTED_FILES = 8;

/**
 * The policy of the dashboard lets no `<style>` element and no `style` attribute be made from text. Monaco makes both, in
 * few places; in the build they are led through our `helpers` (a path), which do the same by script. The policy lets that be.
 */
export function monacoUnderPolicy(helpers: string): TransformPlugin & { buildEnd(error?: Error): void } {
  const changed = new Set<string>();
  return {
    name: 'monaco-under-policy',
    transform(code, id) {
      if (!id.includes('/monaco-editor/esm/vs/')) return null;
      // Languages bring their own worker, and would be given the one that is meant for the editor alone.
      if (id.endsWith('/internal/common/workers.js')) {
        const asked = '  if (monacoEnvironment) {\n';
        if (!code.includes(asked)) throw new Error('Monaco starts the workers of languages in another way now');
        return code.replace(asked, '  if (monacoEnvironment && !descriptor.createWorker) {\n');
      }
      if (id.includes('worker')) return null;
      const made = code
        .replace(
          "const style = document.createElement('style');\n    style.type",
          'const style = createStyle();\n    style.type',
        )
        .replaceAll(/^(\s*)([\w.]+)\.innerHTML = ([\w]+);/gm, '$1setStyledHtml($2, $3);')
        .replaceAll(/([\w.]+)\.insertAdjacentHTML\(('\w+'), (\w+)\)/g, 'insertStyledHtml($1, $2, $3)')
        .replaceAll(/([\w.]+)\.setAttribute\('style', (.+)\);$/gm, '$1.style.cssText = $2;');
      if (made === code) return null;
      changed.add(id);
      return `import { createStyle, insertStyledHtml, setStyledHtml } from ${JSON.stringify(helpers)};\n${made}`;
    },
    buildEnd(error) {
      if (error !== undefined || changed.size >= EXPECTED_FILES) return;
      throw new Error(`Monaco writes its styles elsewhere now: only ${changed.size} places were found`);
    },
  };
}
