// The Explorer view: traces → kernels → launches.
import { basename } from 'node:path';
import * as vscode from 'vscode';
import { change, count, duration, fixed, percent } from './figures';
import { kernelMarkdown } from './markdown';
import type { KernelRow, Launch, TraceSummary } from './protocol';
import type { Store } from './store';

export type Node =
  | { readonly kind: 'trace'; readonly trace: TraceSummary; readonly role: 'active' | 'baseline' | null }
  | { readonly kind: 'kernel'; readonly uri: string; readonly kernel: KernelRow }
  | { readonly kind: 'launch'; readonly uri: string; readonly kernel: KernelRow; readonly launch: Launch; readonly number: number };

export interface KernelTree {
  getChildren(node?: Node): Promise<Node[]>;
  getTreeItem(node: Node): vscode.TreeItem;
}

export function createTree(store: Store, lowPercent: () => number): KernelTree {
  return {
    async getChildren(node) {
      if (node === undefined) {
        const { traces, active, baseline } = await store.traces().catch(() => ({ traces: [], active: null, baseline: null }));
        return traces.map((trace) => ({
          kind: 'trace',
          trace,
          role: trace.uri === active ? 'active' : trace.uri === baseline ? 'baseline' : null,
        }));
      }
      switch (node.kind) {
        case 'trace': {
          const report = await store.report(node.trace.uri);
          return byRecoverable(report?.kernels ?? []).map((kernel) => ({ kind: 'kernel', uri: node.trace.uri, kernel }));
        }
        case 'kernel': {
          const { uri, kernel } = node;
          const launches = await store.launches(uri, kernel.id);
          return launches.map((launch, index) => ({ kind: 'launch', uri, kernel, launch, number: index + 1 }));
        }
        case 'launch':
          return [];
      }
    },
    getTreeItem(node) {
      switch (node.kind) {
        case 'trace':
          return traceItem(node.trace, node.role, lowPercent());
        case 'kernel':
          return kernelItem(node, lowPercent());
        case 'launch':
          return launchItem(node);
      }
    },
  };
}

/** What is worth a person's time first; what is not known last. */
export function byRecoverable(kernels: readonly KernelRow[]): KernelRow[] {
  return [...kernels].sort((a, b) => (b.recoverable_us ?? -1) - (a.recoverable_us ?? -1));
}

function traceItem(trace: TraceSummary, role: 'active' | 'baseline' | null, lowPercent: number): vscode.TreeItem {
  const { Collapsed, None, Expanded } = vscode.TreeItemCollapsibleState;
  const ready = trace.state === 'ready';
  const item = new vscode.TreeItem(trace.label, !ready ? None : role === 'active' ? Expanded : Collapsed);
  item.id = trace.uri;
  item.resourceUri = vscode.Uri.parse(trace.uri);
  item.contextValue = `trace ${trace.state} ${role ?? ''}`;
  item.iconPath = new vscode.ThemeIcon(
    trace.state === 'loading' ? 'loading~spin'
    : trace.state === 'failed' ? 'error'
    : role === 'active' ? 'pass-filled'
    : role === 'baseline' ? 'git-compare'
    : 'circle-large-outline',
  );
  const parts: string[] = role ? [role] : [];
  if (trace.state !== 'ready') parts.push(trace.state === 'loading' ? 'loading…' : trace.message || 'could not be read');
  else parts.push(count(trace.kernels, 'kernel'));
  item.description = parts.join(' · ');
  item.tooltip = [
    vscode.Uri.parse(trace.uri).fsPath,
    ...(trace.message ? [trace.message] : []),
    ...(ready ? [count(trace.triton_launches, 'Triton launch')] : []),
    ...(trace.low_time_percent === null ? [] : [`${percent(trace.low_time_percent)} % of Triton time in kernels below ${percent(lowPercent)} % of peak bandwidth`]),
  ].join('\n');
  return item;
}

function kernelItem(node: Node & { kind: 'kernel' }, lowPercent: number): vscode.TreeItem {
  const { kernel } = node;
  // The side bar is narrow: what all names begin with would hide the figures.
  const label = kernel.name.replace(/^triton_(?:[a-z]{3}_)?fused_+(?=.)/, '');
  const item = new vscode.TreeItem(label, vscode.TreeItemCollapsibleState.Collapsed);
  const low = kernel.peak_percent !== null && kernel.peak_percent < lowPercent;
  item.contextValue = `kernel ${kernel.definition ? 'source' : ''}`;
  item.iconPath = low
    ? new vscode.ThemeIcon('arrow-down', new vscode.ThemeColor('list.warningForeground'))
    : new vscode.ThemeIcon(kernel.tb_s === null ? 'question' : 'symbol-event');
  item.description = [
    ...(kernel.tb_s === null ? [] : [`${fixed(kernel.tb_s, 2)} TB/s`]),
    ...(kernel.peak_percent === null ? [] : [`${percent(kernel.peak_percent)} %`]),
    ...(kernel.change_percent === null || kernel.change_percent === undefined ? [] : [change(kernel.change_percent)]),
    duration(kernel.kernel_time_us.total),
  ].join(' · ');
  item.tooltip = new vscode.MarkdownString(kernelMarkdown(kernel));
  item.accessibilityInformation = { label: `${kernel.name}, ${item.description}${low ? ', low bandwidth' : ''}` };
  if (kernel.definition) {
    item.command = { command: 'inductorLens.openSource', title: 'Open Kernel Source', arguments: [node, true] };
  }
  return item;
}

function launchItem({ launch, number, uri, kernel }: Node & { kind: 'launch' }): vscode.TreeItem {
  const item = new vscode.TreeItem(`Launch ${number}`, vscode.TreeItemCollapsibleState.None);
  item.description = [duration(launch.busy_us), ...(launch.tb_s === null ? [] : [`${fixed(launch.tb_s, 2)} TB/s`])].join(' · ');
  item.iconPath = new vscode.ThemeIcon('debug-start');
  item.contextValue = 'launch';
  item.tooltip = `${basename(vscode.Uri.parse(launch.uri).fsPath)} at ${fixed(launch.ts_us, 3)} µs`;
  item.command = { command: 'inductorLens.openLaunch', title: 'Open Launch in Trace', arguments: [launch, { uri, id: kernel.id }, true] };
  return item;
}
