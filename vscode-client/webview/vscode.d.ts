// What VS Code gives to a webview.
interface VsCodeApi<State> {
  postMessage(message: unknown): void;
  getState(): State | undefined;
  setState(state: State): State;
}
declare function acquireVsCodeApi<State>(): VsCodeApi<State>;
declare module '*.css';
