import * as monaco from 'monaco-editor/editor.js';
import { jsonDefaults } from 'monaco-editor/languages/features/json/register.js';
import {
  javascriptDefaults,
  ModuleKind,
  ModuleResolutionKind,
  ScriptTarget,
  typescriptDefaults,
} from 'monaco-editor/languages/features/typescript/register.js';
import { LANGUAGES } from '../../../../runtimes/registry.ts';
import { fieldAt, suggestionsAt } from './bot-config-fields.ts';
import { projectSchemas } from './json-schemas.ts';
import { entryAt, type Sdk, suggestionsOf } from './sdk-help.ts';
import 'monaco-editor/features/register.all.js';
import 'monaco-editor/languages/definitions/cpp/register.js';
import 'monaco-editor/languages/definitions/dockerfile/register.js';
import 'monaco-editor/languages/definitions/ini/register.js';
import 'monaco-editor/languages/definitions/javascript/register.js';
import 'monaco-editor/languages/definitions/markdown/register.js';
import 'monaco-editor/languages/definitions/python/register.js';
import 'monaco-editor/languages/definitions/shell/register.js';
import 'monaco-editor/languages/definitions/typescript/register.js';
import 'monaco-editor/languages/definitions/yaml/register.js';

/** Declarations of SDKs, by path. */
const SDK_TYPES = import.meta.glob<string>('@sdk/*/index.d.ts', { query: '?raw', import: 'default', eager: true });

const isBotConfig = (model: monaco.editor.ITextModel): boolean => model.uri.path.endsWith('/bot-config.yaml');

const linesAbove = (model: monaco.editor.ITextModel, line: number): string[] =>
  model.getLinesContent().slice(0, line - 1);

/** From the word under the cursor to the cursor. */
function wordRange(model: monaco.editor.ITextModel, at: monaco.Position): monaco.IRange {
  const word = model.getWordUntilPosition(at);
  return new monaco.Range(at.lineNumber, word.startColumn, at.lineNumber, word.endColumn);
}

function botConfig(): void {
  monaco.languages.registerCompletionItemProvider('yaml', {
    triggerCharacters: [' ', ':'],
    provideCompletionItems(model, at) {
      if (!isBotConfig(model)) return { suggestions: [] };
      const typed = model.getLineContent(at.lineNumber).slice(0, at.column - 1);
      const { Property, Value } = monaco.languages.CompletionItemKind;
      const found = suggestionsAt(linesAbove(model, at.lineNumber), typed, model.getLinesContent());
      return {
        suggestions: found.map(({ label, insert, doc, kind }) => ({
          label,
          insertText: kind === 'value' && typed.endsWith(':') ? ` ${insert}` : insert,
          documentation: doc,
          kind: kind === 'field' ? Property : Value,
          range: wordRange(model, at),
        })),
      };
    },
  });
  monaco.languages.registerHoverProvider('yaml', {
    provideHover(model, at) {
      if (!isBotConfig(model)) return null;
      const field = fieldAt(linesAbove(model, at.lineNumber), model.getLineContent(at.lineNumber));
      if (field === null) return null;
      const values = field.values === undefined ? [] : [{ value: `One of: ${field.values.join(', ')}` }];
      return { contents: [{ value: `**${field.path}**` }, { value: field.doc }, ...values] };
    },
  });
}

function sdkHelp(language: string, sdk: Sdk): void {
  monaco.languages.registerCompletionItemProvider(language, {
    triggerCharacters: ['.'],
    provideCompletionItems(model, at) {
      const typed = model.getLineContent(at.lineNumber).slice(0, at.column - 1);
      if (!sdk.imported.test(model.getValue())) return { suggestions: [] };
      return {
        suggestions: suggestionsOf(sdk, typed).map(({ name, signature, doc }) => ({
          label: name.split('.').at(-1) ?? name,
          detail: signature,
          documentation: doc,
          insertText: name.split('.').at(-1) ?? name,
          kind: monaco.languages.CompletionItemKind.Function,
          range: wordRange(model, at),
        })),
      };
    },
  });
  monaco.languages.registerHoverProvider(language, {
    provideHover(model, at) {
      const word = model.getWordAtPosition(at);
      if (word === null) return null;
      const before = model.getLineContent(at.lineNumber).slice(0, word.startColumn - 1);
      const entry = entryAt(sdk, before, word.word, model.getValue());
      if (entry === null) return null;
      return { contents: [{ value: `\`\`\`${language}\n${entry.signature}\n\`\`\`` }, { value: entry.doc }] };
    },
  });
}

/** Teaches Monaco the languages of the runtimes. */
function runtimeLanguages(): void {
  for (const { id, extensions, sdk } of LANGUAGES) {
    monaco.languages.register({ id, extensions: [...extensions] });
    if (sdk !== undefined) sdkHelp(id, sdk);
  }
}

function scripts(): void {
  for (const defaults of [javascriptDefaults, typescriptDefaults]) {
    defaults.setCompilerOptions({
      target: ScriptTarget.ESNext,
      module: ModuleKind.ESNext,
      moduleResolution: ModuleResolutionKind.NodeJs,
      allowJs: true,
      checkJs: false,
      allowNonTsExtensions: true,
      strict: true,
    });
    // Monaco knows no modules of Node and npm, so it must not report them as missing.
    defaults.setDiagnosticsOptions({ noSemanticValidation: true, noSyntaxValidation: false });
    for (const { types } of LANGUAGES) {
      if (types === undefined) continue;
      const [, text = ''] = Object.entries(SDK_TYPES).find(([path]) => path.endsWith(`/sdk/${types.file}`)) ?? [];
      defaults.addExtraLib(text, `file:///node_modules/${types.module}/index.d.ts`);
    }
    defaults.setEagerModelSync(true);
  }
}

/** Sets the JSON schemas by which Monaco suggests; the schema of instance.json follows bot-schema.json. */
export function teachSchemas(botSchemaText: string | null): void {
  // The host's own validator reports problems, in the words of publishing.
  jsonDefaults.setDiagnosticsOptions({ validate: false, schemas: projectSchemas(botSchemaText) });
}

let taught = false;

/** Teaches Monaco the files of a bot, once. */
export function teachLanguages(): void {
  if (taught) return;
  taught = true;
  botConfig();
  runtimeLanguages();
  scripts();
  teachSchemas(null);
}
