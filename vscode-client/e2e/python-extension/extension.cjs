// Of the Python extension's interface, what @vscode/python-extension asks for; the interpreter comes from a setting.
const vscode = require('vscode');

exports.activate = () => {
  const changed = new vscode.EventEmitter();
  const path = () => vscode.workspace.getConfiguration('standIn').get('interpreter');
  vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration('standIn') && changed.fire({ path: path() }));
  return {
    ready: Promise.resolve(),
    environments: {
      getActiveEnvironmentPath: () => ({ id: 'stand-in', path: path() }),
      resolveEnvironment: async (environment) => ({ executable: { uri: vscode.Uri.file(environment.path) } }),
      onDidChangeActiveEnvironmentPath: changed.event,
    },
  };
};
