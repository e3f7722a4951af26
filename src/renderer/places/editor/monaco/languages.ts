import nodeSdk from '@sdk/node/index.d.ts?raw';
import * as monaco from 'monaco-editor/editor.js';
import { jsonDefaults } from 'monaco-editor/languages/features/json/register.js';
import {
  javascriptDefaults,
  ModuleKind,
  ModuleResolutionKind,
  ScriptTarget,
  typescriptDefaults,
} from 'monaco-editor/languages/features/typescript/register.js';
import { fieldAt, suggestionsAt } from './bot-config-fields.ts';
import { projectSchemas } from './json-schemas.ts';
import { pythonEntryAt, pythonSuggestions } from './python-sdk.ts';
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

function pythonSdk(): void {
  const imports = (model: monaco.editor.ITextModel): boolean => /\bplatform_sdk\b/.test(model.getValue());
  monaco.languages.registerCompletionItemProvider('python', {
    triggerCharacters: ['.'],
    provideCompletionItems(model, at) {
      const typed = model.getLineContent(at.lineNumber).slice(0, at.column - 1);
      if (!imports(model)) return { suggestions: [] };
      return {
        suggestions: pythonSuggestions(typed).map(({ name, signature, doc }) => ({
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
  monaco.languages.registerHoverProvider('python', {
    provideHover(model, at) {
      const word = model.getWordAtPosition(at);
      if (word === null) return null;
      const before = model.getLineContent(at.lineNumber).slice(0, word.startColumn - 1);
      const entry = pythonEntryAt(before, word.word, imports(model));
      if (entry === null) return null;
      return { contents: [{ value: `\`\`\`python\n${entry.signature}\n\`\`\`` }, { value: entry.doc }] };
    },
  });
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
    // Modules of Node and of npm are not known here: what is missing to the editor is not missing to the bot.
    defaults.setDiagnosticsOptions({ noSemanticValidation: true, noSyntaxValidation: false });
    defaults.addExtraLib(nodeSdk, 'file:///node_modules/@bot-platform/sdk/index.d.ts');
    defaults.setEagerModelSync(true);
  }
}

/** What instance.json may say follows what bot-schema.json says. */
export function teachSchemas(botSchemaText: string | null): void {
  // The host's own validator says what is wrong, in the words in which publishing would.
  jsonDefaults.setDiagnosticsOptions({ validate: false, schemas: projectSchemas(botSchemaText) });
}

let taught = false;

/** Teaches Monaco the files of a bot, once. */
export function teachLanguages(): void {
  if (taught) return;
  taught = true;
  botConfig();
  pythonSdk();
  scripts();
  teachSchemas(null);
}
