import * as monaco from 'monaco-editor/editor.js';
import type { FileProblem } from '../../../../contract/custom-bot.ts';
import { visibleName } from '../../../../shared/visible-name.ts';
import type { OpenFile } from '../../../data/project/open-file-state.ts';
import type { ProjectSession } from '../../../data/project/project-session.ts';
import type { SessionState } from '../../../data/project/state.ts';
import { toastFailed } from '../../../data/toasts.ts';
import { markGutter } from './gutter.ts';
import type { LanguageHelp } from './language-help.ts';
import { LANGUAGE_SERVERS } from './language-servers.ts';
import { teachSchemas } from './languages.ts';

const OWNER = 'platform';
const SCHEMA = 'bot-schema.json';

/** The range to underline for a problem: the word at its place, or the rest of its line. */
function markerOf(
  model: monaco.editor.ITextModel,
  { line, column, message, hint }: FileProblem,
  severity: monaco.MarkerSeverity,
): monaco.editor.IMarkerData {
  const lineNumber = Math.min(line, model.getLineCount());
  const word = model.getWordAtPosition({ lineNumber, column });
  const end = word?.endColumn ?? model.getLineLastNonWhitespaceColumn(lineNumber);
  return {
    severity,
    message: hint === '' ? message : `${message}\n${hint}`,
    startLineNumber: lineNumber,
    startColumn: column,
    endLineNumber: lineNumber,
    endColumn: Math.max(end, column + 1),
    source: 'host',
  };
}

/** Switches off coloured brackets: elsewhere here colours have a meaning. */
export function withoutBracketColours(model: monaco.editor.ITextModel): void {
  model.updateOptions({ bracketColorizationOptions: { enabled: false, independentColorPoolPerBracketType: false } });
}

interface OpenModel {
  readonly model: monaco.editor.ITextModel;
  revision: number;
  /** Ids of the marks in the gutter. */
  gutter: string[];
}

const isShown = (file: OpenFile | undefined): boolean => file?.kind === 'text' || file?.kind === 'read only';

/** Returns the ending of most lines, as a model that is made of the text has it. */
function endOfLine(text: string): monaco.editor.EndOfLineSequence {
  const { CRLF, LF } = monaco.editor.EndOfLineSequence;
  const count = (end: string): number => text.split(end).length - 1;
  return count('\r\n') * 2 > count('\n') ? CRLF : LF;
}

/** The texts of a session as Monaco's models: they take typing to the session, and changes of the disk to Monaco. */
export class Models {
  readonly #session: ProjectSession;
  readonly #models = new Map<string, OpenModel>();
  readonly #views = new Map<string, monaco.editor.ICodeEditorViewState>();
  readonly #unsubscribe: () => void;
  readonly #help = new Map<string, Promise<LanguageHelp | null>>();
  #applying = false;
  #followed: Partial<Pick<SessionState, 'files' | 'problems' | 'warnings'>> = {};
  #schema: { open: string | undefined; entries: SessionState['entries'] } = { open: undefined, entries: null };
  #taught: string | null = null;

  constructor(session: ProjectSession) {
    this.#session = session;
    this.#follow(session.store.getState());
    const unsubscribe = session.store.subscribe((state) => this.#follow(state));
    const marking = monaco.editor.onDidChangeMarkers((changed) => {
      this.#markGutters(changed);
      this.#collect();
    });
    // A definition that Monaco was asked for may be in a file that is not open.
    const opening = monaco.editor.registerEditorOpener({
      openCodeEditor: async (_source, { path }, place) => {
        const at = place !== undefined && 'startLineNumber' in place ? monaco.Range.getStartPosition(place) : place;
        await session.files.open(path.slice(1), { line: at?.lineNumber ?? 1, column: at?.column ?? 1, length: 0 });
        return true;
      },
    });
    this.#unsubscribe = () => {
      opening.dispose();
      marking.dispose();
      unsubscribe();
    };
  }

  /** The model of an open text file. */
  of(path: string): monaco.editor.ITextModel | null {
    return this.#models.get(path)?.model ?? null;
  }

  view(path: string): monaco.editor.ICodeEditorViewState | null {
    return this.#views.get(path) ?? null;
  }

  keepView(path: string, view: monaco.editor.ICodeEditorViewState | null): void {
    if (view !== null) this.#views.set(path, view);
  }

  #follow(state: SessionState): void {
    this.#followSchema(state);
    const { files, problems, warnings } = state;
    const { files: f, problems: p, warnings: w } = this.#followed;
    if (files === f && problems === p && warnings === w) return;
    this.#followed = { files, problems, warnings };
    for (const [path, { model }] of this.#models) {
      if (isShown(files.get(path))) continue;
      model.dispose();
      this.#models.delete(path);
      this.#views.delete(path);
    }
    for (const file of files.values()) if (isShown(file)) this.#show(file);
    for (const [path, { model }] of this.#models) {
      const own = (list: readonly FileProblem[]): FileProblem[] => list.filter(({ file }) => file === path);
      const { Error: wrong, Warning: odd } = monaco.MarkerSeverity;
      monaco.editor.setModelMarkers(model, OWNER, [
        ...own(problems).map((one) => markerOf(model, one, wrong)),
        ...own(warnings).map((one) => markerOf(model, one, odd)),
      ]);
    }
  }

  /** Takes the schema of instance.json from the text that is being typed, or else from the file on the disk. */
  #followSchema({ files, entries }: SessionState): void {
    const open = files.get(SCHEMA)?.text;
    if (open === this.#schema.open && entries === this.#schema.entries) return;
    const asked = { open, entries };
    this.#schema = asked;
    if (open !== undefined) this.#teach(open);
    else void this.#session.files.onDisk(SCHEMA).then((text) => asked === this.#schema && this.#teach(text));
  }

  #teach(schema: string | null): void {
    if (schema === this.#taught) return;
    this.#taught = schema;
    teachSchemas(schema);
  }

  #markGutters(changed: readonly monaco.Uri[]): void {
    for (const open of this.#models.values()) {
      const { uri } = open.model;
      if (!changed.some((one) => one.toString() === uri.toString())) continue;
      open.gutter = markGutter(open.model, open.gutter, monaco.editor.getModelMarkers({ resource: uri }));
    }
  }

  /** Takes the mistakes that Monaco's own workers find; those of the host are set here. */
  #collect(): void {
    const marks = [...this.#models].flatMap(([file, { model }]) =>
      monaco.editor
        .getModelMarkers({ resource: model.uri })
        .filter(({ owner, severity }) => owner !== OWNER && severity === monaco.MarkerSeverity.Error)
        .map(({ startLineNumber: line, startColumn: column, message }) => ({ file, line, column, message, hint: '' })),
    );
    if (JSON.stringify(marks) !== JSON.stringify(this.#session.store.getState().marks)) this.#session.marked(marks);
  }

  #show(file: OpenFile): void {
    const known = this.#models.get(file.path);
    if (known === undefined) {
      this.#make(file);
      return;
    }
    if (known.revision === file.revision) return;
    known.revision = file.revision;
    this.#applying = true;
    // As an edit, so that it can be undone.
    known.model.pushEditOperations(
      [],
      [{ range: known.model.getFullModelRange(), text: file.text.replace(/^\ufeff/, '') }],
      () => null,
    );
    // The other text may end its lines differently: the next save must not change all of them.
    if (file.text.includes('\n')) known.model.setEOL(endOfLine(file.text));
    this.#applying = false;
  }

  #make(file: OpenFile): void {
    const uri = monaco.Uri.from({ scheme: 'file', path: `/${file.path}` });
    // A text of the same name that another project has left.
    monaco.editor.getModel(uri)?.dispose();
    const model = monaco.editor.createModel(file.text, undefined, uri);
    withoutBracketColours(model);
    this.#models.set(file.path, { model, revision: file.revision, gutter: [] });
    this.#helpWith(model.getLanguageId(), file.path);
    model.onDidChangeContent(() => {
      if (this.#applying) return;
      // The byte order mark is the file's: the model's own is that of the text from which it was made.
      const mark =
        this.#session.store.getState().files.get(file.path)?.text.startsWith('\ufeff') === true ? '\ufeff' : '';
      const text = model.getValue(monaco.editor.EndOfLinePreference.TextDefined, false);
      this.#session.files.edit(file.path, mark + text);
    });
  }

  #helpWith(language: string, path: string): void {
    const start = LANGUAGE_SERVERS.get(language);
    if (start === undefined) return;
    const failed = (thrown: unknown): void => toastFailed(`There is no help with ${visibleName(path)} now`, thrown);
    const help =
      this.#help.get(language) ??
      start(this.#session, failed).catch((thrown: unknown) => {
        failed(thrown);
        return null;
      });
    this.#help.set(language, help);
    void help.then((one) => one?.shown(path));
  }

  dispose(): void {
    this.#unsubscribe();
    for (const help of this.#help.values()) void help.then((one) => one?.close());
    this.#help.clear();
    for (const { model } of this.#models.values()) model.dispose();
    this.#models.clear();
    // The next project may have no schema at all.
    this.#schema = { open: undefined, entries: null };
    teachSchemas(null);
  }
}
