// The status bar: the active trace, and how much of its Triton time is slow. The language status: the server.
import * as vscode from 'vscode';
import { percent } from './figures';
import type { Traces } from './protocol';
import type { Server } from './server';

const LANGUAGES = [{ language: 'python' }, { language: 'json' }, { language: 'jsonc' }];

export interface Status {
  show(traces: Traces, lowPercent: number): void;
}

export function createStatus(context: vscode.ExtensionContext, server: Server): Status {
  const bar = vscode.window.createStatusBarItem('inductorLens.trace', vscode.StatusBarAlignment.Left, 10);
  bar.name = 'Inductor Lens: active trace';
  bar.command = { command: 'inductorLens.showKernels', title: 'Show Kernels of the Active Trace' };

  const language = vscode.languages.createLanguageStatusItem('inductorLens.server', LANGUAGES);
  language.name = 'Inductor Lens';
  const showState = (): void => {
    const { state } = server;
    language.busy = state.kind === 'starting';
    language.text = state.kind === 'failed' ? 'Inductor Lens: no server' : 'Inductor Lens';
    language.detail = state.kind === 'ready' ? state.detail : state.kind === 'failed' ? state.message : state.kind;
    language.severity = state.kind === 'failed' ? vscode.LanguageStatusSeverity.Error : vscode.LanguageStatusSeverity.Information;
    language.command =
      state.kind === 'ready'
        ? { command: 'inductorLens.showLog', title: 'Show Log' }
        : { command: 'inductorLens.restart', title: 'Restart Server' };
    if (state.kind !== 'ready') bar.hide();
  };
  showState();
  context.subscriptions.push(bar, language, server.onState(showState));

  return {
    show(traces, lowPercent) {
      const active = traces.traces.find(({ uri }) => uri === traces.active);
      if (!active) {
        bar.hide();
        return;
      }
      const { label, low_time_percent: low } = active;
      const share = low === null ? '' : ` ${percent(low)} % low`;
      const sentence = low === null ? '' : `${percent(low)} % of Triton time is in kernels that are flagged: below ${percent(lowPercent)} % of peak bandwidth`;
      const baseline = traces.traces.find(({ uri }) => uri === traces.baseline);
      bar.text = active.state === 'loading' ? `$(loading~spin) ${label}` : `$(graph-scatter) ${label}${share}`;
      bar.tooltip = [label, sentence, ...(baseline ? [`compared with ${baseline.label}`] : [])].filter(Boolean).join('\n');
      bar.accessibilityInformation = { label: `Inductor Lens: ${bar.tooltip.replaceAll('\n', ', ')}` };
      bar.show();
    },
  };
}
