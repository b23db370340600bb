// Is this text ours? Asked of every Python and JSON file that opens, before anything else is loaded.

/** As much of a document as is looked at. */
export const HEAD_LINES = 80;
export const HEAD_CHARACTERS = 16_384;

const INDUCTOR = [
  /^# AOT ID: \[/m, // a wrapper since PyTorch 2.2
  /^from torch\._inductor\S* import .*\b(?:AsyncCompile|triton_helpers|triton_heuristics)\b/m, // wrapper or kernel of any version
];

const TRACE = [
  /"traceEvents"\s*:/,
  /"deviceProperties"\s*:/, // the profiler writes this, then pages of other things, before the events
  /^\s*\[\s*\{[^{}]*"ph"\s*:/, // the array form
  /"schema"\s*:\s*"[^"]*chakra/, // an execution trace: the server says what to record instead
];

/** Whether a Python file begins as one that Inductor wrote. */
export function isInductorSource(head: string): boolean {
  return INDUCTOR.some((pattern) => pattern.test(head));
}

/** Whether a JSON file begins as a profiler trace. */
export function isTrace(head: string): boolean {
  return TRACE.some((pattern) => pattern.test(head));
}

/** What the gate needs of a document: `vscode.TextDocument` has it. */
export interface Readable {
  readonly languageId: string;
  readonly lineCount: number;
  readonly uri: { readonly scheme: string };
  lineAt(line: number): { readonly text: string };
}

/** Whether a document is one that the server has something to say about. Reads its first lines only. */
export function isOurs(document: Readable): boolean {
  if (document.uri.scheme !== 'file') return false;
  switch (document.languageId) {
    case 'python':
      return isInductorSource(head(document));
    case 'json':
    case 'jsonc':
      return isTrace(head(document));
    default:
      return false;
  }
}

function head(document: Readable): string {
  let text = '';
  for (let line = 0; line < Math.min(document.lineCount, HEAD_LINES) && text.length < HEAD_CHARACTERS; line++) {
    text += document.lineAt(line).text.slice(0, HEAD_CHARACTERS) + '\n';
  }
  return text;
}
