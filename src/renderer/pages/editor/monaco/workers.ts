import EditorWorker from 'monaco-editor/editor/editor.worker.js?worker';

// A file of the host itself: without this Monaco would start it from a text, which the policy of the page refuses. Those of
// the languages are files anyway (scripts/monaco-policy.ts).
Object.assign(globalThis, { MonacoEnvironment: { getWorker: () => new EditorWorker() } });
