import * as monaco from 'monaco-editor/editor.js';

/** The theme of the page as Monaco's, made from the tokens. */
export const THEME = 'platform';

/** A colour of the tokens with six digits, which Monaco wants; the build shortens some. */
function token(name: string): string {
  const colour = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  return colour.length === 4 ? colour.replaceAll(/[0-9a-f]/gi, '$&$&') : colour;
}

function define(): void {
  const plain = (name: string): string => token(name).replace('#', '');
  const rule = (scope: string, name: string, fontStyle?: string): monaco.editor.ITokenThemeRule => ({
    token: scope,
    foreground: plain(name),
    ...(fontStyle === undefined ? {} : { fontStyle }),
  });
  monaco.editor.defineTheme(THEME, {
    base: document.documentElement.dataset.theme === 'dark' ? 'vs-dark' : 'vs',
    inherit: true,
    rules: [
      rule('', 'fg'),
      rule('comment', 'fg-faint', 'italic'),
      rule('string', 'running'),
      rule('string.key.json', 'accent'),
      rule('string.value.json', 'running'),
      rule('string.yaml', 'running'),
      rule('type.yaml', 'accent'),
      rule('keyword', 'chart-4'),
      rule('number', 'chart-2'),
      rule('type', 'accent'),
      rule('delimiter', 'fg-dim'),
      rule('operators', 'fg-dim'),
    ],
    colors: {
      'editor.background': token('surface'),
      'editor.foreground': token('fg'),
      'editor.lineHighlightBackground': token('hover'),
      'editor.lineHighlightBorder': `${token('hover')}00`,
      'editor.selectionBackground': `${token('accent')}44`,
      'editor.inactiveSelectionBackground': `${token('accent')}22`,
      'editor.findMatchBackground': token('mark'),
      'editor.findMatchHighlightBackground': `${token('mark')}99`,
      'editorLineNumber.foreground': token('fg-faint'),
      'editorLineNumber.dimmedForeground': token('fg-faint'),
      'editorLineNumber.activeForeground': token('fg'),
      'editorCursor.foreground': token('accent'),
      'editorGutter.background': token('surface'),
      'editorIndentGuide.background1': token('line'),
      'editorIndentGuide.activeBackground1': token('line-strong'),
      'editorWidget.background': token('surface'),
      'editorWidget.border': token('line-strong'),
      'editorHoverWidget.background': token('surface'),
      'editorHoverWidget.border': token('line-strong'),
      'editorSuggestWidget.background': token('surface'),
      'editorSuggestWidget.border': token('line-strong'),
      'editorSuggestWidget.selectedBackground': token('selected'),
      'editorSuggestWidget.selectedForeground': token('fg'),
      'editorSuggestWidget.highlightForeground': token('accent'),
      'editorSuggestWidget.focusHighlightForeground': token('accent'),
      'editorError.foreground': token('failed'),
      'editorWarning.foreground': token('warning'),
      'editorOverviewRuler.border': `${token('line')}00`,
      'diffEditor.insertedLineBackground': token('running-soft'),
      'diffEditor.removedLineBackground': token('failed-soft'),
      'diffEditor.insertedTextBackground': `${token('running')}33`,
      'diffEditor.removedTextBackground': `${token('failed')}33`,
      'scrollbarSlider.background': `${token('line-strong')}88`,
      'input.background': token('bg'),
      focusBorder: token('accent'),
    },
  });
  monaco.editor.setTheme(THEME);
}

let following = false;

/** Shows the theme of the page, now and when it changes. */
export function followTheme(): void {
  if (following) return;
  following = true;
  define();
  new MutationObserver(define).observe(document.documentElement, { attributeFilter: ['data-theme'] });
}
