#!/usr/bin/env bash
# open.sh VSIX FOLDER PYTHON: installs the extension into the VS Code that is found and opens the folder there;
# where there is none, opens it in a web workbench on loopback, with PYTHON's server, until Ctrl+C.
set -euo pipefail
vsix=$(realpath "$1") folder=$(realpath "$2") python=$3
if command -v code >/dev/null; then
  code --install-extension "$vsix" --force
  exec code "$folder"
fi
echo "no 'code' on the PATH: starting a web workbench"
cd "$(dirname "$0")"
bash e2e/install.sh "$VSWEB"
VSIX=$vsix PYTHON=$python exec node e2e/open.mjs "$folder"
