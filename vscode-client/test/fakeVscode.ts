// The little of VS Code that the modules under unit test touch; the rest is tested in the real one.
export class TreeItem {
  [key: string]: unknown;
  constructor(public label: string, public collapsibleState: number) {}
}
export class ThemeIcon {
  constructor(public id: string, public color?: ThemeColor) {}
}
export class ThemeColor {
  constructor(public id: string) {}
}
export class MarkdownString {
  constructor(public value: string) {}
}
export const TreeItemCollapsibleState = { None: 0, Collapsed: 1, Expanded: 2 };
export const Uri = {
  parse: (text: string) => ({ toString: () => text.replaceAll('+', '%2B'), path: new URL(text).pathname, fsPath: decodeURIComponent(new URL(text).pathname) }),
};
