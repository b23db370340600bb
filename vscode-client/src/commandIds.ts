// The commands that the extension itself answers. The server's own commands pass through some of these.

export const COMMANDS = [
  'inductorLens.openTrace',
  'inductorLens.showKernels',
  'inductorLens.selectTrace',
  'inductorLens.selectBaseline',
  'inductorLens.clearBaseline',
  'inductorLens.closeTrace',
  'inductorLens.showReport',
  'inductorLens.openSource',
  'inductorLens.showTimeline',
  'inductorLens.openWorstLaunch',
  'inductorLens.copyMarkdown',
  'inductorLens.showLaunches',
  'inductorLens.openLaunch',
  'inductorLens.restart',
  'inductorLens.showLog',
] as const;

export type CommandId = (typeof COMMANDS)[number];
export type Commands = Record<CommandId, (...args: unknown[]) => unknown>;

export const KERNELS_VIEW = 'inductorLens.kernels';
export const TRACE_EDITOR = 'inductorLens.trace';
export const JSON_TRACE_EDITOR = 'inductorLens.jsonTrace';
