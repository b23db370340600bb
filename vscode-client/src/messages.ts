// What the extension and the webview say to each other. Figures come from the server and pass through unchanged.
import type { Launch, Report } from './protocol';

export interface Shown {
  readonly kind: 'report';
  readonly uri: string;
  readonly label: string;
  readonly role: 'active' | 'baseline' | null;
  readonly report: Report;
  readonly baseline: { readonly label: string; readonly report: Report } | null;
  /** The setting `lowBandwidth.peakPercent`. */
  readonly lowPercent: number;
}

export type ToWebview =
  | Shown
  | { readonly kind: 'waiting'; readonly label: string }
  | { readonly kind: 'failed'; readonly label: string; readonly message: string; readonly offer: 'reopen' | 'restart' | null }
  /** `opens`: the trace is a text that VS Code can show, so a launch leads into it. */
  | { readonly kind: 'launches'; readonly id: string; readonly launches: readonly Launch[]; readonly opens: boolean }
  | { readonly kind: 'select'; readonly id: string };

/** What the page of a trace wants done outside of it. */
export type PageRequest =
  | { readonly kind: 'makeActive' | 'compare' | 'stopComparing' | 'restart' }
  | { readonly kind: 'openSource' | 'copy'; readonly id: string }
  | { readonly kind: 'openLaunch'; readonly id: string; readonly index: number };

export type FromWebview =
  | PageRequest
  | { readonly kind: 'ready' | 'reopen' }
  | { readonly kind: 'wantLaunches'; readonly id: string };
